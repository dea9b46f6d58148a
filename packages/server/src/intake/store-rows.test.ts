/** Rows that become void after they were stored, at the moments that matter. */
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { openDatabase, sql } from "../platform/database/database.ts";
import type { Database } from "../platform/database/database.ts";
import type { FreeSpace } from "../platform/storage/free-space.ts";
import { encodeChunk } from "../resources/datasets/chunk-store.ts";
import { parseId } from "../platform/ids.ts";
import { cleanUpLater } from "../testing/cleanup.ts";
import { startTestService } from "../testing/service.ts";
import { newUploadSession, putContent } from "../testing/uploads.ts";
import { waitFor } from "../testing/wait.ts";
import type { ReadSummary, RowGroup, RowGroups } from "./readers/read-dataset.ts";
import { storeRows } from "./store-rows.ts";
import { claimUpload } from "./upload-claim.ts";

/** As many as are stored at once. */
const CHUNKS = 64;
/** Nobody but the test works on its uploads. */
const service = await startTestService({ ROWMILL_ROLE: "api" });

function openTestDatabase(): Database {
  const database = openDatabase(service.settings["ROWMILL_DATABASE_URL"] ?? "", { max: 4, onError: () => {} });
  cleanUpLater(() => database.close());
  return database;
}

const groupOf = async (...rows: string[]): Promise<RowGroup> => ({
  body: await encodeChunk(Buffer.from(rows.join("\n"))),
  rowCount: rows.length,
  bytesRead: 1,
  isVoid: false,
});
const voidGroup: RowGroup = { body: Buffer.alloc(0), rowCount: 0, bytesRead: 1, isVoid: true };
const summary: ReadSummary = {
  format: "csv",
  rowsAccepted: 3,
  rowsRejected: 0,
  errors: [],
  columns: [],
  sizeBytes: 12,
  sha256: "",
};

const look = async (): Promise<unknown> =>
  (
    await service.query(`select u.rows_accepted::int as rows, u.stored_bytes > 0 as "uploadCounts",
      d.stored_bytes > 0 as "datasetCounts",
      (select count(*)::int from dataset_chunks c where c.dataset_id = d.id) as chunks
      from dataset_uploads u join datasets d on d.id = u.dataset_id`)
  )[0];

test("a void takes the progress back at once, then deletes what was stored, and numbers begin again", async () => {
  const { api, organizationId } = await service.newOrganization();
  const upload = await newUploadSession(api, { format: "csv" });
  await putContent(api, upload, "n\n1\n");
  const database = openTestDatabase();
  const [organization, id] = [parseId("organization", organizationId), parseId("datasetUpload", upload.id)];
  const claimed = await claimUpload(database, organization ?? "", id ?? "");
  if (claimed === undefined) throw new Error("there is an upload to take in");
  const isLocked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  let holding: Promise<unknown> | undefined;
  /** So that the deletion takes as long as the test wants. */
  const holdChunks = () =>
    database.transaction(async (tx) => {
      await sql`select 1 from dataset_chunks where dataset_id = ${claimed.claim.datasetId} for update`.execute(tx);
      isLocked.resolve();
      await release.promise;
    });
  async function* read(): RowGroups {
    for (let n = 0; n < CHUNKS; n++) yield await groupOf(String(n));
    const stored = { rows: CHUNKS, uploadCounts: true, datasetCounts: true, chunks: CHUNKS };
    await waitFor(async () => isDeepStrictEqual(await look(), stored), { what: "the rows are stored" });
    holding = holdChunks();
    await isLocked.promise;
    yield voidGroup;
    expect(await look()).toEqual({ rows: 0, uploadCounts: false, datasetCounts: false, chunks: 0 });
    yield await groupOf('"a"', '"b"');
    yield await groupOf('"c"');
    return summary;
  }
  const freeSpace: Pick<FreeSpace, "wait"> = { wait: async () => {} };
  const parts = { database, limits: {}, freeSpace: freeSpace as FreeSpace };
  const storing = storeRows(parts, claimed.claim, read(), new AbortController().signal);
  const seen = { rows: 0, uploadCounts: true, datasetCounts: true, chunks: CHUNKS };
  try {
    await Promise.race([
      storing,
      waitFor(async () => isDeepStrictEqual(await look(), seen), { what: "no rows are reported" }),
    ]);
    expect(await look()).toEqual(seen);
  } finally {
    release.resolve();
    await holding;
  }
  expect(await storing).toMatchObject({ rowCount: 3, chunkCount: 2 });
  expect(await look()).toEqual({ rows: 3, uploadCounts: true, datasetCounts: true, chunks: 2 });
  const chunks = await service.query(
    "select chunk_no, first_row::int, row_count, body from dataset_chunks order by chunk_no",
  );
  expect(chunks).toEqual([
    { chunk_no: 0, first_row: 0, row_count: 2, body: (await groupOf('"a"', '"b"')).body },
    { chunk_no: 1, first_row: 2, row_count: 1, body: (await groupOf('"c"')).body },
  ]);
});
