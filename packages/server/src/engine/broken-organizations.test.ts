/**
 * What goes over all organizations is done for each by itself: one whose rows cannot be written keeps nobody else from it. At the same time,
 * since what is broken is left alone for a minute, and exports are looked at once a minute.
 */
import { beforeAll, expect, test } from "vitest";
import type { Run } from "@rowmill/contract/runs";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../testing/factories.ts";
import { parseId } from "../platform/ids.ts";
import { startTestService } from "../testing/service.ts";
import type { TestOrganization, TestService } from "../testing/service.ts";
import { waitFor } from "../testing/wait.ts";
import { inAnHour, passDeadline } from "../resources/runs/runs-testing.ts";

let service: TestService;
let broken: TestOrganization;
let sound: TestOrganization;
beforeAll(async () => {
  service = await startTestService();
  [broken, sound] = [await service.newOrganization(), await service.newOrganization()];
  await service.query(`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'this row is broken'; end $$`);
});

/** Rows of the broken organization cannot be changed so any more. */
const refuse = (table: string, when: string) =>
  service.query(`
    create trigger refuse before update on ${table} for each row
    when (old.organization_id = '${parseId("organization", broken.organizationId)}' and ${when}) execute function refuse()`);

async function startSlowRun({ api }: TestOrganization): Promise<Run> {
  const dataset = await newDataset(api, numberedRows(20));
  const spec = await newJobSpec(api, { type: "mock", delayMs: 60_000 });
  return newRun(api, { datasetId: dataset.id, jobSpecId: spec.id, deadlineAt: inAnHour() });
}

test.concurrent("a run that cannot be ended at its deadline does not keep those of others from it", async () => {
  await refuse("runs", "new.state = 'expired'");
  const [first, second] = [await startSlowRun(broken), await startSlowRun(sound)];
  // The one whose deadline passed first is ended first.
  for (const run of [first, second]) await passDeadline(service, run);
  expect(await finishedRun(sound.api, second.id)).toMatchObject({ state: "expired" });
  const { body } = await broken.api<Run>("GET", `/v1/runs/${first.id}`);
  expect(body.finishedAt).toBeNull();
  await service.query("drop trigger refuse on runs");
  expect(await finishedRun(broken.api, first.id)).toMatchObject({ state: "expired" });
});

test.concurrent("events that cannot be fanned out do not keep those of others from their receivers", async () => {
  await refuse("events", "new.is_fanned_out");
  await newDataset(broken.api, numberedRows(1));
  const { id } = await newDataset(sound.api, numberedRows(1));
  const waiting = async ({ organizationId }: TestOrganization): Promise<number> =>
    (
      await service.query("select from events where organization_id = $1 and not is_fanned_out", [
        parseId("organization", organizationId),
      ])
    ).length;
  await waitFor(async () => (await waiting(sound)) === 0, {
    what: `events of ${id} are fanned out`,
  });
  expect(await waiting(broken)).toBeGreaterThan(0);
  await service.query("drop trigger refuse on events");
  await waitFor(async () => (await waiting(broken)) === 0, { what: "they are tried again" });
});

test.concurrent("an export that cannot be expired does not keep those of others", async () => {
  const newExport = async ({ api }: TestOrganization): Promise<string> => {
    const dataset = await newDataset(api, numberedRows(1));
    const run = await newRun(api, { datasetId: dataset.id, jobSpecId: (await newJobSpec(api)).id });
    await finishedRun(api, run.id);
    const { body } = await api<{ id: string }>("POST", `/v1/runs/${run.id}/exports`, {
      body: { type: "outputs", format: "jsonl" },
    });
    await waitFor(async () => {
      const now = await api<{ status: string }>("GET", `/v1/exports/${body.id}`);
      return now.body.status === "ready";
    });
    return body.id;
  };
  const [first, second] = [await newExport(broken), await newExport(sound)];
  await refuse("exports", "new.status = 'expired'");
  await service.query("update exports set expires_at = now()");
  await waitFor(async () => (await sound.api("GET", `/v1/exports/${second}`)).text.includes('"expired"'), {
    what: "the other one expires",
  });
  expect((await broken.api("GET", `/v1/exports/${first}`)).text).not.toContain('"expired"');
});
