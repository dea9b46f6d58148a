/** Uploads of files, as a customer makes them. */
import { existsSync } from "node:fs";
import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { DatasetUpload } from "@rowmill/contract/dataset-uploads";
import type { Dataset, DatasetRow } from "@rowmill/contract/datasets";
import { OWNER_KEY } from "../platform/storage/installation.ts";
import { expectStatus } from "./api.ts";
import type { Api } from "./api.ts";
import { waitFor } from "./wait.ts";

/** `more` are further members of the body; `source` those of the source. */
export async function newUploadSession(
  api: Api,
  more: Record<string, unknown> = {},
  source: Record<string, unknown> = {},
): Promise<DatasetUpload> {
  const created = await api<DatasetUpload>("POST", "/v1/dataset-uploads", {
    body: { name: "Test upload", source: { type: "upload", ...source }, ...more },
  });
  expectStatus(created, 201);
  return created.body;
}

export async function putContent(
  api: Api,
  upload: DatasetUpload,
  body: string | Buffer | Readable,
): Promise<DatasetUpload> {
  const put = await api<DatasetUpload>("PUT", `/v1/dataset-uploads/${upload.id}/content`, {
    body,
    headers: { "Content-Type": "application/octet-stream" },
  });
  expectStatus(put, 200);
  return put.body;
}

/** The upload when it has ended, in whatever state that is. */
export async function endedUpload(api: Api, uploadId: string, timeoutMs = 240_000): Promise<DatasetUpload> {
  return waitFor(
    async () => {
      const { body } = await api<DatasetUpload>("GET", `/v1/dataset-uploads/${uploadId}`);
      return body.finishedAt === null ? undefined : body;
    },
    { timeoutMs, what: `the upload ${uploadId} has ended` },
  );
}

/** Session, content, and the end of the intake. */
export async function uploadFile(
  api: Api,
  content: string | Buffer | Readable,
  more: Record<string, unknown> = {},
  source: Record<string, unknown> = {},
): Promise<DatasetUpload> {
  const upload = await newUploadSession(api, more, source);
  await putContent(api, upload, content);
  return endedUpload(api, upload.id);
}

export async function datasetOf(api: Api, upload: DatasetUpload): Promise<Dataset> {
  const response = await api<Dataset>("GET", `/v1/datasets/${upload.datasetId}`);
  expectStatus(response, 200);
  return response.body;
}

/** What the first rows of the dataset hold. */
export async function rowsOf(api: Api, upload: DatasetUpload): Promise<DatasetRow["data"][]> {
  const rows = await api<{ data: DatasetRow[] }>("GET", `/v1/datasets/${upload.datasetId}/rows?limit=1000`);
  expectStatus(rows, 200);
  return rows.body.data.map((row) => row.data);
}

/** What the service keeps in files: staged contents, transfers under way, and directories of intakes. */
export async function keptFiles(settings: Record<string, string>): Promise<string[]> {
  const dataDirectory = settings["ROWMILL_DATA_DIR"] ?? "";
  const found: string[] = [];
  // A process that only serves the API makes no `tmp`.
  for (const folder of ["files", "tmp"].map((name) => join(dataDirectory, name)).filter(existsSync)) {
    const entries = await entriesBelow(folder);
    // Whose store it is, is written once and stays.
    for (const entry of entries)
      if (entry.isFile() && entry.name !== OWNER_KEY) found.push(join(entry.parentPath, entry.name));
  }
  return found;
}

/** Again where a directory of the service goes while it is read. */
async function entriesBelow(folder: string): Promise<Dirent[]> {
  for (;;)
    try {
      return await readdir(folder, { recursive: true, withFileTypes: true });
    } catch (error) {
      if (!existsSync(folder) || (error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
}
