/** The worker process: reads large bodies, and takes out of them what the thread that serves requests need not look into. */
import { serveRequests } from "../worker-process-port.ts";
import { ApiError } from "./errors.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { parseJsonBody } from "./json-body.ts";
import type { BodyResponse, BodyRequest } from "./read-body.ts";

serveRequests(({ bytes, query, rowsAt }: BodyRequest): BodyResponse => {
  try {
    const { value, infiniteAt } = parseJsonBody(Buffer.from(bytes));
    const fingerprint = infiniteAt === undefined ? fingerprintOf(value, query) : new Uint8Array();
    const lines = rowsAt === undefined ? undefined : takeRows(value, rowsAt);
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
function takeRows(body: unknown, path: readonly string[]): string[] | undefined {
  let rows: unknown = body;
  for (const name of path) rows = isObject(rows) ? rows[name] : undefined;
  if (!Array.isArray(rows) || !rows.every(isObject)) return undefined;
  const lines = rows.map((row) => JSON.stringify(row));
  for (const index of rows.keys()) rows[index] = {};
  return lines;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
