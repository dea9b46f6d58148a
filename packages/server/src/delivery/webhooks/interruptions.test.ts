import { expect, test } from "vitest";
import type { WebhookDelivery } from "@rowmill/contract/webhook-deliveries";
import { parseId } from "../../platform/ids.ts";
import { receiverSettings, startReceiver } from "../../testing/receiver.ts";
import { startServiceProcess } from "../../testing/service-process.ts";
import { startTestService } from "../../testing/service.ts";
import { deliveriesOf, deliveryWith, newEndpoint, recordTestEvent } from "../../testing/webhooks.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";

const receiver = await startReceiver();
const settings = receiverSettings(receiver);
// On a busy machine, more than one attempt of a thousand deliveries may find no connection in its five seconds.
const service = await startTestService({ ...settings, ROWMILL_WEBHOOK_RETRY_SCHEDULE: "0,2,2,2,2" });

test("events are delivered though every connection to the database is lost in between", async () => {
  const { api, ...own } = await service.newOrganization();
  const { id } = await newEndpoint(api, `${receiver.url}/lost-connections`);
  await deliveryWith(api, id, await recordTestEvent(service, own), "succeeded");
  for (let i = 0; i < 3; i += 1) {
    const ended = await service.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'rowmill' and pid <> pg_backend_pid()",
    );
    expect(ended.length).toBeGreaterThan(0);
    await deliveryWith(api, id, await recordTestEvent(service, own), "succeeded");
  }
  // It listens again, too: on one connection.
  const listening = () =>
    service.query(
      "select 1 from pg_stat_activity where datname = current_database() and application_name = 'rowmill' and query like 'listen %'",
    );
  await expect.poll(listening).toHaveLength(1);
});

test("a notification that nobody sent costs no event", async () => {
  const { api, organizationId } = await service.newOrganization();
  const { id } = await newEndpoint(api, `${receiver.url}/unnoticed`);
  const [{ id: eventId } = { id: "" }] = await service.query<{ id: string }>(
    `insert into events (organization_id, id, type, payload) values ($1, gen_random_uuid(), 'run.succeeded', '{"data":{"url":"/v1"}}') returning id`,
    [parseId("organization", organizationId)],
  );
  expect(eventId).not.toBe("");
  await expect.poll(() => deliveriesOf(api, id)).toMatchObject([{ status: "succeeded" }]);
});

test("an event that did not commit is never delivered, one that committed late is", async () => {
  const { api, organizationId } = await service.newOrganization();
  const { id } = await newEndpoint(api, `${receiver.url}/commits`);
  const insert = `insert into events (organization_id, id, type, payload) values ('${parseId("organization", organizationId)}', gen_random_uuid(), 'run.succeeded', '{"data":{"url":"https://rowmill.example.com/v1"},"late":`;
  await service.query(`begin; ${insert}false}'); rollback`);
  await service.query(`begin; ${insert}true}'); select pg_sleep(1.5); commit`);
  await expect.poll(() => deliveriesOf(api, id)).toMatchObject([{ status: "succeeded" }]);
  const bodies = receiver.requests.filter(({ path }) => path === "/hook/commits").map(({ body }) => body.toString());
  expect(bodies).toEqual(['{"data":{"url":"https://rowmill.example.com/v1"},"late":true}']);
});

test("row events of a run beyond a thousand come as digests that add up", async () => {
  const { api } = await service.newOrganization();
  const endpoint = await newEndpoint(api, `${receiver.url}/rows`, { eventTypes: ["row.failed", "run.finished"] });
  const rows = 4_000;
  const dataset = await newDataset(api, numberedRows(rows));
  const jobSpec = await newJobSpec(api, { type: "mock", failEvery: 1 });
  const run = await newRun(api, { datasetId: dataset.id, jobSpecId: jobSpec.id });
  expect((await finishedRun(api, run.id)).state).toBe("failed");
  const waiting = async () =>
    (await api("GET", `/v1/webhook-deliveries?webhookEndpointId=${endpoint.id}&status=pending&limit=1`)).body.data
      .length;
  const finished = () =>
    receiver.requests.some(({ path, body }) => path === "/hook/rows" && body.includes("run.finished"));
  // More than a thousand requests, each with a connection of its own.
  await expect.poll(async () => finished() && (await waiting()) === 0, { timeout: 240_000 }).toBe(true);
  const events = new Map<
    string,
    { type: string; data: { object: string; runId: string; count?: number; index?: number } }
  >();
  for (const { path, body, headers } of receiver.requests) {
    expect(body.length).toBeLessThanOrEqual(4096);
    if (path === "/hook/rows") events.set(headers["webhook-id"] ?? "", JSON.parse(body.toString()) as never); // an envelope of the service
  }
  const rowEvents = [...events.values()].filter(({ type }) => type === "row.failed").map(({ data }) => data);
  for (const { runId } of rowEvents) expect(runId).toBe(run.id);
  const digests = rowEvents.filter(({ count }) => count !== undefined);
  const single = rowEvents.filter(({ count }) => count === undefined);
  expect(single.length).toBeGreaterThan(0);
  expect(single.length).toBeLessThanOrEqual(1_000);
  expect(new Set(single.map(({ index }) => index)).size).toBe(single.length);
  expect(digests.length).toBeLessThanOrEqual(rows / 100);
  expect(single.length + digests.reduce((sum, { count = 0 }) => sum + count, 0)).toBe(rows);
});

test("what is older than thirty days is removed at the start of a worker, but for what waits and for the log of a run", async () => {
  const { api, ...own } = await service.newOrganization();
  const organizationId = parseId("organization", own.organizationId);
  const { id } = await newEndpoint(api, `${receiver.url}/old`, { eventTypes: ["export.ready"] });
  const old = "now() - interval '31 days'";
  await service.query(
    `with old_events as (
       insert into events (organization_id, id, type, payload, run_id, sequence, is_fanned_out, created_at)
       select $1, gen_random_uuid(), 'run.succeeded', kind, case when kind = 'log' then gen_random_uuid() end,
         case when kind = 'log' then 1 end, true, ${old}
       from unnest('{done,waiting,log}'::text[]) kind returning *)
     insert into webhook_deliveries (organization_id, id, webhook_endpoint_id, event_id, event_type, payload, status, next_attempt_at, created_at)
     select $1, gen_random_uuid(), $2, id, type, payload, case when payload = 'waiting' then 'pending' else 'succeeded' end,
       case when payload = 'waiting' then now() + interval '1 day' end, ${old}
     from old_events`,
    [organizationId, parseId("webhookEndpoint", id)],
  );
  const young = await recordTestEvent(service, own, "export.ready");
  await deliveryWith(api, id, young, "succeeded");
  const left = async (table: string) =>
    (
      await service.query<{ payload: string | null }>(
        `select payload from ${table} where organization_id = $1 and created_at < now() - interval '1 day' order by payload`,
        [organizationId],
      )
    ).map(({ payload }) => payload);
  expect(await left("webhook_deliveries")).toHaveLength(3);
  const second = await startTestService(service.settings);
  await expect.poll(() => left("webhook_deliveries")).toEqual(["waiting"]);
  await expect.poll(() => left("events")).toEqual(["log", "waiting"]);
  await second.stop();
  expect(await deliveriesOf(api, id, young)).toMatchObject([{ status: "succeeded" }]);
});

test("a worker that is asked to stop hands back what it cannot finish, so that another delivers at once", async () => {
  const { ROWMILL_DATABASE_URL = "", ROWMILL_ENCRYPTION_KEY = "", ROWMILL_ADMIN_KEY = "" } = service.settings;
  const { api, apiKey, ...own } = await service.newOrganization();
  const path = "/hook/handed-back";
  const { id } = await newEndpoint(api, `https://${receiver.host}${path}`);
  const countAt = () => receiver.requests.filter((request) => request.path === path).length;
  // All other processes stand still, so the delivery is claimed by this one.
  await service.stop();
  const shared = { ...settings, ROWMILL_DATABASE_URL, ROWMILL_ENCRYPTION_KEY, ROWMILL_ADMIN_KEY };
  receiver.respond("never");
  const stopping = await startServiceProcess(shared);
  const eventId = await recordTestEvent(service, own);
  await expect.poll(countAt).toBe(1);
  stopping.kill("SIGTERM");
  expect(await stopping.exited).toEqual({ code: 0, signal: null });
  const [row] = await service.query(
    "select status, claimed_until, attempts_made from webhook_deliveries where event_id = $1",
    [parseId("event", eventId)],
  );
  // Had it waited, the attempt would have timed out, and counted.
  expect(row).toEqual({ status: "pending", claimed_until: null, attempts_made: 0 });
  receiver.respond({ status: 200 });
  const next = await startServiceProcess(shared);
  const recorded = async () => {
    const query = `/v1/webhook-deliveries?webhookEndpointId=${id}`;
    return (await next.api<{ data: WebhookDelivery[] }>("GET", query, { key: apiKey })).body.data;
  };
  await expect.poll(recorded).toMatchObject([{ eventId, status: "succeeded" }]);
  expect(countAt()).toBe(2);
  await next.stop();
});
