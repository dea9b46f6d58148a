/** What the requests of a job spec would cost, for dry runs. */
import type { ConnectionEgress, Connections } from "../connection-parts.ts";
import type { FailureCode } from "@rowmill/contract/failures";
import type { Estimator, RowEstimate } from "../processor.ts";
import { parseExactJson } from "../../platform/exact-json.ts";
import { TemplateError } from "../templates/templates.ts";
import { compileRequest } from "./request-template.ts";
import type { HttpConfig } from "./request-template.ts";

const NO_TOKENS = { low: 0, high: 0 };

export async function prepareHttpEstimate(
  { connections, egress }: { connections: Connections; egress: ConnectionEgress },
  config: HttpConfig,
  organizationId: string,
): Promise<Estimator> {
  const connection =
    config.connection === undefined ? undefined : await connections.find(organizationId, config.connection);
  const template = compileRequest(config);
  const estimateRow = (text: string): RowEstimate => {
    if (config.connection !== undefined && connection === undefined)
      return failed("secret_missing", `There is no connection ${config.connection}.`);
    if (template.needsSecret && (connection?.secret ?? null) === null)
      return failed("secret_missing", "A header names {{connection.secret}}, but the connection has no secret.");
    const request = template.render(parseExactJson(text), connection?.baseUrl, connection?.secret ?? null);
    if (request instanceof TemplateError) return { ok: false, failure: request.toFailure() };
    const way = egress.dispatcherFor(request.url);
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
    estimateRow: (row) => Promise.resolve(estimateRow(row.text)),
    maxRequests: 1,
    price,
    highestPrice: price,
    unpriced: [],
    rateLimit: connection?.rateLimit ?? { requestsPerMinute: null, tokensPerMinute: null },
  };
}

const failed = (code: FailureCode, message: string): RowEstimate => ({ ok: false, failure: { code, message } });
