/** By the front door: two services on one database are two processes as far as these limits go. */
import { afterEach, describe, expect, test } from "vitest";
import type { CreatedApiKey } from "@rowmill/contract/api-keys";
import type { Readings } from "../../start-service.ts";
import { parseId } from "../ids.ts";
import { expectStatus } from "../../testing/api.ts";
import type { Api, ApiResponse } from "../../testing/api.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestOrganization, TestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";

const slow = { ROWMILL_RATE_LIMIT_PER_MINUTE: "60", ROWMILL_RATE_LIMIT_BURST: "20" };

let started: TestService[] = [];
async function start(settings: Record<string, string>, readings?: Readings): Promise<TestService> {
  const service = await startTestService(settings, readings);
  started.push(service);
  return service;
}
afterEach(async () => {
  for (const service of started) await service.stop();
  started = [];
});

const ask = (api: Api, key?: string) => api("GET", "/v1/me", key === undefined ? {} : { key });
const statusesOf = (responses: ApiResponse<unknown>[]) => ({
  passed: responses.filter(({ status }) => status === 200).length,
  refused: responses.filter(({ status }) => status === 429).length,
});
const many = (count: number, request: () => Promise<ApiResponse<unknown>>) =>
  Promise.all(Array.from({ length: count }, request));
const limit = (service: TestService, of: TestOrganization, requestsPerMinute: number | null) =>
  service.api("PATCH", `/v1/organizations/${of.organizationId}`, { body: { limits: { requestsPerMinute } } });

/** A bucket of so many tokens, for which time stands still: nothing is refilled. */
const stopTime = (service: TestService, { organizationId }: TestOrganization, subjectId: unknown, tokens: number) =>
  service.query(
    `insert into rate_limit_buckets (organization_id, subject_id, tokens, granted, refilled_at)
     values ($1, $2, $3, 0, now() + interval '1 hour')`,
    [parseId("organization", organizationId), subjectId, tokens],
  );
const startTime = (service: TestService, subjectId: unknown) =>
  service.query("update rate_limit_buckets set refilled_at = now() where subject_id = $1", [subjectId]);

/** Requests that passed within `started` and now: no more than the bucket and what came into it. */
function expectWithin(passed: number, burst: number, perMinute: number, startedAt: number): void {
  const refilled = ((performance.now() - startedAt) / 60_000) * perMinute;
  expect(passed).toBeLessThanOrEqual(burst + Math.ceil(refilled));
}

describe("an organization", () => {
  test("may send its burst at once; then it learns when to come back, and may again by then", async () => {
    const service = await start(slow);
    const tenant = await service.newOrganization();
    const startedAt = performance.now();
    const responses = await many(60, () => ask(tenant.api));
    const { passed, refused } = statusesOf(responses);
    expect(passed + refused).toBe(60);
    expect(passed).toBeGreaterThanOrEqual(20);
    expectWithin(passed, 20, 60, startedAt);
    // One more request would find the token of a second that has passed since.
    const last = responses.findLast(({ status }) => status === 429)!;
    expect(last.body).toMatchObject({ error: { code: "rate_limited", retryable: true } });
    const retryAfter = Number(last.headers["retry-after"]);
    expect(retryAfter).toBeGreaterThanOrEqual(1);
    expect(last.headers["ratelimit"]).toBe(`"organization";r=0;t=${retryAfter}`);
    expect(last.headers["ratelimit-policy"]).toBe('"organization";q=60;w=60');
    await waitFor(async () => (await ask(tenant.api)).status === 200, { what: "the bucket has a token again" });
  });

  test("learns from every response how much is left", async () => {
    // A token in twenty seconds.
    const service = await start({ ROWMILL_RATE_LIMIT_PER_MINUTE: "3", ROWMILL_RATE_LIMIT_BURST: "20" });
    const tenant = await service.newOrganization();
    const left = [];
    for (let i = 0; i < 3; i++) {
      const { headers } = await ask(tenant.api);
      expect(headers["ratelimit-policy"]).toBe('"organization";q=3;w=60');
      const [, remaining, seconds] = /^"organization";r=(\d+);t=(\d+)$/.exec(headers["ratelimit"] ?? "") ?? [];
      left.push(Number(remaining));
      expect(Number(seconds)).toBe((3 - Number(remaining)) * 20);
    }
    expect(left[0]).toBe(2);
    expect(left[2]).toBeLessThanOrEqual(1);
  });

  test("has one limit for all its keys and all processes", async () => {
    const service = await start({ ...slow, ROWMILL_RATE_LIMIT_BURST: "60" });
    const other = await start(service.settings);
    const tenant = await service.newOrganization();
    const second = await service.api<CreatedApiKey>("POST", `/v1/organizations/${tenant.organizationId}/api-keys`, {
      body: { name: "Second", scopes: ["*"] },
    });
    const startedAt = performance.now();
    const responses = await Promise.all([
      many(50, () => ask(tenant.api)),
      many(50, () => ask(other.api, second.body.key)),
      many(50, () => ask(other.api, tenant.apiKey)),
    ]);
    const { passed } = statusesOf(responses.flat());
    expectWithin(passed, 60, 60, startedAt);
    // The tokens that two processes have taken and not used: at most six each.
    expect(passed).toBeGreaterThanOrEqual(60 - 12);
    // What a process did not spend goes back: another one gets it in the end.
    await other.stop();
    let more = 0;
    for (let response = await ask(tenant.api); response.status === 200; response = await ask(tenant.api)) more++;
    expectWithin(passed + more, 60, 60, startedAt);
    expect(passed + more).toBeGreaterThanOrEqual(60 - 6);
  });

  test("does not feel the others", async () => {
    const service = await start(slow);
    const [loud, quiet] = [await service.newOrganization(), await service.newOrganization()];
    expect(statusesOf(await many(60, () => ask(loud.api))).refused).toBeGreaterThan(0);
    expect(statusesOf(await many(10, () => ask(quiet.api))).passed).toBe(10);
  });

  test("has the limit that the admin gives it, at once, and the service's again without one", async () => {
    const service = await start({ ...slow, ROWMILL_RATE_LIMIT_BURST: "100" });
    const tenant = await service.newOrganization();
    await limit(service, tenant, 6000);
    expect(statusesOf(await many(80, () => ask(tenant.api))).passed).toBe(80);
    expect((await ask(tenant.api)).headers["ratelimit-policy"]).toBe('"organization";q=6000;w=60');
    await limit(service, tenant, 5);
    const startedAt = performance.now();
    expectWithin(statusesOf(await many(40, () => ask(tenant.api))).passed, 5 + 5, 5, startedAt);
    await limit(service, tenant, null);
    const shown = await service.api("GET", `/v1/organizations/${tenant.organizationId}`);
    expect(shown.body["limits"]).toMatchObject({ requestsPerMinute: 60 });
  });
});

describe("a key", () => {
  test("with a limit of its own is limited by it, beside keys that are not", async () => {
    const service = await start({ ROWMILL_RATE_LIMIT_PER_MINUTE: "6000" });
    const tenant = await service.newOrganization();
    const created = await tenant.api<CreatedApiKey>("POST", `/v1/organizations/${tenant.organizationId}/api-keys`, {
      body: { name: "Slow", requestsPerMinute: 3 },
    });
    expectStatus(created, 201);
    expect(created.body.requestsPerMinute).toBe(3);
    const { key } = created.body;
    await stopTime(service, tenant, parseId("apiKey", created.body.id), 3);
    const responses = await many(10, () => ask(tenant.api, key));
    expect(statusesOf(responses)).toEqual({ passed: 3, refused: 7 });
    const passed = responses.find(({ status }) => status === 200);
    expect(passed?.headers["ratelimit-policy"]).toBe('"key";q=3;w=60, "organization";q=6000;w=60');
    expect(passed?.headers["ratelimit"]).toMatch(/^"key";r=\d;t=\d+, "organization";r=\d+;t=\d+$/);
    const refused = responses.find(({ status }) => status === 429);
    expect(refused?.headers["ratelimit"]).toMatch(/^"key";r=0;t=(1?\d|20)$/);
    expect(statusesOf(await many(30, () => ask(tenant.api))).passed).toBe(30);
  });

  test("that is refused leaves the organization's bucket as it was", async () => {
    const service = await start({ ...slow, ROWMILL_RATE_LIMIT_BURST: "30" });
    const tenant = await service.newOrganization();
    const path = `/v1/organizations/${tenant.organizationId}/api-keys`;
    const created = await service.api<CreatedApiKey>("POST", path, { body: { name: "Slow", requestsPerMinute: 1 } });
    expect(statusesOf(await many(200, () => ask(tenant.api, created.body.key)))).toEqual({ passed: 1, refused: 199 });
    expect(statusesOf(await many(29, () => ask(tenant.api))).passed).toBe(29);
  });
});

test("a refused request does nothing, and may be repeated with its Idempotency-Key", async () => {
  const service = await start({ ...slow, ROWMILL_RATE_LIMIT_BURST: "1" });
  const tenant = await service.newOrganization();
  const organizationId = parseId("organization", tenant.organizationId);
  const request = {
    body: { name: "Once", processor: { type: "mock" } },
    idempotencyKey: "limited",
  };
  await stopTime(service, tenant, organizationId, 1);
  expectStatus(await ask(tenant.api), 200);
  expect((await tenant.api("POST", "/v1/job-specs", request)).status).toBe(429);
  await startTime(service, organizationId);
  const created = await waitFor(async () => {
    const response = await tenant.api("POST", "/v1/job-specs", request);
    return response.status === 201 ? response : undefined;
  });
  expect(created.headers["idempotent-replayed"]).toBeUndefined();
});

test("the admin has no limit, and 0 is none for anybody", async () => {
  const limited = await start({ ROWMILL_RATE_LIMIT_PER_MINUTE: "1", ROWMILL_RATE_LIMIT_BURST: "1" });
  const responses = await many(50, () => ask(limited.api));
  expect(statusesOf(responses).passed).toBe(50);
  expect(responses[0]?.headers["ratelimit"]).toBeUndefined();
  const unlimited = await start({ ROWMILL_RATE_LIMIT_PER_MINUTE: "0" });
  const tenant = await unlimited.newOrganization();
  await limit(unlimited, tenant, 1);
  expect(statusesOf(await many(50, () => ask(tenant.api))).passed).toBe(50);
});

describe("without a valid key", () => {
  test("an address is limited, whether it names no key, a wrong one, or one that may not do this", async () => {
    // Nothing is refilled while the tokens are used up: on a slow machine it would be all that the requests take.
    const service = await start(
      { ROWMILL_RATE_LIMIT_PER_MINUTE: "100000", ROWMILL_RATE_LIMIT_BURST: "1000" },
      { clockOfAddresses: () => 0 },
    );
    const tenant = await service.newOrganization();
    const tries = [
      () => tenant.api("GET", "/v1/me", { key: null }),
      () => tenant.api("GET", "/v1/me", { key: "rmk_nonsense" }),
      () => tenant.api("GET", "/v1/organizations"),
      () => tenant.api("GET", "/v1/error-codes", { key: null }),
      () =>
        tenant.api("POST", "/v1/invitations/accept", { key: null, body: { token: "rmi_guessed", name: "Mallory" } }),
    ];
    for (let i = 0; i < 60; i++) await Promise.all(tries.map((attempt) => attempt()));
    for (const attempt of tries) {
      const refused = (await many(60, attempt)).filter(({ status }) => status === 429);
      expect(refused).toHaveLength(60);
      expect(refused[0]).toMatchObject({ body: { error: { code: "rate_limited" } } });
      expect(Number(refused[0]?.headers["retry-after"])).toBeGreaterThanOrEqual(1);
    }
    // Requests with a key are not concerned.
    expect(statusesOf(await many(20, () => ask(tenant.api))).passed).toBe(20);
    expect((await ask(service.api)).status).toBe(200);
  });
});
