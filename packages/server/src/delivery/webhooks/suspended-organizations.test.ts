import { expect, test } from "vitest";
import { parseId } from "../../platform/ids.ts";
import { receiverSettings, startReceiver } from "../../testing/receiver.ts";
import { startTestService } from "../../testing/service.ts";
import { deliveriesOf, deliveryWith, newEndpoint, readEndpoint, recordTestEvent } from "../../testing/webhooks.ts";
import { waitFor } from "../../testing/wait.ts";
import { alertsOf, endedAlerts, newRule } from "../alerts/alerts-testing.ts";

/** More attempts than a busy machine uses up before the organization is suspended. */
const ATTEMPTS_EVERY_SECOND = ["0", ...Array<string>(48).fill("1")].join(",");

test("what a suspended organization is to be sent waits, uncounted, until the organization is active again", async () => {
  const receiver = await startReceiver();
  const others = await startReceiver();
  const service = await startTestService({
    ...receiverSettings(receiver, others),
    ROWMILL_WEBHOOK_RETRY_SCHEDULE: ATTEMPTS_EVERY_SECOND,
  });
  const { api, ...own } = await service.newOrganization();
  const other = await service.newOrganization();
  const otherEndpoint = await newEndpoint(other.api, others.url);
  const otherRule = await newRule(other.api, { type: "webhook", url: others.url });
  const endpoint = await newEndpoint(api, receiver.url);
  const failing = await newEndpoint(api, `${receiver.url}/down`);
  const rule = await newRule(api, { type: "webhook", url: receiver.url });
  const setState = (state: string) =>
    service.api("PATCH", `/v1/organizations/${own.organizationId}`, { body: { state } });
  receiver.respond(({ path }) => ({ status: path === "/hook/down" ? 503 : 200 }));
  const before = await recordTestEvent(service, own);
  await deliveryWith(api, endpoint.id, before, "succeeded");
  await endedAlerts(api, rule.id, 1);
  await waitFor(async () => (await deliveriesOf(api, failing.id, before))[0]?.attempts[0] !== undefined);

  expect((await setState("suspended")).status).toBe(200);
  // A claim that began before the suspension ends before the next one, which this delivery is in.
  await deliveryWith(other.api, otherEndpoint.id, await recordTestEvent(service, other), "succeeded");
  await endedAlerts(other.api, otherRule.id, 1);
  // One that was in flight is recorded; after that there are none.
  await waitFor(
    async () => (await service.query("select 1 from webhook_deliveries where claimed_until is not null")).length === 0,
  );
  // Not before: a failed attempt has its endpoint reviewed, and this one would be disabled while the organization is active.
  await service.query(
    "update webhook_endpoints set failing_since = now() - interval '6 days', failed_deliveries = 99 where id = $1",
    [parseId("webhookEndpoint", failing.id)],
  );
  const requestsBefore = receiver.requests.length;
  const during = await recordTestEvent(service, own);
  const waiting = (table: string) =>
    service.query(`select attempts from ${table} where event_id = $1 and status = 'pending' order by id`, [
      parseId("event", during),
    ]);
  await waitFor(
    async () => (await waiting("webhook_deliveries")).length === 2 && (await waiting("alert_deliveries")).length === 1,
  );
  // Whole rounds of deliveries and alerts pass meanwhile: time in which nothing may be done for this organization.
  for (let round = 2; round <= 4; round += 1) {
    await deliveryWith(other.api, otherEndpoint.id, await recordTestEvent(service, other), "succeeded");
    await endedAlerts(other.api, otherRule.id, round);
  }
  // Endpoints are reviewed once a minute, and when a worker starts.
  const reviewing = await startTestService(service.settings);
  await waitFor(async () => {
    const health = await service.query(
      "select failing_since, failed_deliveries, enabled from webhook_endpoints where id = $1",
      [parseId("webhookEndpoint", failing.id)],
    );
    expect(health).toEqual([{ failing_since: null, failed_deliveries: 0, enabled: true }]);
    return true;
  });
  await reviewing.stop();
  expect(await waiting("webhook_deliveries")).toEqual([{ attempts: [] }, { attempts: [] }]);
  expect(await waiting("alert_deliveries")).toEqual([{ attempts: [] }]);
  expect(receiver.requests).toHaveLength(requestsBefore);

  receiver.respond({ status: 200 });
  await setState("active");
  for (const { id } of [endpoint, failing]) await deliveryWith(api, id, during, "succeeded");
  await deliveryWith(api, failing.id, before, "succeeded");
  await endedAlerts(api, rule.id, 2);
  expect((await alertsOf(api, rule.id)).map(({ status }) => status)).toEqual(["succeeded", "succeeded"]);
  expect(await readEndpoint(api, failing.id)).toMatchObject({ enabled: true, failingSince: null });
});
