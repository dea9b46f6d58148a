/** A row at which real workers die, with innocent rows beside it, which die with it and are not blamed. */
import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { expect, test } from "vitest";
import type { Failure } from "@rowmill/contract/run-results";
import { parseId } from "../../platform/ids.ts";
import { createApi } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startServiceProcess } from "../../testing/service-process.ts";
import { createMigratedDatabase } from "../../testing/test-database.ts";
import { waitFor } from "../../testing/wait.ts";
import { readAll } from "../../resources/runs/runs-testing.ts";

const POISON = 1;
const LAST_DEATH = 4;

test("a row that kills the service each time is abandoned; innocent rows in its chunk and beside it succeed", async () => {
  const database = await createMigratedDatabase();
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
  // Long enough to be met, on a busy machine, too.
  const spec = await newJobSpec(firstApi, { type: "mock", delayMs: 8_000 });
  const slow = await newJobSpec(firstApi, { type: "mock", delayMs: 12_000 });
  const run = await newRun(firstApi, { datasetId: dataset.id, jobSpecId: spec.id });
  const innocent = await newRun(firstApi, { datasetId: dataset.id, jobSpecId: slow.id });

  interface Chunk {
    deaths: number;
    state: string;
    suspect: number | null;
    isTrial: boolean;
    othersInFlight: number;
  }
  const chunk = async (): Promise<Chunk | undefined> => {
    const { rows } = await client.query<Chunk>(
      `select deaths::int, state, suspect_row as suspect, is_trial as "isTrial",
         (select count(*)::int from run_chunks o where o.run_id <> c.run_id and o.suspect_row is not null) as "othersInFlight"
       from run_chunks c where run_id = $1`,
      [parseId("run", run.id)],
    );
    return rows[0];
  };
  const trials: (Chunk | undefined)[] = [];
  for (let deaths = 0; deaths <= LAST_DEATH; deaths++) {
    const killed = await waitFor(
      async () => {
        // As if a minute had passed.
        await client.query(
          "update run_chunks set not_before = null where not_before is not null and state = 'pending'",
        );
        const now = await chunk();
        // The first two times with the whole chunk claimed, then with the row that is named.
        return now?.deaths === deaths && now.state === "running" && (deaths < 2 || now.suspect === POISON)
          ? now
          : undefined;
      },
      { timeoutMs: 240_000, what: `the row is in flight after ${deaths} deaths` },
    );
    if (killed.isTrial) trials.push(killed);
    service.kill("SIGKILL");
    await service.exited;
    // As if ten seconds had passed: the job of the dead worker is taken again at once.
    await client.query("update pgboss.job set heartbeat_on = now() - interval '1 minute' where state = 'active'");
    // No other row is to be met: those that are left need not take long any more.
    if (deaths === LAST_DEATH) await client.query(`update job_spec_versions set processor = '{"type": "mock"}'`);
    service = await startServiceProcess({ ...settings, ...service.settings });
  }
  // Each was the only row in the process' hands.
  expect(trials).toMatchObject([{ othersInFlight: 0 }, { othersInFlight: 0 }]);
  await client.query("update run_chunks set not_before = null where state = 'pending'");
  const api = createApi(service.url, apiKey, () => service.logs().join("\n"));
  expect(await finishedRun(api, run.id, 180_000)).toMatchObject({
    state: "partially_succeeded",
    rows: { succeeded: 2, failed: 1 },
  });
  const failures = await readAll<Failure>(api, `/v1/runs/${run.id}/failures`);
  expect(failures).toEqual([
    expect.objectContaining({ index: POISON, code: "poison_row", attempts: 3, retryable: false }),
  ]);
  // By a pipe, which a response may overtake.
  await waitFor(() => service.logs().some((line) => line.includes("a row fails as a poison row")));
  expect(await finishedRun(api, innocent.id, 180_000)).toMatchObject({ state: "succeeded", rows: { succeeded: 3 } });
  await client.end();
  await service.stop();
  await database.drop();
}, 600_000);
