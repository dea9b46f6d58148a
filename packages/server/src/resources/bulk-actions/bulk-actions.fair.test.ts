/** Long bulk actions beside short ones, and actions that wait. */
import { expect, test } from "vitest";
import { Rowmill } from "@rowmill/client";
import { pino } from "pino";
import { openDatabase } from "../../platform/database/database.ts";
import { openQueue } from "../../platform/queue/queue.ts";
import type { Repair } from "../../platform/queue/reconcile.ts";
import { newDataset, numberedRows } from "../../testing/factories.ts";
import { startServiceProcess } from "../../testing/service-process.ts";
import { startTestService } from "../../testing/service.ts";
import { reconcileBulkActions } from "./bulk-actions.tasks.ts";
import { BULK_QUEUE } from "./bulk-actions.ts";

/** Several jobs, one after the other. */
const MANY_TARGETS = 400;

test("organizations with long actions do not keep another one waiting, and what waits gets no second job", async () => {
  const service = await startTestService({ ROWMILL_ROLE: "api" });
  const newAction = async (): Promise<{ id: string; rowmill: Rowmill }> => {
    const own = await service.newOrganization();
    const dataset = await newDataset(own.api, numberedRows(1));
    const rowmill = new Rowmill({ apiKey: own.apiKey, baseUrl: service.url });
    const { id } = await rowmill.bulkActions.create({ resource: "datasets", action: "delete", ids: [dataset.id] });
    return { id, rowmill };
  };
  const long = [await newAction(), await newAction()];
  // Things that are gone meanwhile: each is skipped in a transaction of its own.
  await service.query(`
    insert into bulk_action_targets (organization_id, bulk_action_id, position, target_id)
    select organization_id, id, n, gen_random_uuid() from bulk_actions, generate_series(2, ${MANY_TARGETS}) n`);
  await service.query(`update bulk_actions set total = ${MANY_TARGETS}`);
  const short = await newAction();

  const jobs = async (): Promise<number> =>
    (await service.query(`select 1 from pgboss.job where name = '${BULK_QUEUE}' and state <> 'completed'`)).length;
  await service.query("update bulk_actions set updated_at = now() - interval '1 hour'");
  const database = openDatabase(service.settings["ROWMILL_DATABASE_URL"] ?? "", { max: 2, onError: () => undefined });
  const queue = await openQueue(
    service.settings["ROWMILL_DATABASE_URL"] ?? "",
    [BULK_QUEUE],
    pino({ level: "silent" }),
  );
  const repairs: Repair[] = [];
  const report = (repair: Repair): void => void repairs.push(repair);
  try {
    await reconcileBulkActions({ database, queue }, report);
    expect(await jobs()).toBe(3);
    expect(repairs).toEqual([]);
    await service.query(`delete from pgboss.job where name = '${BULK_QUEUE}' and data->>'bulkActionId' in
      (select id::text from bulk_actions order by created_at desc limit 1)`);
    await reconcileBulkActions({ database, queue }, report);
    expect(await jobs()).toBe(3);
    expect(repairs).toHaveLength(1);
  } finally {
    await queue.stop();
    await database.close();
  }

  const worker = await startServiceProcess({ ...service.settings, ROWMILL_ROLE: "worker" });
  const [ended] = await Promise.all(
    [short, ...long].map(({ id, rowmill }) => rowmill.bulkActions.waitFor(id, { timeoutMs: 240_000 })),
  );
  expect(ended).toMatchObject({ state: "completed", done: 1 });
  const order = await service.query<{ total: number }>("select total from bulk_actions order by finished_at");
  expect(order.map(({ total }) => total)).toEqual([1, MANY_TARGETS, MANY_TARGETS]);
  await worker.stop();
});

test("a short action does not wait for the end of a long one of its organization", async () => {
  const service = await startTestService({ ROWMILL_ROLE: "api" });
  const own = await service.newOrganization();
  const rowmill = new Rowmill({ apiKey: own.apiKey, baseUrl: service.url });
  const newAction = async () => {
    const { id } = await newDataset(own.api, numberedRows(1));
    return rowmill.bulkActions.create({ resource: "datasets", action: "delete", ids: [id] });
  };
  const long = await newAction();
  await service.query(`
    insert into bulk_action_targets (organization_id, bulk_action_id, position, target_id)
    select organization_id, id, n, gen_random_uuid() from bulk_actions, generate_series(2, ${MANY_TARGETS}) n`);
  await service.query(`update bulk_actions set total = ${MANY_TARGETS}`);
  const short = await newAction();
  const worker = await startServiceProcess({ ...service.settings, ROWMILL_ROLE: "worker" });
  const ended = await Promise.all(
    [short, long].map(({ id }) => rowmill.bulkActions.waitFor(id, { timeoutMs: 240_000 })),
  );
  expect(ended).toMatchObject([
    { state: "completed", done: 1 },
    { state: "completed", skipped: MANY_TARGETS - 1 },
  ]);
  const order = await service.query<{ total: number }>("select total from bulk_actions order by finished_at");
  expect(order.map(({ total }) => total)).toEqual([1, MANY_TARGETS]);
  await worker.stop();
});
