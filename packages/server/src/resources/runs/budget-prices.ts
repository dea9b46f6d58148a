/** Whether a budget could be kept: calls whose price nobody knows would go past it without a word. */
import type { Selectable } from "kysely";
import type { JobSpecVersionsTable } from "../../platform/database/data-tables.ts";
import { ApiError } from "../../platform/http/errors.ts";
import type { Processors } from "../../processors/processors.ts";
import { readDefinition } from "../job-specs/definition.ts";

/** Prices are looked up in the database by others: not while a transaction is open. */
export async function checkBudgetPrices(
  processors: Processors,
  version: Selectable<JobSpecVersionsTable>,
): Promise<void> {
  const { processor } = readDefinition(version);
  const estimator = await processors.of(processor).prepareEstimate?.(processor, version.organizationId);
  const [first, ...others] = estimator?.unpriced ?? [];
  if (first === undefined) return;
  throw new ApiError(
    "invalid_request",
    `The price of the model ${JSON.stringify(first.model)} on the connection ${first.connectionId} is not known, so that a budget ` +
      "could not be kept. Give the connection `prices` for it, or leave the budget out.",
    {
      param: "budget",
      details: [first, ...others].map(({ model, connectionId }) => ({
        path: "/budget",
        code: "price_unknown",
        message: `The connection ${connectionId} has no price for the model ${JSON.stringify(model)}.`,
      })),
    },
  );
}
