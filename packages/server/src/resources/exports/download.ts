/** The file of an export as it is stored: the whole, or one range of it. */
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Config } from "../../config.ts";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import { requireScopes } from "../../platform/http/require-scopes.ts";
import type { Queryable, OrganizationDatabase } from "../../platform/database/database.ts";
import { isRowOf } from "../../platform/database/row-key.ts";
import { ApiError, invalidState } from "../../platform/http/errors.ts";
import { formatId } from "../../platform/ids.ts";
import { ObjectNotFoundError } from "../../platform/storage/storage.ts";
import type { ObjectStore } from "../../platform/storage/storage.ts";
import { parseByteRange } from "./byte-range.ts";
import { findExport } from "./exports.ts";
import type { ExportRow } from "./exports.ts";
import { contentDispositionOf, fileNameOf } from "./file-name.ts";
import { compressionAround, formats } from "./formats/formats.ts";
import { sharedNow } from "../../platform/shared-time.ts";

/** To begin the download in; what has begun goes on. */
const REDIRECT_SECONDS = 60;

export interface DownloadParts {
  store: ObjectStore;
  config: Pick<Config, "ROWMILL_DOWNLOADS">;
}

export function createDownload({ store, config }: DownloadParts) {
  const presign = config.ROWMILL_DOWNLOADS === "redirect" ? store.presign : undefined;
  return async (
    { db }: OrganizationDatabase,
    request: FastifyRequest,
    reply: FastifyReply,
    caller: OrganizationCaller,
    params: { exportId: string },
  ): Promise<FastifyReply> => {
    const file = await findFile(db, caller.organizationId, params.exportId);
    // The file holds rows of the dataset: a key that may only read results gets them in no other way, either.
    if (file.row.includeInput) requireScopes(caller, ["exports:read", "results:read", "datasets:read"]);
    if (isKnownToClient(request, file.etag)) return reply.code(304).header("ETag", file.etag).send();
    // The URL is good for GET alone.
    if (presign !== undefined && request.method === "GET") {
      const url = await presign(file.key, {
        seconds: REDIRECT_SECONDS,
        contentType: contentTypeOf(file.row),
        contentDisposition: contentDispositionOf(file.name),
      });
      return reply.code(307).headers({ Location: url, "Cache-Control": "no-store" }).send();
    }
    const range = rangeOf(request, file);
    if (range === "unsatisfiable")
      throw new ApiError(
        "range_not_satisfiable",
        `The file has ${file.sizeBytes} bytes: the range begins behind them.`,
        {
          headers: { "Content-Range": `bytes */${file.sizeBytes}` },
        },
      );
    const part = range === "whole" ? undefined : range;
    // Fastify would read the stream of a HEAD to its end, and leaves alone the length that is set.
    const content = request.method === "HEAD" ? Readable.from([]) : await open(store, file.key, part);
    reply.headers({
      "Content-Type": contentTypeOf(file.row),
      "Content-Disposition": contentDispositionOf(file.name),
      "Content-Length": part === undefined ? file.sizeBytes : part.end - part.start + 1,
      "X-Content-Type-Options": "nosniff",
      // The bytes have a digest and ranges: a proxy must not compress them once more.
      "Cache-Control": "private, no-transform",
      ETag: file.etag,
      "Accept-Ranges": "bytes",
    });
    if (part !== undefined)
      reply.code(206).header("Content-Range", `bytes ${part.start}-${part.end}/${file.sizeBytes}`);
    return reply.send(content);
  };
}

interface DownloadableFile {
  row: ExportRow;
  name: string;
  key: string;
  sizeBytes: number;
  etag: string;
}

async function findFile(db: Queryable, organizationId: string, id: string): Promise<DownloadableFile> {
  const row = await findExport(db, { organizationId }, id);
  const isOver = row.status === "expired" || (row.expiresAt !== null && row.expiresAt <= sharedNow());
  const name = await findRunName(db, row);
  if (isOver || (row.status === "ready" && name === undefined)) throw expired();
  if (row.status !== "ready" || row.storageKey === null || row.sizeBytes === null || row.sha256 === null)
    throw invalidState(`The export is ${row.status}: only one that is ready has a file.`);
  const extension = `.${formats[row.format].extension}${compressionAround(row)?.extension ?? ""}`;
  const fileName = fileNameOf({ name: name ?? "", type: row.type, id: formatId("export", row.id), extension });
  return { row, name: fileName, key: row.storageKey, sizeBytes: row.sizeBytes, etag: `"${row.sha256}"` };
}

/** Who deletes a run deletes its results, wherever they are; the file itself goes a little later. */
/** That of its dataset where it has none; undefined where the run is deleted. The dataset may be gone already. */
async function findRunName(db: Queryable, row: ExportRow): Promise<string | undefined> {
  const run = await db
    .selectFrom("runs")
    .leftJoin("datasets", (join) =>
      join.onRef("datasets.organizationId", "=", "runs.organizationId").onRef("datasets.id", "=", "runs.datasetId"),
    )
    .select(["runs.name", "datasets.name as datasetName"])
    .where(isRowOf("runs", row, row.runId, "runs"))
    .where("runs.deletedAt", "is", null)
    .executeTakeFirst();
  return run === undefined ? undefined : (run.name ?? run.datasetName ?? "");
}

const expired = (): ApiError =>
  new ApiError("export_expired", "The file was deleted at the end of its life, or with its run.");

function isKnownToClient(request: FastifyRequest, etag: string): boolean {
  const known = request.headers["if-none-match"]?.split(",").map((part) => part.trim().replace(/^W\//, ""));
  return known !== undefined && (known.includes(etag) || known.includes("*"));
}

/** `If-Range` with anything but this file's tag asks for the whole: what the client has a part of is another file. */
function rangeOf(request: FastifyRequest, file: DownloadableFile): ReturnType<typeof parseByteRange> {
  const condition = request.headers["if-range"];
  if (request.method === "HEAD" || (condition !== undefined && condition !== file.etag)) return "whole";
  return parseByteRange(request.headers.range, file.sizeBytes);
}

async function open(
  store: ObjectStore,
  key: string,
  range: { start: number; end: number } | undefined,
): Promise<Readable> {
  try {
    return await store.get(key, range);
  } catch (error) {
    // It expired between the look at the table and this one.
    if (error instanceof ObjectNotFoundError) throw expired();
    throw error;
  }
}

const contentTypeOf = (row: ExportRow): string =>
  compressionAround(row)?.contentType ?? formats[row.format].contentType;
