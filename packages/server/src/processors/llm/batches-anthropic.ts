/**
 * Message batches as Anthropic has them: one call carries all requests, and one response all results.
 * https://docs.anthropic.com/en/api/creating-message-batches
 */
import type { Connection } from "../connection-parts.ts";
import type { BatchApi, BatchParts, BatchProgress, RequestFile } from "../provider-batches.ts";
import { MAX_LINE_BYTES, around, callBatches, downloadTo, idIn, lookSlotWaitMs } from "./batch-calls.ts";

/** 100 MB at 200 kB/s. */
const SUBMIT_TIMEOUT_MS = 10 * 60_000;
const CALL_TIMEOUT_MS = 60_000;
/** Their clock and ours may differ. */
const CLOCK_SKEW_MS = 600_000;
const PAGE = 100;

/** HTTP statuses that Anthropic's documentation gives for its types of errors. */
const STATUSES: Record<string, number> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

export function anthropicBatches(parts: BatchParts, connection: Connection): BatchApi {
  const pathOf = (id: string): string => `/messages/batches/${encodeURIComponent(id)}`;
  const get = (path: string, signal: AbortSignal, more: { slotWaitMs?: number } = {}) =>
    callBatches(parts, connection, { method: "GET", path, timeoutMs: CALL_TIMEOUT_MS, ...more }, signal);

  return {
    maxLineBytes: MAX_LINE_BYTES,
    submissionMs: SUBMIT_TIMEOUT_MS,
    lineOf: (customId, { body }) => `{"custom_id":${JSON.stringify(customId)},"params":${body}}`,
    async submit({ batchId, file, mayBegin }, signal) {
      if (!(await mayBegin())) return { ok: true, value: "not_begun" };
      const made = await callBatches(parts, connection, submissionOf(batchId, file), signal);
      if (!made.ok) return made;
      const providerBatchId = idIn(made.value["id"]);
      return providerBatchId === undefined
        ? {
            ok: false,
            failure: { kind: "unknown", code: "provider_error", message: "The provider responded without an id." },
          }
        : { ok: true, value: { providerBatchId } };
    },
    // A batch here carries no name of ours: one of the time in question, with as many requests, that nobody knows, is it.
    async find({ requests, begunAt, isKnown }, signal) {
      const listed = await get(`/messages/batches?limit=${PAGE}`, signal);
      if (!listed.ok) return listed;
      const alike = batchesAlike(listed.value["data"], requests, begunAt);
      const known = await isKnown(alike);
      const unknown = alike.filter((id) => !known.has(id));
      return { ok: true, value: unknown.length === 1 ? unknown[0] : undefined };
    },
    async progress(id, signal) {
      const read = await get(pathOf(id), signal, { slotWaitMs: lookSlotWaitMs(connection) });
      return read.ok ? { ok: true, value: progressOf(id, read.value) } : read;
    },
    cancel: (id, signal) =>
      callBatches(
        parts,
        connection,
        {
          method: "POST",
          path: `${pathOf(id)}/cancel`,
          headers: { "content-length": "0" },
          timeoutMs: CALL_TIMEOUT_MS,
        },
        signal,
      ),
    // Not at `results_url`: the key goes to the origin of the connection and nowhere else.
    download: (id, to, signal) => downloadTo(parts, connection, `${pathOf(id)}/results`, to, signal),
    readLine({ custom_id: customId, result }) {
      if (typeof customId !== "string" || typeof result !== "object" || result === null) return undefined;
      const { type, message, error } = result as Record<string, unknown>;
      if (type === "succeeded")
        return { customId, response: { status: 200, headers: {}, body: JSON.stringify(message ?? null) } };
      if (type !== "errored") return { customId, response: undefined };
      return { customId, response: { status: statusOf(error), headers: {}, body: JSON.stringify(error ?? null) } };
    },
  };
}

function submissionOf(batchId: string, file: RequestFile) {
  const [head, tail] = [`{"requests":[`, `]}`];
  return {
    method: "POST" as const,
    path: "/messages/batches",
    headers: {
      "content-type": "application/json",
      "content-length": String(head.length + file.bytes + tail.length),
      "idempotency-key": batchId,
    },
    body: withCommas(around(head, file, tail), head.length + file.bytes),
    timeoutMs: SUBMIT_TIMEOUT_MS,
  };
}

/** Ids of batches with so many requests that were made since then. */
const batchesAlike = (listed: unknown, requests: number, begunAt: Date): string[] =>
  (Array.isArray(listed) ? listed : []).flatMap((batch: unknown) => {
    const { id, created_at: createdAt, request_counts: counts } = batch as Record<string, unknown>; // whatever it is, its members are asked for one by one
    const name = idIn(id);
    const isOfThen = Date.parse(String(createdAt)) >= begunAt.getTime() - CLOCK_SKEW_MS;
    return name !== undefined && isOfThen && sumOf(counts) === requests ? [name] : [];
  });

function progressOf(
  id: string,
  { processing_status: status, request_counts: counts }: Record<string, unknown>,
): BatchProgress {
  const { succeeded, errored } = (counts ?? {}) as Record<string, unknown>; // whatever it is, what is not a number adds nothing
  const responses = [succeeded, errored].reduce(
    (sum: number, count) => sum + (typeof count === "number" ? count : 0),
    0,
  );
  return status === "ended"
    ? { state: "ended", files: [id], responses }
    : { state: "working", files: [], responses: 0 };
}

/** The lines of a file as the members of an array: each end of a line but the last becomes a comma. `end`: where the last stands. */
async function* withCommas(body: AsyncIterable<Buffer>, end: number): AsyncGenerator<Buffer> {
  const [lineFeed, comma, space] = [0x0a, 0x2c, 0x20];
  let position = 0;
  for await (const piece of body) {
    // JSON text on one line has no other line feeds.
    for (let at = piece.indexOf(lineFeed); at !== -1; at = piece.indexOf(lineFeed, at + 1))
      piece[at] = position + at === end - 1 ? space : comma;
    position += piece.length;
    yield piece;
  }
}

function sumOf(counts: unknown): number {
  if (typeof counts !== "object" || counts === null) return Number.NaN;
  return Object.values(counts).reduce((sum: number, count: unknown) => sum + Number(count), 0);
}

/** `{"type": "error", "error": {"type": "overloaded_error", …}}` */
function statusOf(error: unknown): number {
  const inner = (error as { error?: { type?: unknown } } | null)?.error;
  return STATUSES[String(inner?.type)] ?? 500;
}
