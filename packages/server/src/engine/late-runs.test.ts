/** Runs past their deadline of which some cannot be ended: what these cost, and what becomes of the others. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseId } from "../platform/ids.ts";
import { rememberFailures } from "../platform/database/failures-by-organization.ts";
import { inAnHour } from "../resources/runs/runs-testing.ts";
import { newRun } from "../testing/factories.ts";
import { startTestService } from "../testing/service.ts";
import type { TestService } from "../testing/service.ts";
import { expireRuns } from "./runs.tasks.ts";
import { newTenant, openWorkerByHand } from "./worker-by-hand-testing.ts";
import type { WorkerByHand } from "./worker-by-hand-testing.ts";

/** More than a pass tries of one organization. */
const BROKEN = 12;
const SOUND = 2;

let service: TestService;
const workers: WorkerByHand[] = [];
beforeAll(async () => {
  service = await startTestService({ ROWMILL_ROLE: "api" });
  const url = service.settings["ROWMILL_DATABASE_URL"] ?? "";
  for (const isDistributed of [false, true]) workers.push(await openWorkerByHand(url, isDistributed));
  // What a sequence counts stays counted.
  await service.query("create sequence refusals");
  await service.query("grant usage on sequence refusals to public");
  await service.query(`
    create function refuse() returns trigger language plpgsql as $$
    begin perform nextval('refusals'); raise exception 'this run is broken'; end $$`);
  await service.query(`
    create trigger refuse before update on runs for each row
    when (old.name = 'broken' and new.state = 'expired') execute function refuse()`);
});
afterAll(() => Promise.all(workers.map((worker) => worker.close())));

test.each([
  ["on one server", 0],
  ["on a cluster", 1],
])(
  "late runs that cannot be ended cost some transactions, ever less often, and the others end: %s",
  async (_where, at) => {
    const worker = workers[at] as WorkerByHand; // both are opened
    const tenant = await newTenant(service, 5);
    const named = (name: string, count: number) => Array.from({ length: count }, () => name);
    const ids: (string | undefined)[] = [];
    for (const name of [...named("broken", BROKEN), ...named("sound", SOUND)]) {
      const body = { datasetId: tenant.dataset.id, jobSpecId: tenant.jobSpecId, name, deadlineAt: inAnHour() };
      ids.push(parseId("run", (await newRun(tenant.api, body)).id));
    }
    await service.query("update runs set deadline_at = now() - interval '1 minute' where id = any($1)", [ids]);

    let now = 0;
    const former = rememberFailures(() => now);
    let counted = 0;
    /** How many runs the pass has tried to end in vain. */
    const pass = async (): Promise<number> => {
      await expireRuns(worker, worker, former).catch(() => undefined);
      const [row] = await service.query<{ n: string }>("select nextval('refusals') as n");
      const before = counted;
      counted = Number(row?.n);
      return counted - before - 1;
    };
    const left = async (): Promise<number> =>
      (await service.query("select from runs where id = any($1) and finished_at is null", [ids])).length;
    await pass();
    expect(await left()).toBe(BROKEN + SOUND);
    expect(await pass()).toBe(BROKEN - 10);
    expect(await left()).toBe(BROKEN);
    // All of them pause.
    expect(await pass()).toBe(0);
    let tries = 0;
    for (now = 1_000; now < 601_000; now += 1_000) tries += await pass();
    // Each after 1, 2, 4, … 60 seconds: some 14 times in ten minutes, and not 600 times.
    expect(tries).toBeGreaterThan(BROKEN * 10);
    expect(tries).toBeLessThan(BROKEN * 18);
    await service.query("update runs set name = 'sound' where id = any($1)", [ids]);
    now += 61_000;
    await pass();
    expect(await left()).toBe(0);
  },
);
