/** What the conversations of a job spec would take and cost, for dry runs and budgets. */
import { parseUsd } from "../../platform/usd.ts";
import type { Connection, Connections } from "../connection-parts.ts";
import type { Estimator, RequestPrice } from "../processor.ts";
import { withBatchPrices } from "./batch-prices.ts";
import { targetsOf } from "./llm-config.ts";
import type { LlmConfig, Target } from "./llm-config.ts";
import { priceOf } from "./costs.ts";

export async function prepareLlmEstimate(
  connections: Connections,
  config: LlmConfig,
  organizationId: string,
  {
    estimateRow,
    cacheKeyOf,
    repairAttempts,
  }: Pick<Estimator, "estimateRow" | "cacheKeyOf"> & { repairAttempts: number },
): Promise<Estimator> {
  const asked = await Promise.all(
    targetsOf(config).map(async (target) => ({
      target,
      connection: await connections.find(organizationId, target.connectionId),
    })),
  );
  const prices = asked.map(({ target, connection }) => priceOfRequest(target, connection));
  return {
    estimateRow,
    cacheKeyOf,
    // A model is asked to repair only what has a schema to fit.
    maxRequests: 1 + (config.outputSchema === undefined ? 0 : repairAttempts),
    price: prices[0],
    batchPrice: batchPriceOf(asked[0]),
    highestPrice: prices.reduce((highest, price) => higherPrice(highest, price), undefined),
    unpriced: asked.flatMap(({ target, connection }, i) =>
      // Nothing is asked through a connection that does not exist any more.
      connection !== undefined && prices[i] === undefined ? [target] : [],
    ),
    ...(config.parameters?.maxOutputTokens === undefined ? { missingOutputLimit: "parameters.maxOutputTokens" } : {}),
    rateLimit: asked[0]?.connection?.rateLimit ?? { requestsPerMinute: null, tokensPerMinute: null },
  };
}

function batchPriceOf(
  first: { target: Target; connection: Connection | undefined } | undefined,
): RequestPrice | undefined {
  if (first?.connection === undefined) return undefined;
  return priceOfRequest(first.target, withBatchPrices(first.connection, first.target.model));
}

function priceOfRequest({ model }: Target, connection: Connection | undefined): RequestPrice | undefined {
  const price = connection === undefined ? undefined : priceOf(connection, model);
  return price === undefined ? undefined : { requestUsd: "0", ...price };
}

function higherPrice(a: RequestPrice | undefined, b: RequestPrice | undefined): RequestPrice | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const higher = (one: string, other: string): string => (parseUsd(one) < parseUsd(other) ? other : one);
  return {
    requestUsd: higher(a.requestUsd, b.requestUsd),
    inputUsdPerMillionTokens: higher(a.inputUsdPerMillionTokens, b.inputUsdPerMillionTokens),
    outputUsdPerMillionTokens: higher(a.outputUsdPerMillionTokens, b.outputUsdPerMillionTokens),
  };
}
