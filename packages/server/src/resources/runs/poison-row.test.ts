/** A row at which real workers die: the third death gives it away. */
import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { expect, test } from "vitest";
import type { Failure } from "@rowmill/contract/run-results";
import { createApi } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startServiceProcess } from "../../testing/service-process.ts";
import { createTestDatabase } from "../../testing/test-database.ts";
import { waitFor } from "../../testing/wait.ts";
import { readAll } from "./testing.ts";

test("a row that was in hand at three kills is given up, and its neighbours succeed", async () => {
  const database = await createTestDatabase();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const settings = {
    ROWMILL_DATABASE_URL: database.url,
    ROWMILL_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    ROWMILL_DATABASE_CONNECTIONS: "8",
  };
  let service = await startServiceProcess(settings);
  const { api: firstApi, apiKey } = await service.newOrganization();
  const dataset = await newDataset(firstApi, numberedRows(3));
  const spec = await newJobSpec(firstApi, { type: "mock", delayMs: 3_000 });
  const run = await newRun(firstApi, { datasetId: dataset.id, jobSpecId: spec.id });
  for (let deaths = 0; deaths < 3; deaths++) {
    // From the third claim on the rows go one by one, and the first of them is named.
    await waitFor(
      async () => {
        const { rows } = await client.query<{ deaths: number; suspect: number | null }>(
          "select deaths::int, suspect_row as suspect from run_chunks where state = 'running'",
        );
        return rows[0]?.deaths === deaths && (deaths < 2 || rows[0].suspect === 0);
      },
      { timeoutMs: 30_000, what: `the chunk is in hand after ${deaths} deaths` },
    );
    service.kill("SIGKILL");
    await service.exited;
    // As if ten seconds had passed: the job of the dead worker is taken again at once.
    await client.query("update pgboss.job set heartbeat_on = now() - interval '1 minute' where state = 'active'");
    service = await startServiceProcess({ ...settings, ...service.settings });
  }
  const api = createApi(service.url, apiKey, () => service.logs().join("\n"));
  expect(await finishedRun(api, run.id)).toMatchObject({
    state: "partially_succeeded",
    rows: { succeeded: 2, failed: 1 },
  });
  const failures = await readAll<Failure>(api, `/v1/runs/${run.id}/failures`);
  expect(failures).toEqual([expect.objectContaining({ index: 0, code: "poison_row", attempts: 3, retryable: false })]);
  expect(service.logs().some((line) => line.includes("a row is given up"))).toBe(true);
  await client.end();
  await service.stop();
  await database.drop();
}, 120_000);
