/** An alert on its way: to webhooks, Slack and e-mail, its attempts and its signature. */
import { describe, expect, test } from "vitest";
import type { AlertRuleWithSecret } from "@rowmill/contract/alert-rules";
import { verifyWebhook } from "@rowmill/client/webhooks";
import { parseId } from "../../platform/ids.ts";
import { expectStatus } from "../../testing/api.ts";
import { recordTestEvent, verify } from "../../testing/webhooks.ts";
import { endedAlerts, newRule } from "./alerts-testing.ts";
import { startAlertService } from "./alert-service-testing.ts";

const { service, receiver, mailServer, requestsAt, webhook, alertIn } = await startAlertService();

describe("an alert", () => {
  test("goes to a webhook: what happened, since when, where, signed as deliveries are", async () => {
    const organization = await service.newOrganization();
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
    receiver.respond(({ path }) => ({ status: path.startsWith("/hook/failing") ? 503 : 200 }));
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
    receiver.respond(({ path }) => {
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

    const alerts = await own.api(
      "GET",
      `/v1/organizations/${own.organizationId}/audit-events?type=alert_rule.secret_rotated`,
    );
    expect(alerts.body.data).toHaveLength(2);
    const rows = await service.query("select to_jsonb(r) as row from alert_rules r where id = $1", [ruleId]);
    const shown = [
      await own.api("GET", `/v1/alert-rules/${rule.id}`),
      await own.api("GET", "/v1/alert-rules"),
      await own.api("GET", `/v1/alert-deliveries?alertRuleId=${rule.id}`),
      alerts,
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
    mailServer.respond(451, 250);
    await recordTestEvent(service, own);
    const [delivered] = await endedAlerts(own.api, rule.id, 1);
    expect(delivered).toMatchObject({ status: "succeeded", attempts: [{ number: 1 }, { number: 2 }] });
    mailServer.respond(554);
    await recordTestEvent(service, own);
    const [, refused] = await endedAlerts(own.api, rule.id, 2);
    mailServer.respond(250);
    expect(refused).toMatchObject({ status: "failed", attempts: [{ number: 1 }] });
    expect(JSON.stringify([delivered, refused])).not.toContain("mail.internal");
    expect(service.logs().join("\n")).toContain("mail.internal");
  });
});
