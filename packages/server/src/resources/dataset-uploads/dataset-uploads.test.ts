import { expect, test } from "vitest";
import type { DatasetUpload } from "@rowmill/contract/dataset-uploads";
import type { Dataset, DatasetRow } from "@rowmill/contract/datasets";
import { expectStatus } from "../../testing/api.ts";
import { newDataset, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";

const service = await startTestService({ ROWMILL_CHUNK_ROWS: "100" });
const { api } = await service.newOrganization();

test("inline rows are a dataset at once", async () => {
  const dataset = await newDataset(api, numberedRows(250));
  expect(dataset).toMatchObject({
    state: "ready",
    rowCount: 250,
    columns: [{ name: "n", type: "integer", min: 0, max: 249 }],
  });
  const rows = await api<{ data: DatasetRow[] }>("GET", `/v1/datasets/${dataset.id}/rows?limit=1000`);
  expect(rows.body.data.map((row) => row.data["n"])).toEqual(numberedRows(250).map(({ n }) => n));
});

test("content is taken in", async () => {
  const created = await api<DatasetUpload>("POST", "/v1/dataset-uploads", {
    body: { name: "CSV", source: { type: "upload", filename: "a.csv" } },
  });
  expectStatus(created, 201);
  const put = await api<DatasetUpload>("PUT", `/v1/dataset-uploads/${created.body.id}/content`, {
    body: "a,b\n1,x\n2,y\n",
  });
  expectStatus(put, 200);
  const done = await waitFor(async () => {
    const { body } = await api<DatasetUpload>("GET", `/v1/dataset-uploads/${created.body.id}`);
    return body.finishedAt === null ? undefined : body;
  });
  expect(done).toMatchObject({ state: "completed", format: "csv", rowsAccepted: 2 });
  const rows = await api<{ data: DatasetRow[] }>("GET", `/v1/datasets/${done.datasetId}/rows?limit=1000`);
  expect(rows.body.data.map((row) => row.data)).toEqual([
    { a: 1, b: "x" },
    { a: 2, b: "y" },
  ]);
  const dataset = await api<Dataset>("GET", `/v1/datasets/${done.datasetId}`);
  expect(dataset.body.rowCount).toBe(2);
});
