/**
 * Batches as OpenAI has them, and services with the same API: a file is uploaded, a batch is made of it, and its responses are
 * files again. https://platform.openai.com/docs/api-reference/batch
 */
import type { Connection } from "../connection-parts.ts";
import type { BatchApi, BatchFailure, BatchParts, BatchProgress, Called, RequestFile } from "../provider-batches.ts";
import { readRefusal } from "./refusals.ts";
import {
  lookSlotWaitMs,
  MAX_LINE_BYTES,
  around,
  callBatches,
  classifyBatchRefusal,
  downloadTo,
  idIn,
} from "./batch-calls.ts";

/** 100 MB at 200 kB/s. */
const UPLOAD_TIMEOUT_MS = 10 * 60_000;
const CALL_TIMEOUT_MS = 60_000;
/** Their clock and ours may differ. */
const CLOCK_SKEW_SECONDS = 600;
const PAGE = 100;
/** A thousand batches that others have made since would hide one of ours; nobody makes them within minutes. */
const MAX_PAGES = 10;
/** What every batch of chat completions names, whatever the base URL. */
const ENDPOINT = "/v1/chat/completions";
const METADATA_KEY = "rowmill_batch";

export function openaiBatches(parts: BatchParts, connection: Connection): BatchApi {
  const get = (path: string, signal: AbortSignal, more: { slotWaitMs?: number } = {}) =>
    callBatches(parts, connection, { method: "GET", path, timeoutMs: CALL_TIMEOUT_MS, ...more }, signal);
  const post = (path: string, value: unknown, signal: AbortSignal, headers: Record<string, string> = {}) => {
    const text = Buffer.from(JSON.stringify(value));
    const call = {
      method: "POST" as const,
      path,
      headers: { "content-type": "application/json", "content-length": String(text.length), ...headers },
      body: once(text),
      timeoutMs: CALL_TIMEOUT_MS,
    };
    return callBatches(parts, connection, call, signal);
  };

  return {
    maxLineBytes: MAX_LINE_BYTES,
    submissionMs: CALL_TIMEOUT_MS,
    lineOf: (customId, { body }) =>
      `{"custom_id":${JSON.stringify(customId)},"method":"POST","url":"${ENDPOINT}","body":${body}}`,
    async submit({ batchId, file, mayBegin }, signal) {
      const uploaded = await upload(parts, connection, batchId, file, signal);
      if (!uploaded.ok) return uploaded;
      if (!(await mayBegin())) return { ok: true, value: "not_begun" };
      const asked = {
        input_file_id: uploaded.value,
        endpoint: ENDPOINT,
        completion_window: "24h",
        metadata: { [METADATA_KEY]: batchId },
      };
      const made = await post("/batches", asked, signal, { "idempotency-key": batchId });
      if (!made.ok) return made;
      const providerBatchId = idIn(made.value["id"]);
      return providerBatchId === undefined ? nameless() : { ok: true, value: { providerBatchId } };
    },
    find: ({ batchId, begunAt }, signal) => findBatch((path) => get(path, signal), batchId, begunAt),
    async progress(id, signal) {
      const read = await get(`/batches/${encodeURIComponent(id)}`, signal, { slotWaitMs: lookSlotWaitMs(connection) });
      return read.ok ? { ok: true, value: progressOf(read.value, connection.secret) } : read;
    },
    cancel: (id, signal) => post(`/batches/${encodeURIComponent(id)}/cancel`, {}, signal),
    download: (file, to, signal) =>
      downloadTo(parts, connection, `/files/${encodeURIComponent(file)}/content`, to, signal),
    readLine({ custom_id: customId, response }) {
      if (typeof customId !== "string") return undefined;
      const status = memberOf(response, "status_code");
      if (typeof status !== "number") return { customId, response: undefined };
      const requestId = memberOf(response, "request_id");
      const headers = typeof requestId === "string" ? { "x-request-id": requestId } : undefined;
      return {
        customId,
        response: { status, headers: headers ?? {}, body: JSON.stringify(memberOf(response, "body") ?? null) },
      };
    },
  };
}

/** By our id in its metadata, among those that were made since then. */
async function findBatch(
  get: (path: string) => Promise<Called<Record<string, unknown>>>,
  batchId: string,
  begunAt: Date,
): Promise<Called<string | undefined>> {
  const since = begunAt.getTime() / 1_000 - CLOCK_SKEW_SECONDS;
  let after = "";
  for (let page = 0; page < MAX_PAGES; page++) {
    const listed = await get(`/batches?limit=${PAGE}${after === "" ? "" : `&after=${after}`}`);
    if (!listed.ok) return listed;
    const batches = arrayOf(listed.value["data"]);
    const found = batches.find((batch) => memberOf(batch["metadata"], METADATA_KEY) === batchId);
    if (found !== undefined) return { ok: true, value: idIn(found["id"]) };
    const last = batches.at(-1);
    const lastId = idIn(last?.["id"]);
    if (lastId === undefined || Number(last?.["created_at"]) < since || listed.value["has_more"] !== true) break;
    after = encodeURIComponent(lastId);
  }
  return { ok: true, value: undefined };
}

async function upload(
  parts: BatchParts,
  connection: Connection,
  batchId: string,
  file: RequestFile,
  signal: AbortSignal,
): Promise<Called<string>> {
  const boundary = `rowmill-${batchId}`;
  const head =
    `--${boundary}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n` +
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${batchId}.jsonl"\r\n` +
    `content-type: application/jsonl\r\n\r\n`;
  const tail = `\r\n--${boundary}--\r\n`;
  const call = {
    method: "POST" as const,
    path: "/files",
    headers: {
      "content-type": `multipart/form-data; boundary=${boundary}`,
      "content-length": String(Buffer.byteLength(head) + file.bytes + Buffer.byteLength(tail)),
    },
    body: around(head, file, tail),
    timeoutMs: UPLOAD_TIMEOUT_MS,
  };
  const uploaded = await callBatches(parts, connection, call, signal);
  if (!uploaded.ok)
    // A file alone costs nothing: whether it arrived does not matter.
    return uploaded.failure.kind === "unknown"
      ? { ok: false, failure: { ...uploaded.failure, kind: "passing" } }
      : uploaded;
  const id = idIn(uploaded.value["id"]);
  return id === undefined ? nameless("passing") : { ok: true, value: id };
}

function progressOf(batch: Record<string, unknown>, secret: string | null): BatchProgress {
  const counts = batch["request_counts"];
  const responses = countIn(memberOf(counts, "completed")) + countIn(memberOf(counts, "failed"));
  const files = ["output_file_id", "error_file_id"].flatMap((name) => idIn(batch[name]) ?? []);
  switch (batch["status"]) {
    case "completed":
    case "expired":
    case "cancelled":
      // Those that were not made in time count as failed.
      return { state: "ended", files, responses: batch["status"] === "completed" ? responses : 0 };
    case "failed":
      return idIn(batch["output_file_id"]) === undefined
        ? { state: "failed", files: [], responses: 0, failure: failureOfBatch(batch, secret) }
        : { state: "ended", files, responses: 0 };
    default:
      return { state: "working", files: [], responses: 0 };
  }
}

/** It was found out before any request was made. */
function failureOfBatch(batch: Record<string, unknown>, secret: string | null): BatchFailure {
  const first = arrayOf(memberOf(batch["errors"], "data"))[0] ?? {};
  // As the response to a call would have it.
  const refusal = readRefusal({ status: 400, headers: {}, body: JSON.stringify({ error: first }) });
  const failure = classifyBatchRefusal(refusal, {}, secret);
  const message = failure.message.replace(/^The provider responded with 400/, "The provider refused the batch");
  // So many tokens may wait at once in batches of a model: later there is room again.
  const { code } = first;
  const isFull = /token_limit|rate_limit|enqueued/i.test(typeof code === "string" ? code : "");
  return { ...failure, message, ...(isFull ? { kind: "passing", code: "provider_rate_limited" } : {}) };
}

const nameless = (kind: BatchFailure["kind"] = "unknown"): { ok: false; failure: BatchFailure } => ({
  ok: false,
  failure: { kind, code: "provider_error", message: "The provider responded without an id." },
});

async function* once(text: Buffer): AsyncGenerator<Buffer> {
  yield text;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

const countIn = (value: unknown): number => (typeof value === "number" && value > 0 ? value : 0);

function arrayOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value)
    ? value.filter((item): item is Record<string, unknown> => typeof item === "object" && item !== null)
    : [];
}
