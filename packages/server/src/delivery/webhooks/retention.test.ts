import { expect, test } from "vitest";
import { parseId } from "../../platform/ids.ts";
import { receiverSettings, startReceiver } from "../../testing/receiver.ts";
import { startTestService } from "../../testing/service.ts";
import { deliveriesOf, deliveryWith, newEndpoint, recordTestEvents } from "../../testing/webhooks.ts";
import { waitFor } from "../../testing/wait.ts";
import { alertsOf, endedAlerts, newRule } from "../alerts/alerts-testing.ts";

test("ended deliveries and alerts are kept for as many days as the settings say, and those that wait for as long as they do", async () => {
  const receiver = await startReceiver();
  receiver.respond(({ path }) => ({ status: path === "/hook/down" ? 503 : 200 }));
  const service = await startTestService({
    ...receiverSettings(receiver),
    ROWMILL_WEBHOOK_RETENTION_DAYS: "5",
    ROWMILL_ALERT_RETENTION_DAYS: "2",
    ROWMILL_WEBHOOK_RETRY_SCHEDULE: "0,3600",
  });
  const { api, ...own } = await service.newOrganization();
  const endpoint = await newEndpoint(api, receiver.url);
  const failing = await newEndpoint(api, `${receiver.url}/down`);
  const rule = await newRule(api, { type: "webhook", url: receiver.url });
  const [old = "", young = ""] = await recordTestEvents(service, own, 2);
  for (const eventId of [old, young]) {
    await deliveryWith(api, endpoint.id, eventId, "succeeded");
    await waitFor(async () => (await deliveriesOf(api, failing.id, eventId))[0]?.attempts.length === 1);
  }
  await endedAlerts(api, rule.id, 2);
  for (const [eventId, days] of [
    [old, 5.1],
    [young, 4.9],
  ] as const)
    for (const table of ["webhook_deliveries", "events"])
      await service.query(
        `update ${table} set created_at = now() - make_interval(secs => $2) where ${table === "events" ? "id" : "event_id"} = $1`,
        [parseId("event", eventId), days * 86_400],
      );
  await service.query(
    `update alert_deliveries set created_at = now() - make_interval(secs => case event_id when $1 then 2.1 else 1.9 end * 86400)`,
    [parseId("event", old)],
  );

  // Old ones are looked for at the start of a worker, and every hour.
  await startTestService(service.settings);
  await waitFor(async () => {
    expect((await deliveriesOf(api, endpoint.id)).map(({ eventId }) => eventId)).toEqual([young]);
    expect((await alertsOf(api, rule.id)).map(({ eventId }) => eventId)).toEqual([young]);
    return true;
  });
  for (const eventId of [old, young])
    expect(await deliveriesOf(api, failing.id, eventId)).toMatchObject([{ status: "pending" }]);
  // The event of one that waits is what it will send.
  expect(await service.query("select 1 from events where id = $1", [parseId("event", old)])).toHaveLength(1);
});
