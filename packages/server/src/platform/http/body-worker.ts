/** The worker process: reads large bodies, and takes out of them what the thread that serves requests need not look into. */
import { serveRequests } from "../worker-process-port.ts";
import { ApiError } from "./errors.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { exactRowsOf, findLongIntegers, findRows, keepIntegers } from "./exact-lines.ts";
import { parseJsonBody } from "./json-body.ts";
import type { BodyResponse, BodyRequest } from "./read-body.ts";

serveRequests(({ bytes, query, ...places }: BodyRequest): BodyResponse => {
  try {
    const { text, value, infiniteAt } = parseJsonBody(Buffer.from(bytes));
    const { rowsAt } = places;
    const longIntegers = findLongIntegers(text, places);
    keepIntegers(value, longIntegers.inSchemas);
    const exact = rowsAt === undefined ? undefined : exactRowsIn(text, value, rowsAt);
    const fingerprint = infiniteAt === undefined ? fingerprintOf(value, query, exact?.digits) : new Uint8Array();
    // Rows leave an empty object in their place.
    if (exact !== undefined) for (const index of exact.rows.keys()) exact.rows[index] = {};
    const lines = exact?.lines;
    return {
      outcome: "read",
      fingerprint,
      infiniteAt,
      ...longIntegers,
      lines,
      rest: lines === undefined ? undefined : JSON.stringify(value),
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { outcome: "refused", message: error.message };
  }
});

/** Undefined where there are none, or not all of them are objects. */
function exactRowsIn(text: string, body: unknown, path: readonly string[]) {
  const rows = findRows(body, path);
  return rows === undefined ? undefined : { rows, ...exactRowsOf(text, path, rows) };
}
