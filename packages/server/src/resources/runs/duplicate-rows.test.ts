/** Exact duplicates of a run are answered once, whatever chunk they lie in. */
import { beforeAll, describe, expect, test } from "vitest";
import type { Failure, Output } from "@rowmill/contract/run-results";
import { expectStatus } from "../../testing/api.ts";
import type { Api } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import { readAll } from "./testing.ts";

const KINDS = 7;
const ROWS = 200;

describe.each(["5", "500"])("with %s rows a chunk", (chunkRows) => {
  let api: Api;
  let datasetId: string;
  beforeAll(async () => {
    const service = await startTestService({ ROWMILL_CHUNK_ROWS: chunkRows });
    ({ api } = await service.newOrganization());
    const rows = Array.from({ length: ROWS }, (_unused, i) => ({ kind: i % KINDS }));
    datasetId = (await newDataset(api, rows)).id;
  });

  test("each kind of row is processed once, and every row has its result", async () => {
    const spec = await newJobSpec(
      api,
      {
        type: "transform",
        code: "export default ({ kind }) => { if (kind === 3) throw new Error('three'); return { kind } }",
      },
      { dedupe: "exact" },
    );
    expect(spec.dedupe).toBe("exact");
    const run = await newRun(api, { datasetId, jobSpecId: spec.id });
    const ended = await finishedRun(api, run.id);
    const failing = Array.from({ length: ROWS }, (_unused, i) => i).filter((i) => i % KINDS === 3).length;
    expect(ended).toMatchObject({ rows: { total: ROWS, succeeded: ROWS - failing, failed: failing } });
    expect(ended.usage.attempts).toBe(KINDS);
    const outputs = await readAll<Output>(api, `/v1/runs/${run.id}/outputs`);
    for (const { index, data } of outputs) expect(data).toEqual({ kind: index % KINDS });
    const processed = outputs.filter(({ usage }) => usage?.cached !== true);
    expect(processed).toHaveLength(KINDS - 1);
    expect(new Set(processed.map(({ index }) => index % KINDS)).size).toBe(KINDS - 1);
    const failures = await readAll<Failure>(api, `/v1/runs/${run.id}/failures`);
    expect(failures).toHaveLength(failing);
    expect(new Set(failures.map(({ code, message }) => `${code} ${message}`)).size).toBe(1);
  });

  test("duplicates of a row that is tried again wait for its end", async () => {
    const spec = await newJobSpec(api, { type: "mock", delayMs: 300 }, { dedupe: "exact", concurrency: 4 });
    const run = await newRun(api, { datasetId, jobSpecId: spec.id });
    const ended = await finishedRun(api, run.id);
    expect(ended).toMatchObject({ state: "succeeded", usage: { attempts: KINDS } });
  });

  test("a paused run takes them up again where they were", async () => {
    const spec = await newJobSpec(api, { type: "mock", delayMs: 700 }, { dedupe: "exact", concurrency: 1 });
    const run = await newRun(api, { datasetId, jobSpecId: spec.id });
    expectStatus(await api("POST", `/v1/runs/${run.id}/pause`), 200);
    expectStatus(await api("POST", `/v1/runs/${run.id}/resume`), 200);
    expect(await finishedRun(api, run.id)).toMatchObject({ state: "succeeded", usage: { attempts: KINDS } });
  });
});
