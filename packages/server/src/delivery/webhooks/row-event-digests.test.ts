/** What endpoints get of the rows of large runs: the first thousand one by one, the rest in digests that add up. */
import { expect, test } from "vitest";
import type { RunRowDigestData, RunRowEventData, WebhookEvent } from "@rowmill/client/webhooks";
import { parseId } from "../../platform/ids.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestOrganization } from "../../testing/service.ts";
import { datasetOf, uploadFile } from "../../testing/uploads.ts";
import { waitFor } from "../../testing/wait.ts";
import { newEndpoint } from "../../testing/webhooks.ts";

const MAX_SINGLE = 1_000;
/** Each commit of a chunk of 500 rows makes one; slow chunks commit more often, once a second, whatever the machine has done until then. */
const digestsAtMost = (rows: number) => rows / 25;
/** Ten seconds alone. */
const LONG_MS = 600_000;

/** Nothing is sent: every delivery waits, and is looked at there. */
const service = await startTestService({ ROWMILL_WEBHOOK_RETRY_SCHEDULE: "3600" });

type RowEvent = WebhookEvent & { data: RunRowEventData | RunRowDigestData };

/** What the endpoint is to be sent of rows. */
async function deliveriesTo(endpointId: string) {
  const deliveries = await service.query<{ payload: string }>(
    "select e.payload from webhook_deliveries d join events e on e.organization_id = d.organization_id and e.id = d.event_id where d.webhook_endpoint_id = $1 and d.event_type like 'row.%'",
    [parseId("webhookEndpoint", endpointId)],
  );
  const events = deliveries.map(({ payload }) => JSON.parse(payload) as RowEvent);
  const rowsOf = (type: string) => {
    const data = events.filter((event) => event.type === type).map((event) => event.data);
    const singles = data.filter((row) => row.object === "run_row");
    const digests = data.filter((row) => row.object === "run_row_digest");
    expect(new Set(singles.map(({ index }) => index)).size).toBe(singles.length);
    return {
      singles: singles.length,
      digests: digests.length,
      digested: digests.reduce((sum, { count }) => sum + count, 0),
    };
  };
  return { failed: rowsOf("row.failed"), succeeded: rowsOf("row.succeeded") };
}

const countOf = async (table: string, { organizationId }: TestOrganization, where = "true"): Promise<number> =>
  (
    await service.query<{ n: number }>(
      `select count(*)::int as n from ${table} where organization_id = $1 and ${where}`,
      [parseId("organization", organizationId)],
    )
  )[0]?.n ?? 0;

const untilFannedOut = (tenant: TestOrganization) =>
  waitFor(async () => (await countOf("events", tenant, "not is_fanned_out")) === 0, {
    timeoutMs: LONG_MS,
    what: "every event has become deliveries",
  });

async function newEndpoints<Name extends string>(tenant: TestOrganization, subscriptions: Record<Name, string[]>) {
  const ids: Partial<Record<Name, string>> = {};
  for (const name of Object.keys(subscriptions) as Name[]) {
    const more = { eventTypes: subscriptions[name] };
    ids[name] = (await newEndpoint(tenant.api, `https://hooks.example.com/${name}`, more)).id;
  }
  return (name: Name) => deliveriesTo(ids[name] ?? "");
}

test(
  "a run of 50,000 failures is reported in a thousand single events and some hundred digests, to each endpoint that asks",
  { timeout: 2 * LONG_MS },
  async () => {
    const rows = 50_000;
    const tenant = await service.newOrganization();
    const receivedBy = await newEndpoints(tenant, { failures: ["row.failed"], all: ["row.*"] });
    const csv = `n\n${Array.from({ length: rows }, (_, n) => n).join("\n")}\n`;
    const dataset = await datasetOf(tenant.api, await uploadFile(tenant.api, csv, {}, { filename: "rows.csv" }));
    const jobSpec = await newJobSpec(tenant.api, { type: "mock", failEvery: 1 });
    const run = await newRun(tenant.api, { datasetId: dataset.id, jobSpecId: jobSpec.id });
    expect(await finishedRun(tenant.api, run.id, LONG_MS)).toMatchObject({ state: "failed", rows: { failed: rows } });
    await untilFannedOut(tenant);

    for (const { failed, succeeded } of [await receivedBy("failures"), await receivedBy("all")]) {
      expect(failed).toMatchObject({ singles: MAX_SINGLE, digested: rows - MAX_SINGLE });
      expect(failed.digests).toBeLessThanOrEqual(digestsAtMost(rows));
      expect(succeeded).toEqual({ singles: 0, digests: 0, digested: 0 });
    }
    const { singles, digests } = (await receivedBy("all")).failed;
    expect(await countOf("webhook_deliveries", tenant)).toBe(2 * (singles + digests));
    // Beside the row events there are those of the dataset and the run itself.
    expect(await countOf("events", tenant)).toBeLessThan(singles + digests + 10);
  },
);

test("an endpoint that listens to both types gets a thousand single events together, one that listens to one a thousand of it", async () => {
  const rows = 5_000;
  const tenant = await service.newOrganization();
  const receivedBy = await newEndpoints(tenant, {
    failed: ["row.failed"],
    succeeded: ["row.succeeded", "run.finished"],
    rows: ["row.*"],
    both: ["row.succeeded", "row.failed"],
    everything: ["*"],
  });
  const dataset = await newDataset(tenant.api, numberedRows(rows));
  // A third fails: when the first thousand of both are over, there are still failures that are reported one by one.
  const jobSpec = await newJobSpec(tenant.api, { type: "mock", failEvery: 3 });
  const run = await newRun(tenant.api, { datasetId: dataset.id, jobSpecId: jobSpec.id });
  const ended = await finishedRun(tenant.api, run.id);
  await untilFannedOut(tenant);

  expect((await receivedBy("failed")).failed).toMatchObject({
    singles: MAX_SINGLE,
    digested: ended.rows.failed - MAX_SINGLE,
  });
  expect((await receivedBy("succeeded")).succeeded).toMatchObject({
    singles: MAX_SINGLE,
    digested: ended.rows.succeeded - MAX_SINGLE,
  });
  for (const { failed, succeeded } of [
    await receivedBy("rows"),
    await receivedBy("both"),
    await receivedBy("everything"),
  ]) {
    expect(failed.singles + succeeded.singles).toBe(MAX_SINGLE);
    expect(failed.singles + failed.digested).toBe(ended.rows.failed);
    expect(succeeded.singles + succeeded.digested).toBe(ended.rows.succeeded);
    expect(failed.digests + succeeded.digests).toBeLessThanOrEqual(2 * digestsAtMost(rows));
  }
});
