import { expect, test } from "vitest";
import { parseId } from "../../../platform/ids.ts";
import { cleanUpLater } from "../../../testing/cleanup.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../../testing/factories.ts";
import { startTestService } from "../../../testing/service.ts";
import { openTestPool } from "../../../testing/test-database.ts";
import { readNextChunks } from "./segments.ts";

test("bodies are read as far as the reader of a page comes, and no further", async () => {
  const service = await startTestService({ ROWMILL_CHUNK_ROWS: "5" });
  const { api } = await service.newOrganization();
  const dataset = await newDataset(api, numberedRows(20), "Numbers");
  // Rows 3, 7, 11 … fail: the first three chunks have four outputs each.
  const jobSpec = await newJobSpec(api, { type: "mock", failEvery: 4 });
  const { id } = await newRun(api, { datasetId: dataset.id, jobSpecId: jobSpec.id });
  await finishedRun(api, id);
  const pool = openTestPool(service.settings["ROWMILL_DATABASE_URL"], 2);
  cleanUpLater(() => pool.end());
  const chunksWithBodies = async (after: number, wanted: number): Promise<boolean[]> => {
    const chunks = await readNextChunks(pool, parseId("run", id) ?? "", after, 3, wanted);
    return chunks.map(({ segments }) => segments.some(({ body }) => body !== undefined));
  };
  expect(await chunksWithBodies(-1, 4)).toEqual([true, false, false]);
  expect(await chunksWithBodies(-1, 5)).toEqual([true, true, false]);
  // Of the first chunk, four rows have been passed, and one output at most is left.
  expect(await chunksWithBodies(3, 1)).toEqual([true, true, false]);
  expect(await chunksWithBodies(4, 4)).toEqual([true, false, false]);
  expect(await chunksWithBodies(-1, Number.POSITIVE_INFINITY)).toEqual([true, true, true]);
});
