import { beforeAll, describe, expect, test } from "vitest";
import type { AlertPreview } from "@rowmill/contract/alert-previews";
import type { AlertRule, AlertRuleWithSecret } from "@rowmill/contract/alert-rules";
import { expectStatus } from "../../testing/api.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestOrganization, TestService } from "../../testing/service.ts";
import { recordTestEvent, recordTestEvents } from "../../testing/webhooks.ts";
import { newRule } from "../../delivery/alerts/alerts-testing.ts";

/** Without a mail server. */
let service: TestService;
let organization: TestOrganization;

beforeAll(async () => {
  service = await startTestService();
  organization = await service.newOrganization();
});

const slack = { type: "slack" as const, url: "https://hooks.slack.example.com/services/T0/B0/secret" };
const body = { name: "Night shift", eventType: "run.failed", destination: slack };
const create = (more: Record<string, unknown>) =>
  organization.api("POST", "/v1/alert-rules", { body: { ...body, ...more } });

describe("a rule that is created", () => {
  test("has defaults, and is read as it was returned", async () => {
    const created = await organization.api<AlertRuleWithSecret>("POST", "/v1/alert-rules", { body });
    expectStatus(created, 201);
    const { signingSecret, ...rule } = created.body;
    expect(signingSecret).toBeNull();
    expect(rule).toMatchObject({
      ...body,
      destination: { type: "slack", url: "https://hooks.slack.example.com/…/cret" },
      enabled: true,
      filter: null,
      filterError: null,
      trigger: { type: "each" },
      cooldownSeconds: 300,
    });
    expect(created.headers["location"]).toBe(`/v1/alert-rules/${rule.id}`);
    expect((await organization.api<AlertRule>("GET", `/v1/alert-rules/${rule.id}`)).body).toEqual(rule);
  });

  test("keeps the URL of its destination sealed, and shows it nowhere", async () => {
    const created = await create({});
    const { id } = created.body;
    const path = `/v1/alert-rules/${id}`;
    const moved = { type: "webhook", url: "https://hooks.example.com/services/T0/B0/secret" };
    const changed = await organization.api("PATCH", path, { body: { destination: moved } });
    expect(changed.body.destination).toEqual({ type: "webhook", url: "https://hooks.example.com/…/cret" });
    const refused = await organization.api("PATCH", path, { body: { destination: changed.body.destination } });
    expect(refused.body.error).toMatchObject({ code: "webhook_url_not_allowed", reason: "shortened" });
    const shown = [
      created,
      changed,
      await organization.api("GET", path),
      await organization.api("GET", "/v1/alert-rules"),
    ];
    const kept = [];
    for (const table of ["alert_rules", "audit_events", "events", "idempotency_keys"])
      kept.push(await service.query(`select t::text as text from ${table} t`));
    expect(JSON.stringify([shown.map(({ text }) => text), kept, service.logs()])).not.toContain("T0/B0");
  });

  test("shows a webhook's secret once, and again to the same request", async () => {
    const destination = { type: "webhook", url: "HTTPS://Hooks.Example.com" };
    const request = { body: { ...body, destination }, idempotencyKey: "same" };
    const first = await organization.api<AlertRuleWithSecret>("POST", "/v1/alert-rules", request);
    const again = await organization.api<AlertRuleWithSecret>("POST", "/v1/alert-rules", request);
    expect(first.body.signingSecret).toMatch(/^whsec_/);
    expect(first.body.destination).toEqual({ type: "webhook", url: "https://hooks.example.com/" });
    expect(again.body).toEqual(first.body);
    expect(again.headers["idempotent-replayed"]).toBe("true");
    const read = await organization.api("GET", `/v1/alert-rules/${first.body.id}`);
    expect(read.text).not.toContain("whsec_");
    const stored = await service.query<{ body: string }>("select body from idempotency_keys where key = 'same'");
    expect(JSON.stringify(stored)).not.toContain("whsec_");
  });

  test.each([
    ["http://hooks.example.com/", "scheme"],
    ["https://hooks.example.com:8443/", "port"],
    ["https://user@hooks.example.com/", "credentials"],
    ["https://127.0.0.1/", "address"],
    ["https://0x7f.1/", "address"],
    ["https://[::ffff:10.0.0.1]/", "address"],
    ["https://localhost/", "local_name"],
    ["https://mail.internal/", "local_name"],
    ["https://hooks.example.com/#x", "fragment"],
    ["", "length"],
  ])("has no destination %s: %s", async (url, reason) => {
    for (const type of ["webhook", "slack"]) {
      const response = await create({ destination: { type, url } });
      expectStatus(response, 422);
      expect(response.body.error).toMatchObject({ code: "webhook_url_not_allowed", param: "destination.url" });
      expect(response.body.error["reason"]).toBe(reason);
    }
  });

  test("needs a mail server for mail, and addresses that are some", async () => {
    const refused = await create({ destination: { type: "email", to: ["on-call@example.com"] } });
    expectStatus(refused, 400);
    expect(refused.body.error).toMatchObject({ code: "invalid_request", param: "destination.type" });
    expect(refused.body.error.message).toContain("ROWMILL_SMTP_URL");
    for (const address of [
      "on-call",
      "a@b",
      "a b@example.com",
      "a@example.com\nBcc: b@example.com",
      "A <a@example.com>",
    ])
      expect((await create({ destination: { type: "email", to: [address] } })).body.error.param).toBe(
        "destination.to.0",
      );
  });

  test.each([
    ["", "end of input"],
    ["event.type ==", "1:12"],
    ["row.state == 'failed'", "`row`"],
    ["frobnicate(event)", "frobnicate"],
    [`event.type == '${"x".repeat(4096)}'`, "4096"],
    [`${"(".repeat(65)}true${")".repeat(65)}`, "deeply"],
    [`true${"||(true".repeat(500)}${")".repeat(500)}`, "deeply"],
    ["x".repeat(900_000), "4096"],
  ])("has no filter that cannot be used (case %#)", async (filter, message) => {
    const response = await create({ filter });
    expectStatus(response, 422);
    expect(response.body.error).toMatchObject({ code: "condition_invalid", param: "filter" });
    expect(response.body.error.message).toContain(message);
  });

  test("may have a filter whose macros multiply: it is ended, and the service goes on", async () => {
    const own = await service.newOrganization();
    const list = `[${Array.from({ length: 40 }, (_, i) => i).join(",")}]`;
    const filter = `${list}.map(a, ${list}.map(b, ${list}.map(c, ${list}.map(d, ${list}.map(e, a))))).size() > 0`;
    const rule = await newRule(own.api, slack, { filter });
    await recordTestEvent(service, own);
    const read = () => own.api<AlertRule>("GET", `/v1/alert-rules/${rule.id}`);
    await expect.poll(async () => (await read()).body.filterError?.message).toMatch(/too long|too much memory/);
    expectStatus(await create({ filter: "event.data.state == 'failed'" }), 201);
  });

  test("is about an event type that there is", async () => {
    for (const eventType of ["run.exploded", "run.progress", "test.ping", "*", "run.*"]) {
      const response = await create({ eventType });
      expect([eventType, response.status, response.body.error.code]).toEqual([eventType, 422, "event_type_unknown"]);
    }
  });

  test("is one of 200 at most", async () => {
    const own = await service.newOrganization();
    const create = () => own.api("POST", "/v1/alert-rules", { body });
    const responses = await Promise.all(Array.from({ length: 19 }, create));
    while (responses.length < 199) responses.push(...(await Promise.all(Array.from({ length: 20 }, create))));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    const last = await Promise.all([create(), create(), create()]);
    expect(last.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 409, 409]);
    expectStatus(await own.api("DELETE", `/v1/alert-rules/${responses[0]?.body.id}`), 204);
    expectStatus(await create(), 201);
  });
});

test("a change is checked as a whole rule is, and changes nothing else", async () => {
  const rule = await newRule(organization.api, slack, { filter: "true" });
  const patch = (change: Record<string, unknown>) =>
    organization.api<AlertRuleWithSecret>("PATCH", `/v1/alert-rules/${rule.id}`, { body: change });
  const changed = await patch({ name: "Day shift", trigger: { type: "count", count: 5, windowSeconds: 60 } });
  expect(changed.body).toEqual({
    ...rule,
    name: "Day shift",
    trigger: { type: "count", count: 5, windowSeconds: 60 },
    updatedAt: changed.body.updatedAt,
  });
  const refused = [
    { filter: "event.x =" },
    { eventType: "x" },
    { destination: { type: "slack", url: "https://10.0.0.1" } },
    { destination: { type: "email", to: ["a@example.com"] } },
    { trigger: { type: "count", count: 5 } },
    { cooldownSeconds: -1 },
  ];
  expect(await Promise.all(refused.map(async (change) => (await patch(change)).status))).toEqual([
    422, 422, 422, 400, 400, 400,
  ]);
  const { signingSecret: _, ...same } = changed.body;
  expect((await organization.api<AlertRule>("GET", `/v1/alert-rules/${rule.id}`)).body).toEqual(same);
  const audit = await service.query<{ type: string }>(
    "select type from audit_events where target_id = $1 order by id",
    [rule.id],
  );
  expect(audit.map(({ type }) => type)).toEqual(["alert_rule.created", "alert_rule.updated"]);
});

test("the list has the newest first, by type and whether they are enabled, page by page", async () => {
  const own = await service.newOrganization();
  const rules = [
    await newRule(own.api, slack, { eventType: "run.failed" }),
    await newRule(own.api, slack, { eventType: "run.expired", enabled: false }),
    await newRule(own.api, slack, { eventType: "run.failed", enabled: false }),
  ];
  const list = async (query: string) => (await own.api("GET", `/v1/alert-rules?${query}`)).body;
  const names = async (query: string) => (await list(query)).data.map(({ id }) => rules.findIndex((r) => r.id === id));
  expect(await names("")).toEqual([2, 1, 0]);
  expect(await names("enabled=true")).toEqual([0]);
  expect(await names("eventType=run.failed")).toEqual([2, 0]);
  expect(await names("eventType=run.failed,run.expired&enabled=false")).toEqual([2, 1]);
  const first = await list("limit=2");
  expect(await names(`limit=2&cursor=${first.nextCursor}`)).toEqual([0]);
  for (const query of ["enabled=yes", "eventType=x", "name=x"])
    expectStatus(await own.api("GET", `/v1/alert-rules?${query}`), 400);
  expect((await organization.api("GET", `/v1/alert-rules/${rules[0]?.id}`)).status).toBe(404);
});

describe("a preview", () => {
  const preview = (tenant: TestOrganization, body: Record<string, unknown>) =>
    tenant.api<AlertPreview>("POST", "/v1/alert-rule-previews", { body: { eventType: "run.succeeded", ...body } });

  test("counts what a rule would have done with the events of the last days, and keeps nothing", async () => {
    const tenant = await service.newOrganization();
    await recordTestEvents(service, tenant, 7);
    await recordTestEvents(service, tenant, 2, "run.failed");
    const each = await preview(tenant, { cooldownSeconds: 0 });
    expectStatus(each, 200);
    expect(each.body).toMatchObject({ events: 7, matches: 7, alerts: 7, suppressed: 0, filterErrors: 0, isCut: false });
    expect(each.body.newest).toHaveLength(7);
    expect(each.body.sample).toMatchObject({ type: "run.succeeded", data: { object: "run" } });
    // All of them are of one moment: the first alert's cooldown suppresses the others.
    expect((await preview(tenant, {})).body).toMatchObject({ alerts: 1, suppressed: 6 });
    const counted = await preview(tenant, {
      trigger: { type: "count", count: 3, windowSeconds: 60 },
      cooldownSeconds: 0,
      filter: "event.data.state == 'succeeded'",
    });
    expect(counted.body).toMatchObject({ matches: 7, alerts: 2, newest: [{ eventCount: 3 }, { eventCount: 3 }] });
    expect((await preview(tenant, { filter: "event.data.state == 'lost'" })).body).toMatchObject({
      matches: 0,
      alerts: 0,
      newest: [],
    });
    const failing = await preview(tenant, { filter: "event.data.nothing.here == 1" });
    expect(failing.body).toMatchObject({ events: 7, matches: 0, filterErrors: 7 });
    expect(failing.body.filterError).toMatch(/\w/);
    const other = await service.newOrganization();
    expect((await preview(other, {})).body).toMatchObject({ events: 0, sample: null });
  });

  test("is refused for what a rule is refused for", async () => {
    for (const [body, code] of [
      [{ eventType: "run.lost" }, "event_type_unknown"],
      [{ filter: "event.(" }, "condition_invalid"],
      [{ days: 31 }, "invalid_request"],
    ] as const)
      expect((await preview(organization, body)).body).toMatchObject({ error: { code } });
  });
});
