/** Alert rules: what fires them, and what becomes of what they send. */
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { AlertDelivery } from "@rowmill/contract/alert-deliveries";
import type { AlertRule, AlertRuleWithSecret } from "@rowmill/contract/alert-rules";
import { expectStatus } from "../../testing/api.ts";
import { parseId } from "../../platform/ids.ts";
import { startTestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import { recordTestEvent, recordTestEvents, verify } from "../../testing/webhooks.ts";
import { alertsOf, endedAlerts, newRule } from "./alerts-testing.ts";
import { startAlertService } from "./alert-service-testing.ts";

const { service, receiver, mailServer, requestsAt, webhook, alertIn, readRule } = await startAlertService();

describe("a rule", () => {
  beforeAll(() => receiver.respond({ status: 200 }));

  test("is about its own type, its own organization, and only while it is enabled", async () => {
    const [own, other] = [await service.newOrganization(), await service.newOrganization()];
    const rules = {
      enabled: await newRule(own.api, webhook("enabled")),
      disabled: await newRule(own.api, webhook("disabled"), { enabled: false }),
      otherType: await newRule(own.api, webhook("other-type"), { eventType: "run.failed" }),
      stranger: await newRule(other.api, webhook("stranger")),
    };
    await recordTestEvent(service, own);
    await endedAlerts(own.api, rules.enabled.id, 1);
    await own.api("PATCH", `/v1/alert-rules/${rules.enabled.id}`, { body: { enabled: false } });
    await own.api("PATCH", `/v1/alert-rules/${rules.disabled.id}`, { body: { enabled: true } });
    await recordTestEvent(service, own);
    await endedAlerts(own.api, rules.disabled.id, 1);
    expect(await alertsOf(own.api, rules.enabled.id)).toHaveLength(1);
    expect(await alertsOf(own.api, rules.otherType.id)).toEqual([]);
    expect(await alertsOf(other.api, rules.stranger.id)).toEqual([]);
    expect(await alertsOf(other.api, rules.enabled.id)).toEqual([]);
  });

  test("fires only for events that pass its filter, and says what it could not evaluate", async () => {
    const own = await service.newOrganization();
    const passes = await newRule(own.api, webhook("passes"), {
      filter: "event.data.state == 'succeeded' && event.data.id.startsWith('run_') && !event.test",
    });
    const fails = await newRule(own.api, webhook("fails"), { filter: "event.data.state == 'failed'" });
    const unevaluated = await newRule(own.api, webhook("unevaluated"), { filter: "event.data.stat == 'succeeded'" });
    const eventId = await recordTestEvent(service, own);
    await endedAlerts(own.api, passes.id, 1);
    const { filterError } = await waitFor(async () => {
      const rule = await readRule(own, unevaluated.id);
      return rule.filterError === null ? undefined : rule;
    });
    expect(filterError).toMatchObject({ eventId, message: expect.stringContaining("stat") as string });
    expect(await alertsOf(own.api, unevaluated.id)).toEqual([]);
    expect((await readRule(own, fails.id)).filterError).toBeNull();
    expect(await alertsOf(own.api, fails.id)).toEqual([]);
    const changed = await own.api<AlertRule>("PATCH", `/v1/alert-rules/${unevaluated.id}`, { body: { filter: null } });
    expect(changed.body).toMatchObject({ filter: null, filterError: null });
    await recordTestEvent(service, own);
    await endedAlerts(own.api, unevaluated.id, 1);
  });

  test("that cools down records all that it suppresses as one", async () => {
    const own = await service.newOrganization();
    const rule = await newRule(own.api, webhook("cooldown"), { cooldownSeconds: 300 });
    const [firstId, secondId] = await recordTestEvents(service, own, 450);
    const counted = await waitFor(async () => {
      const alerts = await alertsOf(own.api, rule.id);
      return alerts.reduce((sum, { eventCount }) => sum + eventCount, 0) === 450 ? alerts : undefined;
    });
    const byStatus = Map.groupBy(counted, ({ status }) => status);
    expect(byStatus.get("suppressed")).toMatchObject([{ eventId: secondId, eventCount: 449, attempts: [] }]);
    await waitFor(async () => (await alertsOf(own.api, rule.id, "&status=succeeded")).length === 1);
    expect(await alertsOf(own.api, rule.id, "&status=succeeded,failed")).toMatchObject([{ eventId: firstId }]);
    expect(requestsAt("cooldown")).toHaveLength(1);
  });

  test("fires again when the cooldown is over, and counts apart what follows", async () => {
    const own = await service.newOrganization();
    const rule = await newRule(own.api, webhook("cooled"), { cooldownSeconds: 1 });
    await recordTestEvents(service, own, 2);
    const [first] = await endedAlerts(own.api, rule.id, 2);
    await waitFor(() => Date.now() > Date.parse(first!.createdAt) + 2_000);
    await recordTestEvents(service, own, 2);
    const alerts = await endedAlerts(own.api, rule.id, 4);
    expect(alerts.map(({ status }) => status).sort()).toEqual(["succeeded", "succeeded", "suppressed", "suppressed"]);
  });

  test("counts within a window, and begins again when it has fired", async () => {
    const own = await service.newOrganization();
    const trigger = { type: "count", count: 3, windowSeconds: 60 };
    const rule = await newRule(own.api, webhook("count"), { trigger });
    await recordTestEvents(service, own, 2);
    const third = await recordTestEvents(service, own, 2);
    const [delivery] = await endedAlerts(own.api, rule.id, 1);
    expect(delivery).toMatchObject({ eventId: third[0], eventCount: 3, status: "succeeded" });
    expect(alertIn(requestsAt("count")[0]).data).toMatchObject({ eventCount: 3, event: { id: third[0] } });
    await recordTestEvents(service, own, 2);
    await endedAlerts(own.api, rule.id, 2);
  });

  test("counts nothing that is older than its window", async () => {
    const own = await service.newOrganization();
    const trigger = { type: "count", count: 2, windowSeconds: 1 };
    const rule = await newRule(own.api, webhook("window"), { trigger });
    await recordTestEvent(service, own);
    const recordedAt = Date.now();
    await waitFor(() => Date.now() > recordedAt + 1_100);
    await recordTestEvents(service, own, 2);
    expect(await endedAlerts(own.api, rule.id, 1)).toMatchObject([{ eventCount: 2 }]);
  });

  test("is tested at once, whatever its filter, trigger and cooldown say, and enabled or not", async () => {
    const own = await service.newOrganization();
    receiver.respond(({ path }) => ({ status: path === "/hook/tested" ? 404 : 200 }));
    const rule = await newRule(own.api, webhook("tested"), { enabled: false, filter: "false", cooldownSeconds: 300 });
    const tested = await own.api<AlertDelivery>("POST", `/v1/alert-rules/${rule.id}/test`);
    expectStatus(tested, 200);
    expect(tested.body).toMatchObject({ test: true, status: "failed", attempts: [{ responseStatus: 404 }] });
    expect(tested.body.attempts[0]?.message).toContain("Check its URL");
    const [request] = requestsAt("tested");
    expect(alertIn(request)).toMatchObject({ test: true, data: { event: { test: true, type: "run.succeeded" } } });
    await verify(request!, rule.signingSecret ?? "");
    expect((await own.api<AlertDelivery>("GET", `/v1/alert-deliveries/${tested.body.id}`)).body).toEqual(tested.body);
    const mail = await newRule(own.api, { type: "email", to: ["test@example.com"] });
    const mailed = await own.api<AlertDelivery>("POST", `/v1/alert-rules/${mail.id}/test`);
    expect(mailed.body).toMatchObject({ status: "succeeded" });
    const received = mailServer.mails.find(({ headers }) => headers["message-id"]?.includes(mailed.body.id));
    expect(received?.headers["subject"]).toBe("[Rowmill] Test: Run succeeded: Night shift");
    expect(received?.text).toContain("Nothing has happened");
  });

  test("whose destination becomes a webhook gets a secret, which a new URL keeps", async () => {
    const own = await service.newOrganization();
    const rule = await newRule(own.api, { type: "slack", url: `${receiver.url}/becoming` });
    const patch = (destination: AlertRule["destination"]) =>
      own.api<AlertRuleWithSecret>("PATCH", `/v1/alert-rules/${rule.id}`, { body: { destination } });
    const { signingSecret } = (await patch(webhook("becoming"))).body;
    expect(signingSecret).toMatch(/^whsec_/);
    expect((await patch(webhook("became"))).body.signingSecret).toBeNull();
    await recordTestEvent(service, own);
    await endedAlerts(own.api, rule.id, 1);
    await verify(requestsAt("became")[0]!, signingSecret ?? "");
    const everything = await service.query<{ row: string }>("select r::text as row from alert_rules r");
    expect(everything.map(({ row }) => row).join()).not.toContain(signingSecret);
    const audit = await service.query<{ row: string }>("select a::text as row from audit_events a");
    expect(audit.map(({ row }) => row).join()).not.toContain(signingSecret);
    expect(audit.map(({ row }) => row).join()).not.toContain("/hook/becoming");
  });

  test("that is deleted is gone with what it had to send; its deliveries stay", async () => {
    const own = await service.newOrganization();
    receiver.respond(({ path }) => ({ status: path === "/hook/deleted" ? 500 : 200 }));
    const rule = await newRule(own.api, webhook("deleted"));
    await recordTestEvent(service, own);
    await waitFor(async () => (await alertsOf(own.api, rule.id))[0]?.attempts[0] !== undefined);
    expectStatus(await own.api("DELETE", `/v1/alert-rules/${rule.id}`), 204);
    expect(await alertsOf(own.api, rule.id)).toMatchObject([{ status: "failed", nextAttemptAt: null }]);
    expectStatus(await own.api("GET", `/v1/alert-rules/${rule.id}`), 404);
    expectStatus(await own.api("POST", `/v1/alert-rules/${rule.id}/test`), 404);
  });
});

test("two workers make one alert of each event, and none is lost", async () => {
  const own = await service.newOrganization();
  receiver.respond({ status: 200 });
  const second = await startTestService(service.settings);
  // Also where it fails: it would deliver for the tests behind it.
  onTestFinished(() => second.stop());
  const [each, filtered, counting, cooling] = [
    await newRule(own.api, webhook("copies")),
    await newRule(own.api, webhook("copies"), { filter: "event.data.state == 'succeeded'" }),
    await newRule(own.api, webhook("copies"), { trigger: { type: "count", count: 10, windowSeconds: 3600 } }),
    await newRule(own.api, webhook("copies"), { cooldownSeconds: 3600 }),
  ];
  const ids: string[] = [];
  for (let i = 0; i < 20; i++) ids.push(...(await recordTestEvents(service, own, 15)));
  for (const rule of [each, filtered]) {
    const alerts = await endedAlerts(own.api, rule.id, 300);
    expect(alerts.map(({ eventId }) => eventId).sort()).toEqual(ids.toSorted());
    expect(alerts.filter(({ status }) => status !== "succeeded")).toEqual([]);
  }
  const counted = await endedAlerts(own.api, counting.id, 30);
  expect(counted.map(({ eventCount }) => eventCount)).toEqual(Array.from({ length: 30 }, () => 10));
  // The record of what is suppressed exists from the first such event on, and counts each later one.
  await waitFor(async () => {
    const cooled = await endedAlerts(own.api, cooling.id, 2);
    expect(cooled.map(({ status, eventCount }) => `${status} ${eventCount}`).sort()).toEqual([
      "succeeded 1",
      "suppressed 299",
    ]);
    return true;
  });
  const received = Map.groupBy(requestsAt("copies"), (request) => alertIn(request).id);
  expect(received.size).toBe(300 + 300 + 30 + 1);
  // Once each, but for an attempt whose response came too late. What another worker sends as well is an attempt of nobody.
  for (const { id } of [each, filtered, counting, cooling])
    for (const { id: alertId, attempts } of await alertsOf(own.api, id)) {
      const begun = attempts.filter(({ message }) => !message.startsWith("No connection")).length;
      expect([alertId, received.get(alertId)?.length ?? 0]).toEqual([alertId, begun]);
    }
});

test("what a dead worker had claimed is taken up when its lease ends", async () => {
  const own = await service.newOrganization();
  receiver.respond(({ path }) => (path === "/hook/dead" && requestsAt("dead").length < 2 ? "never" : { status: 200 }));
  const rule = await newRule(own.api, webhook("dead"));
  // As a worker leaves it that was killed while it evaluated.
  const [evaluating] = await service.query<{ until: Date }>(
    "update alert_rules set leased_until = now() + interval '2 s' where name = $1 returning leased_until as until",
    ["Night shift"],
  );
  await recordTestEvent(service, own);
  await waitFor(() => requestsAt("dead").length === 1);
  expect(requestsAt("dead")[0]!.receivedAt.getTime()).toBeGreaterThanOrEqual(evaluating!.until.getTime());
  // As one that was killed while it sent: what it would record later does not count.
  const [sending] = await service.query<{ until: Date }>(
    `update alert_deliveries set claimed_until = now() + interval '2 s', claim_no = claim_no + 1
     where claimed_until is not null returning claimed_until as until`,
  );
  expect(await endedAlerts(own.api, rule.id, 1)).toMatchObject([{ status: "succeeded", attempts: [{ number: 1 }] }]);
  expect(requestsAt("dead")[1]!.receivedAt.getTime()).toBeGreaterThanOrEqual(sending!.until.getTime());
});

test("a destination that never responds delays nobody else, and has few alerts in flight", async () => {
  const [dead, alive] = [await service.newOrganization(), await service.newOrganization()];
  receiver.respond(({ path }) => (path === "/hook/silent" ? "never" : { status: 200 }));
  const silent = await newRule(dead.api, webhook("silent"));
  const quick = await newRule(alive.api, webhook("quick"));
  await recordTestEvents(service, dead, 50);
  await waitFor(async () => (await alertsOf(dead.api, silent.id)).length === 50);
  await waitFor(() => requestsAt("silent").length >= 2);
  await recordTestEvents(service, alive, 20);
  const alerts = await endedAlerts(alive.api, quick.id, 20);
  expect(alerts.every(({ status }) => status === "succeeded")).toBe(true);
  // On a slow machine the first of them may have timed out, and others followed.
  const begun = requestsAt("silent").length;
  const ended = (await alertsOf(dead.api, silent.id)).flatMap(({ attempts }) => attempts).length;
  expect(begun).toBeLessThanOrEqual(2 + ended);
  expectStatus(await dead.api("DELETE", `/v1/alert-rules/${silent.id}`), 204);
});

test("an organization whose destinations all fall silent at once has a bounded number of alerts in flight", async () => {
  const own = await service.newOrganization();
  receiver.respond(({ path }) => (path.startsWith("/hook/down-") ? "never" : { status: 200 }));
  const paths = Array.from({ length: 24 }, (_, n) => `down-${n}`);
  const rules = await Promise.all(paths.map((path) => newRule(own.api, webhook(path))));
  await recordTestEvents(service, own, 2);
  const id = parseId("organization", own.organizationId);
  let most = 0;
  await waitFor(
    async () => {
      const [now] = await service.query<{ inFlight: number; ended: number }>(
        `select (count(*) filter (where claimed_until >= now()))::int as "inFlight", sum(attempts_made)::int as ended
         from alert_deliveries where organization_id = $1`,
        [id],
      );
      most = Math.max(most, now?.inFlight ?? 0);
      return (now?.ended ?? 0) > 0;
    },
    { what: "the first attempt has ended" },
  );
  // Eight of rules that are new, and those of rules that have turned out to be silent.
  expect(most).toBeGreaterThan(8);
  expect(most).toBeLessThanOrEqual(16);
  for (const { id: ruleId } of rules) expectStatus(await own.api("DELETE", `/v1/alert-rules/${ruleId}`), 204);
});

test("rules with destinations that never respond do not keep another rule of their organization waiting", async () => {
  const own = await service.newOrganization();
  receiver.respond(({ path }) => (path.startsWith("/hook/dead-") ? "never" : { status: 200 }));
  const dead = Array.from({ length: 10 }, (_, n) => `dead-${n}`);
  const rules = await Promise.all(dead.map((path) => newRule(own.api, webhook(path))));
  await recordTestEvents(service, own, 12);
  const attempted = () => dead.reduce((sum, path) => sum + requestsAt(path).length, 0);
  await waitFor(() => attempted() >= 8, { what: "as many alerts as there may be are in flight" });
  await newRule(own.api, webhook("well"));
  await recordTestEvent(service, own);
  await waitFor(() => requestsAt("well").length === 1, { what: "the alert of the other rule" });
  // 120 were due before it, 8 in a quarter of a minute.
  expect(attempted()).toBeLessThan(60);
  for (const { id } of rules) expectStatus(await own.api("DELETE", `/v1/alert-rules/${id}`), 204);
});
