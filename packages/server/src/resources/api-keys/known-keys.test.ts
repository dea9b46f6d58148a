/** A key that a process has read before is confirmed by each request's own statements: what has changed elsewhere counts at once. */
import { beforeAll, describe, expect, test } from "vitest";
import type { CreatedApiKey } from "@rowmill/contract/api-keys";
import type { AuditEvent } from "@rowmill/contract/audit-events";
import type { Run } from "@rowmill/contract/runs";
import type { ErrorBody } from "../../platform/http/errors.ts";
import { parseId } from "../../platform/ids.ts";
import { createApi, expectStatus } from "../../testing/api.ts";
import type { Api } from "../../testing/api.ts";
import { newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestOrganization, TestService } from "../../testing/service.ts";

/** Two processes: what is done by way of the one is asked of the other. */
let service: TestService;
let other: TestService;
let tenant: TestOrganization;
let run: Run;

beforeAll(async () => {
  service = await startTestService({ ROWMILL_RATE_LIMIT_PER_MINUTE: "6000" });
  other = await startTestService({ ...service.settings, ROWMILL_ROLE: "api" });
  tenant = await service.newOrganization();
  const dataset = await newDataset(tenant.api, numberedRows(1));
  const spec = await newJobSpec(tenant.api, { type: "mock" });
  run = await newRun(tenant.api, { datasetId: dataset.id, jobSpecId: spec.id });
});

/** Of requests to which the other process responds. */
async function newKnownKey(
  more: object = {},
  { of = tenant, prepare = (_key: CreatedApiKey): Promise<unknown> => Promise.resolve() } = {},
): Promise<{ key: CreatedApiKey; api: Api }> {
  const created = await service.api<CreatedApiKey>("POST", `/v1/organizations/${of.organizationId}/api-keys`, {
    body: { name: "Known", scopes: ["runs:read", "organization:read"], ...more },
  });
  expectStatus(created, 201);
  await prepare(created.body);
  const api = createApi(other.url, created.body.key, () => "");
  // The first one notes the use of the key, the second one reads it as it is from then on, the third one finds it known.
  for (let i = 0; i < 3; i++) expectStatus(await api("GET", "/v1/me"), 200);
  return { key: created.body, api };
}

/** With a statement of its own, with none, with an error before any, and with an error from what it reads. */
const requests = () => [
  `/v1/runs/${run.id}`,
  "/v1/me",
  "/v1/runs/run_nonsense",
  "/v1/runs/run_01jd3v8m7qe6t9yb4c2xk5w0hz",
];

async function codesOf(api: Api): Promise<unknown[]> {
  const codes = [];
  for (const path of requests()) {
    const { status, body } = await api<{ error?: ErrorBody["error"] }>("GET", path);
    codes.push(body.error?.code ?? status);
  }
  return codes;
}

const all = (code: string): string[] => requests().map(() => code);

describe("a known key stops at the next request on another process", () => {
  test("once it is revoked", async () => {
    for (const path of requests()) {
      const { key, api } = await newKnownKey();
      const revoked = await service.api("DELETE", `/v1/organizations/${tenant.organizationId}/api-keys/${key.id}`);
      expectStatus(revoked, 204);
      const refused = await api("GET", path);
      expect([refused.status, refused.body.error.code]).toEqual([401, "api_key_revoked"]);
    }
  });

  test("once it expires, by the clock or because its end was moved", async () => {
    const { key, api } = await newKnownKey();
    expect(await codesOf(api)).toEqual([200, 200, "not_found", "not_found"]);
    await service.query("update api_keys set expires_at = now() where redacted_key = $1", [key.redactedKey]);
    expect(await codesOf(api)).toEqual(all("api_key_expired"));
  });

  test("while its organization is suspended", async () => {
    const suspended = await service.newOrganization();
    const { api } = await newKnownKey({}, { of: suspended });
    const set = async (state: string) =>
      expectStatus(
        await service.api("PATCH", `/v1/organizations/${suspended.organizationId}`, { body: { state } }),
        200,
      );
    await set("suspended");
    expect(await codesOf(api)).toEqual(all("organization_suspended"));
    await set("active");
    expect(await codesOf(api)).toEqual(["not_found", 200, "not_found", "not_found"]);
  });

  test("where it has lost a scope; and may do what it has gained", async () => {
    const { key, api } = await newKnownKey();
    const set = (scopes: string) =>
      service.query("update api_keys set scopes = $2 where redacted_key = $1", [key.redactedKey, scopes]);
    await set("{datasets:read}");
    expect((await api("GET", `/v1/runs/${run.id}`)).body.error.code).toBe("insufficient_scope");
    expectStatus(await api("GET", "/v1/me"), 200);
    await set("{runs:read}");
    expectStatus(await api("GET", `/v1/runs/${run.id}`), 200);
  });

  test("also of requests that are under way at once", async () => {
    const { key, api } = await newKnownKey();
    await service.query("update api_keys set revoked_at = now() where redacted_key = $1", [key.redactedKey]);
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => (await api("GET", `/v1/runs/${run.id}`)).status),
    );
    expect(new Set(statuses)).toEqual(new Set([401]));
  });
});

test("a request that begins again takes one token", async () => {
  // For this bucket time stands still: nothing is refilled.
  const fillBucket = ({ id }: CreatedApiKey) =>
    service.query(
      `insert into rate_limit_buckets (organization_id, subject_id, tokens, granted, refilled_at)
       values ($1, $2, 5, 0, now() + interval '1 hour')`,
      [parseId("organization", tenant.organizationId), parseId("apiKey", id)],
    );
  // Of its tokens three are gone when the key is known.
  const { key, api } = await newKnownKey({ requestsPerMinute: 5 }, { prepare: fillBucket });
  const statuses = [];
  for (let i = 0; i < 3; i++) {
    await service.query("update api_keys set name = name || '!' where redacted_key = $1", [key.redactedKey]);
    statuses.push((await api("GET", `/v1/runs/${run.id}`)).status);
  }
  expect(statuses).toEqual([200, 200, 429]);
});

test("what a known key is refused is recorded once, whether it is found out at once or by its read", async () => {
  const { key, api } = await newKnownKey();
  await service.query("update api_keys set scopes = '{datasets:read}' where redacted_key = $1", [key.redactedKey]);
  expectStatus(await api("GET", `/v1/runs/${run.id}`), 403);
  expectStatus(await api("GET", "/v1/datasets?limit=1"), 200);
  await service.query("update api_keys set revoked_at = now() where redacted_key = $1", [key.redactedKey]);
  expectStatus(await api("GET", "/v1/datasets?limit=1"), 401);
  const path = `/v1/organizations/${tenant.organizationId}/audit-events?type=auth.denied&apiKeyId=${key.id}`;
  const { data } = (await service.api<{ data: AuditEvent[] }>("GET", path)).body;
  expect(data.map(({ changes }) => [changes["code"], changes["count"]])).toEqual([
    ["api_key_revoked", 1],
    ["insufficient_scope", 1],
  ]);
});
