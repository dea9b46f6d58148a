import { beforeAll, describe, expect, test } from "vitest";
import type { AlertDelivery } from "@rowmill/contract/alert-deliveries";
import type { AlertRule, AlertRuleWithSecret } from "@rowmill/contract/alert-rules";
import { verifyWebhook } from "@rowmill/client/webhooks";
import { parseId } from "../../platform/ids.ts";
import { expectStatus } from "../../testing/api.ts";
import { startMailServer } from "../../testing/mail-server.ts";
import type { MailServer } from "../../testing/mail-server.ts";
import { receiverSettings, startReceiver } from "../../testing/receiver.ts";
import type { Alert } from "@rowmill/contract/event-payloads";
import type { ReceivedRequest, Receiver } from "../../testing/receiver.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestOrganization, TestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import { recordTestEvent, recordTestEvents, verify } from "../../testing/webhooks.ts";
import { alertsOf, endedAlerts, newRule } from "./alerts-testing.ts";

let service: TestService;
let receiver: Receiver;
let mailServer: MailServer;
let organization: TestOrganization;

beforeAll(async () => {
  receiver = await startReceiver();
  mailServer = await startMailServer();
  service = await startTestService({
    ...receiverSettings(receiver),
    ROWMILL_ALERT_RETRY_SCHEDULE: "0,1,1",
    ROWMILL_SMTP_URL: mailServer.url,
    ROWMILL_MAIL_FROM: "Rowmill <rowmill@example.com>",
    ROWMILL_PUBLIC_URL: "https://rowmill.example.com",
  });
});

const requestsAt = (path: string) => receiver.requests.filter((request) => request.path === `/hook/${path}`);
const webhook = (path: string) => ({ type: "webhook" as const, url: `${receiver.url}/${path}` });
const alertIn = (request: ReceivedRequest | undefined) => JSON.parse(request?.body.toString("utf8") ?? "{}") as Alert;
const readRule = async ({ api }: TestOrganization, id: string) =>
  (await api<AlertRule>("GET", `/v1/alert-rules/${id}`)).body;

describe("an alert", () => {
  test("goes to a webhook: what happened, since when, where, signed as deliveries are", async () => {
    organization = await service.newOrganization();
    const rule = await newRule(organization.api, webhook("each"));
    const eventId = await recordTestEvent(service, organization);
    const [delivery] = await endedAlerts(organization.api, rule.id, 1);
    expect(delivery).toMatchObject({
      alertRuleId: rule.id,
      eventId,
      eventType: "run.succeeded",
      eventCount: 1,
      test: false,
      status: "succeeded",
      attempts: [{ number: 1, outcome: "response", responseStatus: 200 }],
      nextAttemptAt: null,
    });
    const [request] = requestsAt("each");
    expect(await verify(request!, rule.signingSecret ?? "")).toMatchObject({ id: delivery!.id });
    expect(alertIn(request)).toMatchObject({
      id: delivery!.id,
      type: "alert.triggered",
      test: false,
      organizationId: organization.organizationId,
      data: {
        object: "alert",
        alertRuleId: rule.id,
        alertRuleName: "Night shift",
        title: "Run succeeded",
        eventCount: 1,
        event: { id: eventId, type: "run.succeeded" },
      },
    });
    expect(alertIn(request).data.since).toBe(alertIn(request).data.event.createdAt);
    expect(request!.body.length).toBeLessThan(8_192);
  });

  test("goes to Slack as one text that a person understands", async () => {
    const own = await service.newOrganization();
    const rule = await newRule(own.api, { type: "slack", url: `${receiver.url}/slack` }, { name: "Ops <&> nights" });
    await recordTestEvent(service, own);
    await endedAlerts(own.api, rule.id, 1);
    const [request] = requestsAt("slack");
    const { text } = JSON.parse(request!.body.toString("utf8")) as { text: string };
    expect(rule.signingSecret).toBeNull();
    expect(request!.headers["service-webhook-signature"]).toBeUndefined();
    expect(text).toMatch(/^\*Run succeeded – Ops &lt;&amp;&gt; nights\*\n/);
    expect(text).toMatch(/\nId: run_\w+\nState: succeeded\nSince: [-\d]{10} [:\d]{8} UTC\n/);
    expect(text).toMatch(/\n<https:\/\/rowmill\.example\.com\/v1\/runs\/run_\w+\|Open>$/);
  });

  test("goes by e-mail to all who are named", async () => {
    const own = await service.newOrganization();
    const to = ["on-call@example.com", "o'brien+rowmill@mail.example.org"];
    const rule = await newRule(own.api, { type: "email", to }, { name: "Nächte\r\nBcc: everybody@example.com" });
    await recordTestEvent(service, own);
    const [delivery] = await endedAlerts(own.api, rule.id, 1);
    expect(delivery).toMatchObject({ status: "succeeded", attempts: [{ outcome: "response" }] });
    const mail = mailServer.mails.find(({ headers }) => headers["message-id"] === `<${delivery!.id}@rowmill>`);
    expect(mail).toMatchObject({ from: "rowmill@example.com", to });
    expect(Object.keys(mail!.headers)).not.toContain("bcc");
    expect(mail!.text).toMatch(/^Run succeeded\n/);
    expect(mail!.text).toContain("State: succeeded\n");
    expect(mail!.text).toMatch(/https:\/\/rowmill\.example\.com\/v1\/runs\/run_\w+\n$/);
  });

  test("is sent again by its own schedule, the same with a new signature, and then fails", async () => {
    const own = await service.newOrganization();
    receiver.answer(({ path }) => ({ status: path.startsWith("/hook/failing") ? 503 : 200 }));
    const rule = await newRule(own.api, webhook("failing"));
    await recordTestEvent(service, own);
    const [delivery] = await endedAlerts(own.api, rule.id, 1);
    expect(delivery).toMatchObject({
      status: "failed",
      attempts: [1, 2, 3].map((number) => ({ number, responseStatus: 503 })),
    });
    const [first, second, third] = requestsAt("failing");
    for (const [before, after] of [
      [first!, second!],
      [second!, third!],
    ] as const) {
      expect(after.receivedAt.getTime() - before.receivedAt.getTime()).toBeGreaterThanOrEqual(900);
      expect(after.body.equals(before.body)).toBe(true);
      expect(after.headers["webhook-id"]).toBe(delivery!.id);
      await verify(after, rule.signingSecret ?? "");
    }
  });

  test("arrives at a later attempt, and not again after a 410", async () => {
    const own = await service.newOrganization();
    receiver.answer(({ path }) => {
      if (path === "/hook/gone") return { status: 410 };
      return path === "/hook/later" && requestsAt("later").length < 2 ? "hang_up" : { status: 204 };
    });
    const later = await newRule(own.api, webhook("later"));
    const gone = await newRule(own.api, webhook("gone"));
    await recordTestEvent(service, own);
    expect(await endedAlerts(own.api, later.id, 1)).toMatchObject([
      { status: "succeeded", attempts: [{ outcome: "connect", responseStatus: null }, { responseStatus: 204 }] },
    ]);
    expect(await endedAlerts(own.api, gone.id, 1)).toMatchObject([
      { status: "failed", attempts: [{ responseStatus: 410 }] },
    ]);
  });

  test("is signed with the new secret after a rotation, and for a day with the old ones beside it", async () => {
    const own = await service.newOrganization();
    const rule = await newRule(own.api, webhook("rotation"));
    const secrets = [rule.signingSecret ?? ""];
    for (let i = 0; i < 2; i += 1) {
      const path = `/v1/alert-rules/${rule.id}/rotate-secret`;
      const rotated = await own.api<AlertRuleWithSecret>("POST", path, { idempotencyKey: `rotation-${i}` });
      expectStatus(rotated, 200);
      const again = await own.api<AlertRuleWithSecret>("POST", path, { idempotencyKey: `rotation-${i}` });
      expect(again.body).toEqual(rotated.body);
      secrets.unshift(rotated.body.signingSecret ?? "");
    }
    expect(new Set(secrets).size).toBe(3);
    await recordTestEvent(service, own);
    await endedAlerts(own.api, rule.id, 1);
    expectStatus(await own.api("POST", `/v1/alert-rules/${rule.id}/test`), 200);
    const requests = requestsAt("rotation");
    expect(requests).toHaveLength(2);
    for (const request of requests) {
      expect(request.headers["webhook-signature"]?.split(" ")).toHaveLength(3);
      await verify(request, secrets[0] ?? "");
      for (const secret of secrets.slice(1)) {
        const { body: payload, headers } = request;
        const standard = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("webhook-")));
        expect((await verifyWebhook({ payload, headers: standard, secret })).type).toBe("alert.triggered");
      }
    }
    // A day later the first one is gone.
    const ruleId = parseId("alertRule", rule.id);
    await service.query(
      `update alert_rules set previous_secrets = jsonb_set(previous_secrets, '{1,expiresAt}', '"2026-01-01T00:00:00.000Z"') where id = $1`,
      [ruleId],
    );
    await recordTestEvent(service, own);
    await endedAlerts(own.api, rule.id, 3);
    expect(requestsAt("rotation").at(-1)?.headers["webhook-signature"]?.split(" ")).toHaveLength(2);

    const told = await own.api(
      "GET",
      `/v1/organizations/${own.organizationId}/audit-events?type=alert_rule.secret_rotated`,
    );
    expect(told.body.data).toHaveLength(2);
    const rows = await service.query("select to_jsonb(r) as row from alert_rules r where id = $1", [ruleId]);
    const shown = [
      await own.api("GET", `/v1/alert-rules/${rule.id}`),
      await own.api("GET", "/v1/alert-rules"),
      await own.api("GET", `/v1/alert-deliveries?alertRuleId=${rule.id}`),
      told,
    ].map(({ text }) => text);
    for (const secret of secrets)
      expect([...shown, JSON.stringify(rows), ...service.logs()].join("\n")).not.toContain(
        secret.replace("whsec_", ""),
      );
    await own.api("DELETE", `/v1/alert-rules/${rule.id}`);
    expect(
      await service.query("select signing_secret, previous_secrets from alert_rules where id = $1", [ruleId]),
    ).toEqual([{ signing_secret: null, previous_secrets: [] }]);
  });

  test("has no secret to be rotated where its destination is no webhook", async () => {
    const own = await service.newOrganization();
    const mail = await newRule(own.api, { type: "email", to: ["on-call@example.com"] });
    const former = await newRule(own.api, webhook("former"));
    await own.api("PATCH", `/v1/alert-rules/${former.id}`, { body: { destination: mail.destination } });
    for (const { id } of [mail, former]) {
      const refused = await own.api("POST", `/v1/alert-rules/${id}/rotate-secret`);
      expect([refused.status, refused.body.error.code]).toEqual([409, "invalid_state"]);
    }
  });

  test("by e-mail that reaches some of its recipients has succeeded, and says who did not get it", async () => {
    const own = await service.newOrganization();
    mailServer.refuseRecipient("gone@example.com");
    mailServer.refuseRecipient("left@example.com");
    const to = ["here@example.com", "gone@example.com", "left@example.com"];
    const some = await newRule(own.api, { type: "email", to }, { name: "Some" });
    const none = await newRule(own.api, { type: "email", to: to.slice(1) }, { name: "None" });
    await recordTestEvent(service, own);
    const [reached] = await endedAlerts(own.api, some.id, 1);
    expect(reached).toMatchObject({
      status: "succeeded",
      attempts: [
        {
          outcome: "response",
          message:
            "The mail server accepted the alert for 1 of 3 recipients. It refused: gone@example.com, left@example.com.",
        },
      ],
    });
    const mail = mailServer.mails.find(({ headers }) => headers["message-id"] === `<${reached?.id}@rowmill>`);
    expect(mail?.to).toEqual(["here@example.com"]);
    const [missed] = await endedAlerts(own.api, none.id, 1);
    expect(missed).toMatchObject({ status: "failed", attempts: [{ number: 1 }] });
    expect(JSON.stringify([reached, missed])).not.toContain("mail.internal");
    expect(service.logs().join("\n")).toContain("nobody of that name");
  });

  test("by e-mail is sent again when the server puts it off, and abandoned when it is refused; nothing of the server is shown", async () => {
    const own = await service.newOrganization();
    const rule = await newRule(own.api, { type: "email", to: ["later@example.com"] });
    mailServer.answer(451);
    await recordTestEvent(service, own);
    await waitFor(async () => (await alertsOf(own.api, rule.id))[0]?.attempts.length === 1);
    mailServer.answer(250);
    const [delivered] = await endedAlerts(own.api, rule.id, 1);
    expect(delivered).toMatchObject({ status: "succeeded" });
    expect(delivered!.attempts.length).toBeGreaterThan(1);
    mailServer.answer(554);
    await recordTestEvent(service, own);
    const [, refused] = await endedAlerts(own.api, rule.id, 2);
    mailServer.answer(250);
    expect(refused).toMatchObject({ status: "failed", attempts: [{ number: 1 }] });
    expect(JSON.stringify([delivered, refused])).not.toContain("mail.internal");
    expect(service.logs().join("\n")).toContain("mail.internal");
  });
});

describe("a rule", () => {
  beforeAll(() => receiver.answer({ status: 200 }));

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
    receiver.answer(({ path }) => ({ status: path === "/hook/tested" ? 404 : 200 }));
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
    receiver.answer(({ path }) => ({ status: path === "/hook/deleted" ? 500 : 200 }));
    const rule = await newRule(own.api, webhook("deleted"));
    await recordTestEvent(service, own);
    await waitFor(async () => (await alertsOf(own.api, rule.id))[0]?.attempts.length === 1);
    expectStatus(await own.api("DELETE", `/v1/alert-rules/${rule.id}`), 204);
    expect(await alertsOf(own.api, rule.id)).toMatchObject([{ status: "failed", nextAttemptAt: null }]);
    expectStatus(await own.api("GET", `/v1/alert-rules/${rule.id}`), 404);
    expectStatus(await own.api("POST", `/v1/alert-rules/${rule.id}/test`), 404);
  });
});

test("two workers make one alert of each event, and none is lost", async () => {
  const own = await service.newOrganization();
  receiver.answer({ status: 200 });
  const second = await startTestService(service.settings);
  const [each, filtered, counting, cooling] = [
    await newRule(own.api, webhook("twins")),
    await newRule(own.api, webhook("twins"), { filter: "event.data.state == 'succeeded'" }),
    await newRule(own.api, webhook("twins"), { trigger: { type: "count", count: 10, windowSeconds: 3600 } }),
    await newRule(own.api, webhook("twins"), { cooldownSeconds: 3600 }),
  ];
  const ids: string[] = [];
  for (let i = 0; i < 20; i++) ids.push(...(await recordTestEvents(service, own, 15)));
  for (const rule of [each, filtered]) {
    const alerts = await endedAlerts(own.api, rule.id, 300);
    expect(alerts.map(({ eventId }) => eventId).sort()).toEqual(ids.toSorted());
    expect(alerts.filter(({ status, attempts }) => status !== "succeeded" || attempts.length !== 1)).toEqual([]);
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
  expect(requestsAt("twins")).toHaveLength(300 + 300 + 30 + 1);
  await second.stop();
});

test("what a dead worker had in hand is taken up when its lease ends", async () => {
  const own = await service.newOrganization();
  receiver.answer(({ path }) => (path === "/hook/dead" && requestsAt("dead").length < 2 ? "never" : { status: 200 }));
  const rule = await newRule(own.api, webhook("dead"));
  // As a worker leaves it that was killed while it evaluated.
  const [evaluating] = await service.query<{ until: Date }>(
    "update alert_rules set judged_until = now() + interval '2 s' where name = $1 returning judged_until as until",
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

test("a destination that never answers delays nobody else, and has few alerts in flight", async () => {
  const [dead, alive] = [await service.newOrganization(), await service.newOrganization()];
  receiver.answer(({ path }) => (path === "/hook/silent" ? "never" : { status: 200 }));
  const silent = await newRule(dead.api, webhook("silent"));
  const quick = await newRule(alive.api, webhook("quick"));
  await recordTestEvents(service, dead, 50);
  await waitFor(async () => (await alertsOf(dead.api, silent.id)).length === 50);
  await waitFor(() => requestsAt("silent").length === 2);
  await recordTestEvents(service, alive, 20);
  const alerts = await endedAlerts(alive.api, quick.id, 20);
  expect(alerts.every(({ status }) => status === "succeeded")).toBe(true);
  expect(requestsAt("silent")).toHaveLength(2);
  expectStatus(await dead.api("DELETE", `/v1/alert-rules/${silent.id}`), 204);
});
