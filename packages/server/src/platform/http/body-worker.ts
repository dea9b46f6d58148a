/** The worker process: reads large bodies, and takes out of them what the thread that serves requests need not look into. */
import { serveRequests } from "../worker-process-port.ts";
import { ApiError } from "./errors.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { exactLinesOf, findRows } from "./exact-lines.ts";
import { parseJsonBody } from "./json-body.ts";
import type { BodyResponse, BodyRequest } from "./read-body.ts";

serveRequests(({ bytes, query, rowsAt }: BodyRequest): BodyResponse => {
  try {
    const { text, value, infiniteAt } = parseJsonBody(Buffer.from(bytes));
    const fingerprint = infiniteAt === undefined ? fingerprintOf(value, query) : new Uint8Array();
    const lines = rowsAt === undefined ? undefined : takeRows(text, value, rowsAt);
    return {
      outcome: "read",
      fingerprint,
      infiniteAt,
      lines,
      rest: lines === undefined ? undefined : JSON.stringify(value),
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { outcome: "refused", message: error.message };
  }
});

/** The text of each row, which leaves an empty object in its place; undefined where not all of them are objects. */
function takeRows(text: string, body: unknown, path: readonly string[]): string[] | undefined {
  const rows = findRows(body, path);
  if (rows === undefined) return undefined;
  const lines = exactLinesOf(text, path, rows);
  for (const index of rows.keys()) rows[index] = {};
  return lines;
}
