import { expect, test } from "vitest";
import { finishedRun, newDataset, newJobSpec, newRun } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import { uploadFile } from "../../testing/uploads.ts";

const service = await startTestService({ ROWMILL_CHUNK_ROWS: "3" });
const { api } = await service.newOrganization();

test("numbers with more digits than JavaScript holds keep them, in rows, outputs and streams", async () => {
  const line = '{"id":12345678901234567890123,"price":1.10,"huge":1e400}';
  const upload = await uploadFile(api, `${line}\n`, { format: "jsonl" });
  const path = `/v1/datasets/${upload.datasetId}/rows`;
  const list = await api<{ data: { id: string }[] }>("GET", path);
  expect(list.text).toContain(`"data":${line}`);
  expect((await api("GET", `${path}/${list.body.data[0]?.id}`)).text).toContain(`"data":${line}`);
  expect((await api("GET", path, { headers: { Accept: "application/x-ndjson" } })).text).toContain(line);
  const jobSpec = await newJobSpec(api, { type: "mock" });
  const run = await newRun(api, { datasetId: upload.datasetId ?? "", jobSpecId: jobSpec.id });
  await finishedRun(api, run.id);
  expect((await api("GET", `/v1/runs/${run.id}/outputs`)).text).toContain(`{"echo":${line}}`);
});

test("a page of large rows ends before its limit, and the next one goes on where it ended", async () => {
  const rows = Array.from({ length: 10 }, (_unused, n) => ({ n, text: "x".repeat(1_500_000) }));
  const dataset = await newDataset(api, rows);
  const seen: number[] = [];
  let pages = 0;
  let cursor: string | null = null;
  do {
    const page: { body: { data: { index: number }[]; nextCursor: string | null } } = await api(
      "GET",
      `/v1/datasets/${dataset.id}/rows?limit=8${cursor === null ? "" : `&cursor=${cursor}`}`,
    );
    seen.push(...page.body.data.map(({ index }) => index));
    ({ nextCursor: cursor } = page.body);
    pages++;
  } while (cursor !== null);
  expect(seen).toEqual(rows.map(({ n }) => n));
  expect(pages).toBe(2);
});
