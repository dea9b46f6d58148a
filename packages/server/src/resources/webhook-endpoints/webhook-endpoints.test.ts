import { describe, expect, test } from "vitest";
import type { WebhookDelivery } from "@rowmill/contract/webhook-deliveries";
import type { WebhookEndpoint, WebhookEndpointWithSecret } from "@rowmill/contract/webhook-endpoints";
import { parseId } from "../../platform/ids.ts";
import { expectStatus } from "../../testing/api.ts";
import type { Receiver } from "../../testing/receiver.ts";
import type { TestOrganization } from "../../testing/service.ts";
import { deliveryWith, newEndpoint, readEndpoint, recordTestEvent, verify } from "../../testing/webhooks.ts";
import { PATH, startEndpointService } from "./endpoints-testing.ts";

const { service, receiver, organization, auditOf } = await startEndpointService();

describe("an endpoint", () => {
  test("is created, read, listed, changed and deleted, each with an audit event", async () => {
    const { api } = await service.newOrganization();
    const created = await api<WebhookEndpointWithSecret>("POST", PATH, {
      body: { url: "HTTPS://Hooks.Example.COM:443/a?token=t0k3n", eventTypes: ["run.*", "export.ready"] },
    });
    expectStatus(created, 201);
    const { signingSecret, ...endpoint } = created.body;
    expect(signingSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(created.headers["location"]).toBe(`${PATH}/${endpoint.id}`);
    expect(endpoint).toMatchObject({
      url: "https://hooks.example.com/…/0k3n",
      eventTypes: ["run.*", "export.ready"],
      description: null,
      enabled: true,
      disabledReason: null,
      failingSince: null,
      lastSuccessAt: null,
    });
    expect(await readEndpoint(api, endpoint.id)).toEqual(endpoint);
    expect((await api<{ data: WebhookEndpoint[] }>("GET", PATH)).body.data).toEqual([endpoint]);

    const changed = await api<WebhookEndpoint>("PATCH", `${PATH}/${endpoint.id}`, {
      body: { description: "Orders", eventTypes: ["*"] },
    });
    expectStatus(changed, 200);
    expect(changed.body).toMatchObject({ url: endpoint.url, description: "Orders", eventTypes: ["*"], enabled: true });

    expectStatus(await api("DELETE", `${PATH}/${endpoint.id}`), 204);
    expectStatus(await api("GET", `${PATH}/${endpoint.id}`), 404);
    expectStatus(await api("DELETE", `${PATH}/${endpoint.id}`), 404);
    expectStatus(await api("PATCH", `${PATH}/${endpoint.id}`, { body: { enabled: true } }), 404);
    expectStatus(await api("POST", `${PATH}/${endpoint.id}/rotate-secret`), 404);
    expectStatus(await api("POST", `${PATH}/${endpoint.id}/test`), 404);
    expectStatus(await api("POST", `${PATH}/${endpoint.id}/replay`, { body: { since: "2026-01-01T00:00:00Z" } }), 404);
    expect((await api("GET", PATH)).body.data).toEqual([]);
    const audit = await auditOf(endpoint.id);
    expect(audit.map(({ type }) => type)).toEqual([
      "webhook_endpoint.created",
      "webhook_endpoint.updated",
      "webhook_endpoint.deleted",
    ]);
    expect(JSON.stringify(audit)).not.toContain("t0k3n");
  });

  test("may be created disabled, and health begins again when it is enabled", async () => {
    const { id } = await newEndpoint(organization.api, "https://hooks.example.com/", { enabled: false });
    expect(await readEndpoint(organization.api, id)).toMatchObject({ enabled: false, disabledReason: "by_user" });
    await service.query(
      "update webhook_endpoints set failing_since = now(), failed_deliveries = 7, warned_percent = 50, disabled_reason = 'failing' where id = $1",
      [parseId("webhookEndpoint", id)],
    );
    const enabled = await organization.api<WebhookEndpoint>("PATCH", `${PATH}/${id}`, { body: { enabled: true } });
    expect(enabled.body).toMatchObject({ enabled: true, disabledReason: null, failingSince: null });
    const [row] = await service.query("select failed_deliveries, warned_percent from webhook_endpoints where id = $1", [
      parseId("webhookEndpoint", id),
    ]);
    expect(row).toEqual({ failed_deliveries: 0, warned_percent: 0 });
    await organization.api("DELETE", `${PATH}/${id}`);
  });

  test("list pages run from the newest to the oldest", async () => {
    const { api } = await service.newOrganization();
    const ids: string[] = [];
    for (let i = 0; i < 5; i += 1) ids.unshift((await newEndpoint(api, `https://hooks.example.com/${i}`)).id);
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page: { data: WebhookEndpoint[]; nextCursor: string | null } = (
        await api<{ data: WebhookEndpoint[]; nextCursor: string | null }>(
          "GET",
          `${PATH}?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`,
        )
      ).body;
      seen.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(ids);
  });
});

describe("the URL of an endpoint", () => {
  test.each([
    ["", "length"],
    ["https://example.com/a b", "character"],
    ["https://example.com\\@127.0.0.1/", "character"],
    ["http://example.com/", "scheme"],
    ["ftp://example.com/", "scheme"],
    ["//example.com/", "scheme"],
    ["https:example.com", "scheme"],
    ["https://[::1", "malformed"],
    ["https://user:password@example.com/", "credentials"],
    ["https://@example.com/", "credentials"],
    ["https://example.com/#fragment", "fragment"],
    ["https://example.com/#", "fragment"],
    ["https://example.com:8443/", "port"],
    ["https://127.0.0.1/", "address"],
    ["https://2130706433/", "address"],
    ["https://0x7f.1/", "address"],
    ["https://0177.0.0.1/", "address"],
    ["https://10.0.0.1/", "address"],
    ["https://169.254.169.254/latest/meta-data", "address"],
    ["https://[::1]/", "address"],
    ["https://[::ffff:10.0.0.1]/", "address"],
    ["https://[64:ff9b::7f00:1]/", "address"],
    ["https://[2002:7f00:1::]/", "address"],
    ["https://[fd00::1]/", "address"],
    ["https://localhost/", "local_name"],
    ["https://api.localhost/", "local_name"],
    ["https://intranet/", "local_name"],
    ["https://db.internal/", "local_name"],
    ["https://printer.local./", "local_name"],
    ["https://nas.home.arpa/", "local_name"],
    ["https://-bad-.example.com/", "host_name"],
  ])("%j is refused at create and change: %s", async (url, reason) => {
    const response = await organization.api("POST", PATH, { body: { url, eventTypes: ["*"] } });
    expectStatus(response, 422);
    expect(response.body.error).toMatchObject({ code: "webhook_url_not_allowed", reason, param: "url" });
    const { id } = await newEndpoint(organization.api, "https://hooks.example.com/");
    const change = await organization.api("PATCH", `${PATH}/${id}`, { body: { url } });
    expectStatus(change, 422);
    expect(change.body.error).toMatchObject({ code: "webhook_url_not_allowed", reason });
    expect((await readEndpoint(organization.api, id)).url).toBe("https://hooks.example.com/");
    // There is a limit of how many an organization may have.
    await organization.api("DELETE", `${PATH}/${id}`);
  });

  test("has at most 2048 characters", async () => {
    const url = "https://hooks.example.com/".padEnd(2048, "a");
    const { id } = await newEndpoint(organization.api, url);
    await organization.api("DELETE", `${PATH}/${id}`);
    const response = await organization.api("POST", PATH, { body: { url: `${url}a`, eventTypes: ["*"] } });
    expect(response.body.error).toMatchObject({ code: "webhook_url_not_allowed", reason: "length" });
  });

  test("is not taken in the form in which it is shown", async () => {
    const { id, url } = await newEndpoint(organization.api, "https://hooks.example.com/a/0123456789");
    for (const shown of [url, new URL(url).href]) {
      const response = await organization.api("PATCH", `${PATH}/${id}`, { body: { url: shown } });
      expect(response.body.error).toMatchObject({ code: "webhook_url_not_allowed", param: "url", reason: "shortened" });
    }
    await organization.api("DELETE", `${PATH}/${id}`);
  });

  test("may be a name that does not resolve", async () => {
    const url = "https://no-such-name.invalid/hook";
    const { id } = await newEndpoint(organization.api, url);
    expect(await readEndpoint(organization.api, id)).toMatchObject({ url: "https://no-such-name.invalid/…" });
    await organization.api("DELETE", `${PATH}/${id}`);
  });
});

describe("event types", () => {
  test.each(["run.exploded", "run.progress", "datasets.*", "", "Run.succeeded", "run.succeeded ", "__proto__"])(
    "%j is not one",
    async (type) => {
      const response = await organization.api("POST", PATH, {
        body: { url: "https://hooks.example.com/", eventTypes: ["run.failed", type] },
      });
      if (type === "") return expectStatus(response, 400);
      expectStatus(response, 422);
      expect(response.body.error).toMatchObject({ code: "event_type_unknown", param: "eventTypes" });
    },
  );

  test("the nearest one is suggested", async () => {
    const messageOf = async (type: string): Promise<string> => {
      const response = await organization.api("POST", PATH, {
        body: { url: "https://hooks.example.com/", eventTypes: [type] },
      });
      expectStatus(response, 422);
      return response.body.error.message;
    };
    expect(await messageOf("datasets.*")).toContain("Did you mean `dataset.*`?");
    expect(await messageOf("run.suceeded")).toContain("Did you mean `run.succeeded`?");
    expect(await messageOf("webhookEndpoint.*")).toContain("Did you mean `webhook_endpoint.*`?");
  });

  test("every object has a pattern, which endpoints accept and the reference lists", async () => {
    const { body } = await organization.api<{
      data: { type: string; deliverable: boolean }[];
      patterns: { pattern: string; types: string[] }[];
    }>("GET", "/v1/event-types");
    const deliverable = body.data.filter((type) => type.deliverable).map(({ type }) => type);
    expect(body.patterns[0]).toEqual({ pattern: "*", types: deliverable });
    for (const type of deliverable) expect(body.patterns.filter(({ types }) => types.includes(type))).toHaveLength(2);
    const eventTypes = body.patterns.map(({ pattern }) => pattern);
    expect(eventTypes).toEqual(expect.arrayContaining(["dataset.*", "webhook_endpoint.*", "test.*"]));
    const { id } = await newEndpoint(organization.api, "https://hooks.example.com/", { eventTypes });
    expect(await readEndpoint(organization.api, id)).toMatchObject({ eventTypes });
    await organization.api("DELETE", `${PATH}/${id}`);
  });

  test.each([[[]], [["*", "*"]], ["*"], [[1]]])("%j is not a list of them", async (eventTypes) => {
    expectStatus(
      await organization.api("POST", PATH, { body: { url: "https://hooks.example.com/", eventTypes } }),
      400,
    );
  });

  test("of a change and a test are checked, too", async () => {
    const { id } = await newEndpoint(organization.api, "https://hooks.example.com/");
    expectStatus(await organization.api("PATCH", `${PATH}/${id}`, { body: { eventTypes: ["nope"] } }), 422);
    for (const eventType of ["nope", "run.*", "run.progress"]) {
      const response = await organization.api("POST", `${PATH}/${id}/test`, { body: { eventType } });
      expectStatus(response, 422);
      expect(response.body.error).toMatchObject({ code: "event_type_unknown", param: "eventType" });
    }
    await organization.api("DELETE", `${PATH}/${id}`);
  });
});

test("two creates at once do not both take the last place of the limit", async () => {
  const own = await service.newOrganization();
  await service.api("PATCH", `/v1/organizations/${own.organizationId}`, { body: { limits: { webhookEndpoints: 3 } } });
  const body = { url: "https://hooks.example.com/", eventTypes: ["*"] };
  const responses = await Promise.all(Array.from({ length: 8 }, () => own.api("POST", PATH, { body })));
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(3);
  const refused = responses.find(({ status }) => status === 409);
  expect(refused!.body.error.code).toBe("limit_reached");
  const { body: list } = await own.api("GET", PATH);
  expectStatus(await own.api("DELETE", `${PATH}/${list.data[0]!.id}`), 204);
  expectStatus(await own.api("POST", PATH, { body }), 201);
});

test("nothing of one organization can be seen or changed by another", async () => {
  const [mine, theirs] = [await service.newOrganization(), await service.newOrganization()];
  const endpoint = await newEndpoint(mine.api, `${receiver.url}/mine`);
  const other = await newEndpoint(theirs.api, `${receiver.url}/theirs`);
  const eventId = await recordTestEvent(service, mine);
  const delivery = await deliveryWith(mine.api, endpoint.id, eventId, "succeeded");
  const body = { since: "2026-01-01T00:00:00Z" };
  for (const response of [
    await theirs.api("GET", `${PATH}/${endpoint.id}`),
    await theirs.api("PATCH", `${PATH}/${endpoint.id}`, { body: { enabled: false } }),
    await theirs.api("DELETE", `${PATH}/${endpoint.id}`),
    await theirs.api("POST", `${PATH}/${endpoint.id}/test`),
    await theirs.api("POST", `${PATH}/${endpoint.id}/rotate-secret`),
    await theirs.api("POST", `${PATH}/${endpoint.id}/replay`, { body }),
    await theirs.api("GET", `/v1/webhook-deliveries/${delivery.id}`),
    await theirs.api("POST", `/v1/webhook-deliveries/${delivery.id}/redeliver`),
  ])
    expectStatus(response, 404);
  expect((await theirs.api("GET", PATH)).body.data.map(({ id }) => id)).toEqual([other.id]);
  for (const query of ["", `?webhookEndpointId=${endpoint.id}`])
    expect((await theirs.api("GET", `/v1/webhook-deliveries${query}`)).body.data).toEqual([]);
  expect(receiver.requests.filter(({ path }) => path === "/hook/theirs")).toEqual([]);
  expect(await readEndpoint(mine.api, endpoint.id)).toMatchObject({ enabled: true });
});

test("a deleted endpoint's waiting deliveries are canceled, and their records stay", async () => {
  const { api, organizationId } = await service.newOrganization();
  receiver.respond({ status: 500 });
  const endpoint = await newEndpoint(api, `${receiver.url}/deleted`);
  const eventId = await recordTestEvent(service, { organizationId });
  const failed = await deliveryWithAttempts(api, endpoint.id, eventId, 1);
  expect(failed.status).toBe("pending");
  expect(Date.parse(failed.nextAttemptAt!)).toBeGreaterThan(Date.now() + 3_000_000);
  expectStatus(await api("DELETE", `${PATH}/${endpoint.id}`), 204);
  const { body } = await api<WebhookDelivery>("GET", `/v1/webhook-deliveries/${failed.id}`);
  expect(body).toMatchObject({ status: "canceled", nextAttemptAt: null, attempts: [{ responseStatus: 500 }] });
  expect((await api("POST", `/v1/webhook-deliveries/${failed.id}/redeliver`)).body.error.code).toBe("invalid_state");
  receiver.respond({ status: 200 });
});

test("disabling by hand cancels what waits, and notifies other endpoints", async () => {
  const { api, organizationId } = await service.newOrganization();
  receiver.respond(({ path }) => ({ status: path.endsWith("/watcher") ? 200 : 500 }));
  const watcher = await newEndpoint(api, `${receiver.url}/watcher`, { eventTypes: ["webhook_endpoint.disabled"] });
  const endpoint = await newEndpoint(api, `${receiver.url}/disabled`, { eventTypes: ["run.*"] });
  const eventId = await recordTestEvent(service, { organizationId });
  const waiting = await deliveryWithAttempts(api, endpoint.id, eventId, 1);
  const disabled = await api<WebhookEndpoint>("PATCH", `${PATH}/${endpoint.id}`, { body: { enabled: false } });
  expect(disabled.body).toMatchObject({ enabled: false, disabledReason: "by_user" });
  expect((await api<WebhookDelivery>("GET", `/v1/webhook-deliveries/${waiting.id}`)).body.status).toBe("canceled");
  const warning = await receiverHas((request) => request.path === "/hook/watcher");
  expect(await verify(warning, watcher.signingSecret)).toMatchObject({
    type: "webhook_endpoint.disabled",
    data: { object: "webhook_endpoint", id: endpoint.id, disabledReason: "by_user" },
  });
  receiver.respond({ status: 200 });
});

async function deliveryWithAttempts(
  api: TestOrganization["api"],
  endpointId: string,
  eventId: string,
  attempts: number,
): Promise<WebhookDelivery> {
  const delivery = async () => {
    const { body } = await api<{ data: WebhookDelivery[] }>(
      "GET",
      `/v1/webhook-deliveries?webhookEndpointId=${endpointId}`,
    );
    return body.data.find((one) => one.eventId === eventId);
  };
  await expect.poll(async () => (await delivery())?.attempts.length).toBe(attempts);
  return (await delivery())!;
}

async function receiverHas(isIt: (request: Receiver["requests"][number]) => boolean) {
  await expect.poll(() => receiver.requests.some(isIt)).toBe(true);
  return receiver.requests.find(isIt)!;
}
