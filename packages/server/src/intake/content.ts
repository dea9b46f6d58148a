/**
 * The content of an upload session: streamed into the object store in constant memory, then given to the intake in one
 * transaction. Every transfer is an object of its own, so of two at once the first to finish wins and nothing of the other
 * is left; a transfer that breaks leaves no object, and the session as it was.
 */
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { OrganizationCaller } from "../platform/auth/caller.ts";
import { sql } from "../platform/database/database.ts";
import type { OrganizationDatabase, Transaction } from "../platform/database/database.ts";
import { ApiError, invalidState } from "../platform/http/errors.ts";
import { formatId, newUuid } from "../platform/ids.ts";
import { recordAudit } from "../resources/audit-events/audit-events.ts";
import type { UploadRow } from "../resources/dataset-uploads/dataset-uploads.ts";
import { describeUpload, findUpload, updateUploadIf } from "../resources/dataset-uploads/dataset-uploads.ts";
import { enqueueIntake, insertDataset } from "./enqueue-intake.ts";
import type { IntakeParts } from "./intake-parts.ts";
import { failUpload } from "./complete-upload.ts";
import type { UploadError } from "../resources/dataset-uploads/dataset-uploads.ts";
import { storeRefusal } from "./store-refusal.ts";
import { sharedMs, sharedNow } from "../platform/shared-time.ts";

/** Where the contents of uploads are in the store: `dataset-uploads/<organization>/<upload>/<transfer>`. */
export const CONTENT_PREFIX = "dataset-uploads/";

/** Keys of all contents that are still to be read, of every organization: for a backup. */
export const READ_CONTENT_KEYS =
  "select storage_key as key from dataset_uploads where storage_key is not null order by storage_key";

/** What is taken for the file being packed; the readers find that out from its first bytes. */
const PACKED_ENCODINGS = new Set(["identity", "gzip", "x-gzip", "zstd"]);

/** The longest time a timer of Node takes. */
const MAX_TIMER_MS = 2 ** 31 - 1;

interface Received {
  sizeBytes: number;
  sha256: string;
}

export async function receiveContent(
  database: OrganizationDatabase,
  request: FastifyRequest,
  reply: FastifyReply,
  caller: OrganizationCaller,
  id: string,
  services: IntakeParts,
): Promise<FastifyReply> {
  const upload = await findUpload(database.db, caller, id);
  checkAwaits(upload);
  checkHeaders(request, services.config.ROWMILL_MAX_DATASET_BYTES);
  await services.freeSpace.check(Number(request.headers["content-length"] ?? 0));
  endTransferAt(request, upload.expiresAt);
  const owner = `${formatId("organization", caller.organizationId)}/${formatId("datasetUpload", id)}`;
  const storageKey = `${CONTENT_PREFIX}${owner}/${newUuid()}`;
  let taken: UploadRow | undefined;
  try {
    taken = await storeAndTake(database, caller, request, upload, storageKey, services);
  } finally {
    if (taken?.state !== "processing") services.readAhead?.drop(storageKey);
  }
  return reply.type("application/json; charset=utf-8").send(JSON.stringify(describeUpload(services, taken)));
}

async function storeAndTake(
  database: OrganizationDatabase,
  caller: OrganizationCaller,
  request: FastifyRequest,
  upload: UploadRow,
  storageKey: string,
  services: IntakeParts,
): Promise<UploadRow> {
  const received = await storeBody(services, request, upload, storageKey);
  let taken: UploadRow;
  try {
    taken = await database.transaction((tx) => takeContent(tx, caller, upload.id, storageKey, received, services));
  } catch (error) {
    await deleteRefused(services, storageKey, error);
    throw error;
  }
  if (taken.state === "failed") await deleteContent(services, storageKey);
  return taken;
}

/**
 * Only a refusal proves that the transaction was rolled back. After any other error the upload may have the content already,
 * though the response to the commit was lost; if not, it is swept later.
 */
export async function deleteRefused(services: IntakeParts, storageKey: string, error: unknown): Promise<void> {
  if (error instanceof ApiError) await deleteContent(services, storageKey);
}

/** Also fine if there is none. What cannot be deleted now is swept later. */
export async function deleteContent(services: Pick<IntakeParts, "store" | "log">, storageKey: string): Promise<void> {
  try {
    await services.store.delete(storageKey);
  } catch (error) {
    services.log.warn({ err: error, storageKey }, "the content of an upload could not be deleted; it is swept later");
  }
}

export function checkAwaits(upload: UploadRow): void {
  if (upload.state !== "awaiting_content")
    throw invalidState(`The upload does not await content: it is \`${upload.state}\`.`);
  if (upload.expiresAt !== null && upload.expiresAt <= sharedNow())
    throw invalidState("The upload session has expired: create another.");
}

/** Clients that wrap the file in a form. What follows it is not the file, and `curl -d` takes the line ends out of it. */
const FORMS: Record<string, string> = {
  "multipart/form-data": "The body is a form (`curl -F`), and not the file alone.",
  "application/x-www-form-urlencoded":
    "The body is declared as a form, as by `curl -d`, which takes the line ends out of a file.",
};

function checkHeaders(request: FastifyRequest, maxBytes: number): void {
  const [type = ""] = (request.headers["content-type"] ?? "").split(";", 1);
  const form = FORMS[type.trim().toLowerCase()];
  if (form !== undefined)
    throw new ApiError(
      "unsupported_media_type",
      `${form} Send its bytes as the whole body: \`curl -T rows.csv …\`, or \`curl -X PUT --data-binary @rows.csv -H "Content-Type: application/octet-stream" …\`.`,
      { param: "Content-Type" },
    );
  const encoding = request.headers["content-encoding"]?.trim().toLowerCase();
  if (encoding !== undefined && !PACKED_ENCODINGS.has(encoding))
    throw new ApiError("unsupported_media_type", "Send the content as it is, or packed with gzip or zstd.");
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

export const tooLarge = (maxBytes: number): ApiError =>
  new ApiError("payload_too_large", `A dataset may have at most ${maxBytes} bytes.`);

/** `announcedBytes`: as the session was made for. Without it, the session has reserved what was left of the organization's limit. */
export const notReserved = (reservedBytes: number, announcedBytes: number | undefined): ApiError =>
  new ApiError(
    "limit_reached",
    announcedBytes === undefined
      ? `The organization could store ${reservedBytes} bytes more when this upload was created, and the content has more: delete what is not needed, or ask the operator for a higher \`storageBytes\`, and create another upload.`
      : `The session has reserved ${reservedBytes} bytes of what the organization may store. Create one with the right \`source.sizeBytes\`.`,
  );

/** A client that sends a byte a minute would otherwise keep the connection for ever. */
export function endTransferAt(request: FastifyRequest, expiresAt: Date | null): void {
  if (expiresAt === null) throw new Error("an upload awaits content without end");
  const timer = setTimeout(() => request.raw.destroy(), Math.min(expiresAt.getTime() - sharedMs(), MAX_TIMER_MS));
  for (const ended of ["end", "close"]) request.raw.once(ended, () => clearTimeout(timer));
}

async function storeBody(
  services: IntakeParts,
  request: FastifyRequest,
  upload: UploadRow,
  storageKey: string,
): Promise<Received> {
  try {
    const body = limited(services, request.raw, upload);
    const received = await services.store.put(storageKey, Readable.from(body, { objectMode: false }), {
      maxBytes: mostBytesOf(services, upload),
      onFile: (path) => services.readAhead?.begin(upload, storageKey, path),
    });
    const path = services.store.localPath?.(storageKey);
    if (path !== undefined) services.readAhead?.end(storageKey, { path, sizeBytes: received.sizeBytes });
    return received;
  } catch (error) {
    throw storeRefusal(error, request, { log: services.log, retryAfterSeconds: 10 });
  }
}

/**
 * A session without an announced size takes what it has reserved. One that announced it may get a little more, so that a wrong
 * announcement ends as the upload's failure, and not with its connection.
 */
const MORE_THAN_ANNOUNCED_BYTES = 1 << 20;

function mostBytesOf({ config }: IntakeParts, { reservedBytes, source }: UploadRow): number {
  const takenBytes = reservedBytes + (source.sizeBytes === undefined ? 0 : MORE_THAN_ANNOUNCED_BYTES);
  return Math.min(takenBytes, config.ROWMILL_MAX_DATASET_BYTES);
}

async function* limited(services: IntakeParts, body: IncomingMessage, upload: UploadRow): AsyncGenerator<Buffer> {
  const maxBytes = services.config.ROWMILL_MAX_DATASET_BYTES;
  const takenBytes = mostBytesOf(services, upload);
  let sizeBytes = 0;
  // Not destroyed when this ends early: the refusal is still to be sent.
  for await (const part of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    sizeBytes += part.length;
    if (sizeBytes > maxBytes) throw tooLarge(maxBytes);
    if (sizeBytes > takenBytes) throw notReserved(upload.reservedBytes, upload.source.sizeBytes);
    await services.freeSpace.check();
    yield part;
  }
}

export async function takeContent(
  tx: Transaction,
  caller: OrganizationCaller,
  id: string,
  storageKey: string,
  received: Received,
  services: IntakeParts,
): Promise<UploadRow> {
  const datasetId = newUuid();
  const awaits = sql`state = 'awaiting_content' and expires_at > ${sharedNow()}`;
  const taken = await updateUploadIf(tx, caller, id, awaits, {
    state: "processing",
    datasetId,
    storageKey,
    bytesReceived: received.sizeBytes,
  });
  if (!taken) {
    checkAwaits(await findUpload(tx, caller, id));
    throw new Error("an upload awaits content and does not take it");
  }
  await insertDataset(tx, taken, datasetId);
  await recordAudit(tx, caller, "dataset_upload.content_received", id, {
    sizeBytes: received.sizeBytes,
    sha256: received.sha256,
  });
  const mismatch = findMismatch(taken.source, received);
  if (mismatch !== undefined) {
    const upload = { organizationId: caller.organizationId, uploadId: id, datasetId };
    return failUpload(tx, upload, { errors: [mismatch] });
  }
  await enqueueIntake(tx, taken, services);
  return taken;
}

function findMismatch(announced: UploadRow["source"], received: Received): UploadError | undefined {
  const { sizeBytes = received.sizeBytes, sha256 = received.sha256 } = announced;
  const code = "checksum_mismatch";
  if (sizeBytes !== received.sizeBytes) {
    const message = `${sizeBytes} bytes were announced, and ${received.sizeBytes} arrived.`;
    return { line: null, code, message };
  }
  if (sha256 === received.sha256) return undefined;
  return { line: null, code, message: `The SHA-256 of what arrived is ${received.sha256}, not the announced one.` };
}
