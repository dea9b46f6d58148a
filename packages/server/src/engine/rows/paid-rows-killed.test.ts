/** A worker that is killed in the middle of paid calls: the responses that it had are kept, and few calls are made twice. */
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import type { Connection } from "@rowmill/contract/connections";
import type { Output } from "@rowmill/contract/run-results";
import { createApi, expectStatus } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startModelServer } from "../../testing/model-server.ts";
import { startServiceProcess } from "../../testing/service-process.ts";
import { createMigratedDatabase } from "../../testing/test-database.ts";
import { waitFor } from "../../testing/wait.ts";
import { getRun, readAll } from "../../resources/runs/runs-testing.ts";

const ROWS = 300;
const CONCURRENCY = 20;
/** Of a call. Rows that end within the moment before a kill, and were not recorded yet, are asked again, too. */
const CALL_MS = 500;
/** Ten times what it should be, for machines that have a lot to do. */
const MOMENT_MS = 1_000;
const KILLS = 2;
/** Some starts of a service, on a machine that has other things to do. */
const SLOW_TEST_MS = 600_000;

test(
  "hardly more than the calls under way are repeated after kill -9, and every row has one result",
  async () => {
    const model = await startModelServer(() => ({ delayMs: CALL_MS }));
    const database = await createMigratedDatabase();
    const client = new Client({ connectionString: database.url });
    await client.connect();
    let service = await startServiceProcess({
      ROWMILL_DATABASE_URL: database.url,
      ROWMILL_CONNECTION_ALLOWED_ORIGINS: model.origin,
      ROWMILL_CHUNK_ROWS: "40",
    });
    onTestFinished(async () => {
      await client.end();
      await service.stop();
      await database.drop();
    });
    /** By the state of their chunk: the most segments that one has. */
    const mostSegments = async (state: "running" | "done"): Promise<number> => {
      const { rows } = await client.query<{ most: number }>(
        `select coalesce(max(n), 0)::int as most from (
           select count(*) as n from run_segments s join run_chunks c using (run_id, chunk_no)
           where c.state = $1 group by chunk_no) segments`,
        [state],
      );
      return rows[0]?.most ?? 0;
    };
    const { apiKey, api: firstApi } = await service.newOrganization();
    let api = firstApi;
    const connection = await api<Connection>("POST", "/v1/connections", {
      body: { name: "Model", type: "openai_compatible", baseUrl: model.baseUrl, secret: "sk-test" },
    });
    expectStatus(connection, 201);
    const dataset = await newDataset(api, numberedRows(ROWS));
    const spec = await newJobSpec(
      api,
      {
        type: "llm",
        connection: connection.body.id,
        model: "small",
        messages: [{ role: "user", content: "row {{row.n}}" }],
      },
      { concurrency: CONCURRENCY },
    );
    const run = await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id });
    for (let kill = 1; kill <= KILLS; kill++) {
      const before = (await getRun(api, run.id)).rows.succeeded;
      await waitFor(async () => ((await getRun(api, run.id)).rows.succeeded >= before + 60 ? true : undefined), {
        what: "the run has got on",
        timeoutMs: 240_000,
      });
      await waitFor(async () => (await mostSegments("running")) > 1, { what: "a chunk has segments to be folded" });
      service.kill("SIGKILL");
      await service.exited;
      // As if ten seconds had passed: the job of the dead worker is taken again at once.
      await client.query("update pgboss.job set heartbeat_on = now() - interval '1 minute' where state = 'active'");
      service = await startServiceProcess(service.settings);
      api = createApi(service.url, apiKey, () => service.logs().join("\n"));
    }
    const ended = await finishedRun(api, run.id, 240_000);
    expect(ended).toMatchObject({ state: "succeeded", rows: { succeeded: ROWS } });
    const outputs = await readAll<Output>(api, `/v1/runs/${run.id}/outputs`);
    expect(outputs.map(({ index, data }) => [index, data])).toEqual(
      Array.from({ length: ROWS }, (_unused, n) => [n, { text: `row ${n}` }]),
    );
    // What was written before the kills and after them lies together.
    expect(await mostSegments("done")).toBe(1);
    const repeats = model.calls.length - ROWS;
    const endedUnrecorded = CONCURRENCY * (MOMENT_MS / CALL_MS);
    expect(repeats).toBeLessThanOrEqual(KILLS * (CONCURRENCY + endedUnrecorded));
  },
  SLOW_TEST_MS,
);
