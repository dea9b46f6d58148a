/** What the requests of a job spec would cost, for dry runs. */
import type { ConnectionEgress, Connections } from "../connection-parts.ts";
import type { FailureCode } from "@rowmill/contract/failures";
import type { Estimator, InputRow, RowEstimate } from "../processor.ts";
import { newUuid } from "../../platform/ids.ts";
import type { LargeTexts } from "../large-texts.ts";
import { cacheKeyOf } from "./http-step.ts";
import { renderRow } from "./render-row.ts";
import { compileRequest } from "./request-template.ts";
import type { HttpConfig } from "./request-template.ts";

const NO_TOKENS = { low: 0, high: 0 };

export async function prepareHttpEstimate(
  { connections, egress, largeTexts }: { connections: Connections; egress: ConnectionEgress; largeTexts: LargeTexts },
  config: HttpConfig,
  organizationId: string,
): Promise<Estimator> {
  const connection =
    config.connection === undefined ? undefined : await connections.find(organizationId, config.connection);
  const template = compileRequest(config);
  const user = { organizationId, runId: newUuid() };
  const estimateRow = async (row: string): Promise<RowEstimate> => {
    if (config.connection !== undefined && connection === undefined)
      return failed("secret_missing", `There is no connection ${config.connection}.`);
    if (template.needsSecret && (connection?.secret ?? null) === null)
      return failed("secret_missing", "A header names {{connection.secret}}, but the connection has no secret.");
    const { baseUrl, secret = null } = connection ?? {};
    const rendered = await renderRow(largeTexts, user, template, { config, row, baseUrl, secret });
    if ("failure" in rendered) return { ok: false, failure: rendered.failure };
    const way = egress.dispatcherFor(rendered.request.url);
    if (way.dispatcher === undefined) return failed("egress_denied", way.message);
    return { ok: true, inputTokens: NO_TOKENS, outputTokens: NO_TOKENS };
  };
  const price = {
    // Most services that are called by rows are one's own: what has no price is free.
    requestUsd: connection?.prices?.requestUsd ?? "0",
    inputUsdPerMillionTokens: "0",
    outputUsdPerMillionTokens: "0",
  };
  return {
    estimateRow: (row) => estimateRow(row.text),
    ...(config.method === "GET" ? { cacheKeyOf: (row: InputRow) => cacheKeyOf(template, config, row) } : {}),
    maxRequests: 1,
    price,
    highestPrice: price,
    unpriced: [],
    rateLimit: connection?.rateLimit ?? { requestsPerMinute: null, tokensPerMinute: null },
  };
}

const failed = (code: FailureCode, message: string): RowEstimate => ({ ok: false, failure: { code, message } });
