/**
 * The content of an upload session in pieces, by the tus protocol 1.0.0 (tus.io/protocols/resumable-upload): the core, and
 * creation with a length that may come later. The session is there already and has one URL for this, so creating only
 * begins its content again.
 *
 *   POST (length) → PATCH at 0 … cut → HEAD: offset n → PATCH at n … → the last byte: as after a PUT
 *
 * What came is kept until the session ends. One request writes at a time, over all processes. When a process dies between
 * the last byte and the transaction that takes the content, the next HEAD does what is left.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import { MAX_INTEGER } from "@rowmill/contract/schemas";
import type { OrganizationCaller } from "../platform/auth/caller.ts";
import { sql } from "../platform/database/database.ts";
import type { OrganizationDatabase } from "../platform/database/database.ts";
import { isRow } from "../platform/database/row-key.ts";
import { ApiError, invalidState } from "../platform/http/errors.ts";
import { parseIdempotencyKey } from "../platform/http/idempotency.ts";
import { formatId, newUuid, parseId } from "../platform/ids.ts";
import type { PartialTarget } from "../platform/storage/storage.ts";
import type { UploadRow } from "../resources/dataset-uploads/dataset-uploads.ts";
import {
  CONTENT_PREFIX,
  checkAwaits,
  deleteContent,
  deleteRefused,
  endTransferAt,
  notReserved,
  takeContent,
  tooLarge,
} from "./content.ts";
import { findUpload } from "../resources/dataset-uploads/dataset-uploads.ts";
import type { IntakeParts } from "./intake-parts.ts";
import type { Transfer, Transfers } from "./transfers.ts";
import { storeRefusal } from "./store-refusal.ts";

const TUS_VERSION = "1.0.0";
const EXTENSIONS = "creation,creation-defer-length,expiration";
const CONTENT_TYPE = "application/offset+octet-stream";

/** Until then the writer has probably ended. */
const RETRY_AFTER_SECONDS = 2;

/** Uploads looked up by one statement. */
const SWEPT_AT_ONCE = 500;

/** What a request of the protocol is about. */
interface Asked {
  services: IntakeParts;
  transfers: Transfers;
  database: OrganizationDatabase;
  request: FastifyRequest;
  reply: FastifyReply;
  caller: OrganizationCaller;
  id: string;
}

/** `OPTIONS`: what is supported. */
export function describeProtocol(services: IntakeParts, reply: FastifyReply): FastifyReply {
  return reply
    .code(204)
    .headers({
      "Tus-Version": TUS_VERSION,
      "Tus-Extension": EXTENSIONS,
      "Tus-Max-Size": String(services.config.ROWMILL_MAX_DATASET_BYTES),
    })
    .send();
}

/** `POST`: the content starts again, with a length or with one that comes later. */
export async function beginContent(asked: Asked): Promise<FastifyReply> {
  const { services, database, request, reply, caller, id } = asked;
  parseIdempotencyKey(request.headers["idempotency-key"]);
  const upload = await findAwaiting(asked);
  const length = countIn(request, "Upload-Length");
  const isDeferred = request.headers["upload-defer-length"] === "1";
  if ((length === undefined) !== isDeferred)
    throw badHeader("Upload-Length", "Send Upload-Length, or Upload-Defer-Length: 1.");
  if (length !== undefined) checkLength(services, upload, length);
  await services.freeSpace.check(length);
  await transferring(asked, async () => {
    await services.store.partials.delete(nameOf(id));
    await database.db
      .updateTable("datasetUploads")
      .set({
        source: isDeferred
          ? sql`source - 'uploadLength'`
          : sql`source || jsonb_build_object('uploadLength', ${length}::bigint)`,
      })
      .where(isRow(caller, id))
      .execute();
    if (length === 0) await finishContent(asked, upload);
  });
  describePartial(reply, upload, { offset: 0, length });
  const location = `/v1/dataset-uploads/${nameOf(id)}/content/resumable`;
  return reply.code(201).header("Location", location).send();
}

/** `GET` and `HEAD`: how far it has come. */
export async function readOffset(asked: Asked): Promise<FastifyReply> {
  const { services, database, request, reply, caller, id } = asked;
  reply.header("Tus-Resumable", TUS_VERSION);
  const version = request.headers["tus-resumable"];
  const upload = await findUpload(database.db, caller, id);
  if (version !== undefined) checkVersion(request);
  let [offset, length] = [upload.bytesReceived, lengthOf(upload)];
  if (upload.state === "awaiting_content") {
    checkAwaits(upload);
    offset = await services.store.partials.sizeOf(nameOf(id));
    if (offset === length) await transferring(asked, () => finishLeftContent(asked));
  } else if (upload.state === "expired" || upload.state === "canceled") {
    throw invalidState(`The upload does not await content: it is \`${upload.state}\`.`);
  } else {
    length = offset;
  }
  describePartial(reply, upload, { offset, length });
  reply.header("Cache-Control", "no-store").type("application/json; charset=utf-8");
  return reply.send(JSON.stringify({ offsetBytes: offset, sizeBytes: length ?? null }));
}

/** `PATCH`: more of it. */
export async function appendContent(asked: Asked): Promise<FastifyReply> {
  const { services, request, reply, id } = asked;
  const upload = await findAwaiting(asked);
  if (request.headers["content-type"]?.trim().toLowerCase() !== CONTENT_TYPE)
    throw new ApiError("unsupported_media_type", `Send the content as ${CONTENT_TYPE}.`);
  if (request.headers["content-encoding"] !== undefined)
    throw new ApiError("unsupported_media_type", "Send the bytes as they are, without Content-Encoding.");
  await services.freeSpace.check();
  const offset = countIn(request, "Upload-Offset");
  if (offset === undefined) throw badHeader("Upload-Offset", "Say in Upload-Offset where the bytes belong.");
  const announced = countIn(request, "Upload-Length");
  if (announced !== undefined) checkLength(services, upload, announced);
  const { end, length } = await transferring(asked, async (transfer) => {
    // The previous holder of the lock may have set a length, or completed the upload.
    const upload = await findAwaiting(asked);
    const length = lengthOf(upload) ?? announced;
    const end = await services.store.partials.sizeOf(nameOf(id));
    if (offset !== end)
      throw new ApiError("upload_offset_mismatch", `The content goes on at byte ${end}.`, {
        param: "Upload-Offset",
        headers: { "Upload-Offset": String(end) },
      });
    if (announced !== undefined) await keepLength(asked, upload, announced);
    const limitBytes = length ?? mostBytesOf(services, upload);
    if (Number(request.headers["content-length"] ?? 0) > limitBytes - offset) throw tooLong(services, length);
    endTransferAt(request, upload.expiresAt);
    const newEnd = await storePart(asked, transfer, upload, offset, limitBytes, length);
    if (newEnd === length) await finishContent(asked, upload);
    return { end: newEnd, length };
  });
  describePartial(reply, upload, { offset: end, length });
  return reply.code(204).send();
}

/** What sessions that have ended had received: canceled, expired, completed by a PUT. */
export async function sweepPartials(services: IntakeParts): Promise<void> {
  const { partials } = services.store;
  const names = await partials.list();
  for (let at = 0; at < names.length; at += SWEPT_AT_ONCE) {
    const some = names.slice(at, at + SWEPT_AT_ONCE).map((name) => ({ name, id: parseId("datasetUpload", name) }));
    const awaiting = await services.database.db
      .selectFrom("datasetUploads")
      .select("id")
      .where("state", "=", "awaiting_content")
      .where(
        "id",
        "in",
        some.map(({ id }) => id ?? newUuid()),
      )
      .execute();
    const kept = new Set(awaiting.map(({ id }) => id));
    for (const { name, id } of some) if (id === undefined || !kept.has(id)) await partials.delete(name);
  }
}

const nameOf = (id: string): string => formatId("datasetUpload", id);

const mostBytesOf = ({ config }: IntakeParts, { reservedBytes }: UploadRow): number =>
  Math.min(config.ROWMILL_MAX_DATASET_BYTES, reservedBytes);

const targetOf = ({ services, caller, id }: Asked, upload: UploadRow): PartialTarget => ({
  folder: `${CONTENT_PREFIX}${formatId("organization", caller.organizationId)}/${nameOf(id)}/`,
  maxBytes: lengthOf(upload) ?? mostBytesOf(services, upload),
});

async function findAwaiting(asked: Asked): Promise<UploadRow> {
  asked.reply.header("Tus-Resumable", TUS_VERSION);
  const upload = await findUpload(asked.database.db, asked.caller, asked.id);
  checkAwaits(upload);
  checkVersion(asked.request);
  return upload;
}

function checkVersion(request: FastifyRequest): void {
  if (request.headers["tus-resumable"] === TUS_VERSION) return;
  throw new ApiError("precondition_failed", `Send Tus-Resumable: ${TUS_VERSION}.`, {
    param: "Tus-Resumable",
    headers: { "Tus-Version": TUS_VERSION },
  });
}

/** As POST or a PATCH said, or as announced when the session was made. */
const lengthOf = ({ source }: UploadRow): number | undefined => source.uploadLength ?? source.sizeBytes;

function checkLength(services: IntakeParts, { source, reservedBytes }: UploadRow, length: number): void {
  if (length > services.config.ROWMILL_MAX_DATASET_BYTES) throw tooLarge(services.config.ROWMILL_MAX_DATASET_BYTES);
  if (source.sizeBytes !== undefined && source.sizeBytes !== length)
    throw badHeader("Upload-Length", `The session was made for ${source.sizeBytes} bytes.`);
  if (length > reservedBytes) throw notReserved(reservedBytes, source.sizeBytes);
}

async function keepLength({ database, caller, id }: Asked, upload: UploadRow, length: number): Promise<void> {
  const known = lengthOf(upload);
  if (known === length) return;
  if (known !== undefined) throw badHeader("Upload-Length", `The length is ${known} already.`);
  await database.db
    .updateTable("datasetUploads")
    .set({ source: sql`source || jsonb_build_object('uploadLength', ${length}::bigint)` })
    .where(isRow(caller, id))
    .execute();
}

function countIn(request: FastifyRequest, name: "Upload-Length" | "Upload-Offset"): number | undefined {
  const text = request.headers[name.toLowerCase()];
  if (text === undefined) return undefined;
  const count = typeof text === "string" && /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(count))
    throw badHeader(name, `\`${name}\` must be a number of bytes from 0 to ${MAX_INTEGER}.`);
  return count;
}

const badHeader = (param: string, message: string): ApiError => new ApiError("invalid_request", message, { param });

const tooLong = (services: IntakeParts, length: number | undefined): ApiError =>
  length === undefined
    ? tooLarge(services.config.ROWMILL_MAX_DATASET_BYTES)
    : new ApiError("payload_too_large", `More bytes are sent than the ${length} of the upload.`);

/** Runs while nobody else writes to the partial. */
async function transferring<T>(asked: Asked, work: (transfer: Transfer) => Promise<T>): Promise<T> {
  const transfer = await asked.transfers.begin(asked.id);
  if (transfer === undefined)
    throw new ApiError("upload_in_progress", "Another request is sending this content.", {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  try {
    return await work(transfer);
  } finally {
    await transfer.end();
  }
}

async function storePart(
  asked: Asked,
  transfer: Transfer,
  upload: UploadRow,
  offset: number,
  limitBytes: number,
  length: number | undefined,
): Promise<number> {
  const { services, request, id } = asked;
  async function* received(): AsyncGenerator<Buffer> {
    let end = offset;
    // Not destroyed when this ends early: the refusal is still to be sent.
    for await (const part of request.raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (transfer.lost.aborted) throw new Error("the connection that holds the lock is lost");
      transfer.noteBytes();
      end += part.length;
      if (end > limitBytes) throw tooLong(services, length);
      await services.freeSpace.check();
      yield part;
    }
  }
  transfer.receive(request.raw);
  try {
    return await services.store.partials.append(nameOf(id), offset, received(), targetOf(asked, upload));
  } catch (error) {
    throw storeRefusal(error, request, { log: services.log, retryAfterSeconds: RETRY_AFTER_SECONDS });
  } finally {
    transfer.receive(undefined);
  }
}

/** As its process left it that died, unless somebody else was faster. */
async function finishLeftContent(asked: Asked): Promise<void> {
  const upload = await findUpload(asked.database.db, asked.caller, asked.id);
  const size = await asked.services.store.partials.sizeOf(nameOf(asked.id));
  if (upload.state === "awaiting_content" && size === lengthOf(upload)) await finishContent(asked, upload);
}

/** The partial is complete: what a PUT does at its end. */
async function finishContent(asked: Asked, upload: UploadRow): Promise<void> {
  const { services, database, caller, id } = asked;
  const { partials } = services.store;
  // Reading it all takes longer than a connection may be silent, if it is large.
  const { socket } = asked.request.raw;
  const { timeout = 0 } = socket;
  socket.setTimeout(0);
  const { key: storageKey, ...received } = await partials
    .complete(nameOf(id), targetOf(asked, upload))
    .finally(() => socket.setTimeout(timeout));
  let taken: UploadRow;
  try {
    taken = await database.transaction((tx) => takeContent(tx, caller, id, storageKey, received, services));
  } catch (error) {
    await deleteRefused(services, storageKey, error);
    throw error;
  }
  if (taken.state === "failed") await deleteContent(services, storageKey);
  await partials.delete(nameOf(id));
}

function describePartial(
  reply: FastifyReply,
  upload: UploadRow,
  { offset, length }: { offset: number; length: number | undefined },
): void {
  reply.headers({
    "Upload-Offset": String(offset),
    ...(length === undefined ? { "Upload-Defer-Length": "1" } : { "Upload-Length": String(length) }),
    ...(upload.expiresAt === null ? {} : { "Upload-Expires": upload.expiresAt.toUTCString() }),
  });
}
