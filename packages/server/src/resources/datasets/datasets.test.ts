import type { ColumnStatistics } from "@rowmill/contract/column-statistics";
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

test("the values of columns are counted, of all rows or of some that lie evenly over the dataset", async () => {
  const path = (id: string): string => `/v1/datasets/${id}/column-statistics`;
  const rows = Array.from({ length: 10 }, (_unused, n) => ({
    n,
    city: n < 7 ? "Köln" : "Bonn",
    ...(n > 4 && { late: n }),
  }));
  const whole = await api<ColumnStatistics>("GET", path((await newDataset(api, rows)).id));
  expect(whole.body).toMatchObject({ examinedRows: 10, isComplete: true });
  const [n, city, late] = whole.body.columns;
  expect(n?.histogram?.map(({ count }) => count)).toEqual(Array(10).fill(1));
  expect(city).toMatchObject({
    distinctValues: 2,
    frequentValues: [
      { value: "Köln", count: 7 },
      { value: "Bonn", count: 3 },
    ],
  });
  expect(late?.nullCount).toBe(5);

  const large = await newDataset(
    api,
    Array.from({ length: 300 }, (_unused, n) => ({ n })),
  );
  const some = await api<ColumnStatistics>("GET", path(large.id));
  // Forty chunks of three rows.
  expect(some.body).toMatchObject({ examinedRows: 120, isComplete: false });
  expect(some.body.columns[0]?.histogram?.every(({ count }) => count > 0)).toBe(true);
  expect((await api<ColumnStatistics>("GET", `${path(large.id)}?fromColumn=1`)).body.columns).toEqual([]);
});
