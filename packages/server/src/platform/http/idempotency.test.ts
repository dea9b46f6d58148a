/** Idempotency (specification 4.1), as clients see it; two services on one database stand for two processes. */
import { beforeAll, describe, expect, test } from "vitest";
import type { CreatedApiKey } from "@rowmill/contract/api-keys";
import type { ApiResponse, AnyBody } from "../../testing/api.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestOrganization, TestService } from "../../testing/service.ts";
import { holdCreates, waitUntilClaimed } from "./idempotency-testing.ts";

/** The least the setting allows, so that waiting duplicates that kept connections would be noticed. */
const FEW_CONNECTIONS = { ROWMILL_DATABASE_CONNECTIONS: "5" };

let service: TestService;
let other: TestService;
let tenant: TestOrganization;
let keysPath: string;
let number = 0;
const newKey = (): string => `idempotency-${++number}`;

beforeAll(async () => {
  service = await startTestService(FEW_CONNECTIONS);
  other = await startTestService(service.settings);
  tenant = await service.newOrganization();
  keysPath = `/v1/organizations/${tenant.organizationId}/api-keys`;
});
const create = (name: string, idempotencyKey: string | null, by: TestService = service, more: object = {}) =>
  by.api("POST", "/v1/organizations", { body: { name, ...more }, idempotencyKey });
/** As clients do: a request that has waited for the first one for ten seconds, and was refused, comes again. */
async function createPatiently(...given: Parameters<typeof create>): Promise<Awaited<ReturnType<typeof create>>> {
  for (;;) {
    const response = await create(...given);
    if (response.body["error"]?.code !== "idempotency_in_progress") return response;
  }
}
const countNamed = async (name: string): Promise<number> =>
  (
    await service.query<{ count: number }>("select count(*)::int as count from organizations where name = $1", [name])
  )[0]!.count;
const isReplay = (response: ApiResponse<unknown>): boolean => response.headers["idempotent-replayed"] === "true";

describe("the same key and the same body", () => {
  test("give the first response again and do nothing more", async () => {
    const key = newKey();
    const [first, second, third] = [
      await create("Once", key),
      await create("Once", key),
      await create("Once", key, other),
    ];
    expect(first.status).toBe(201);
    expect(isReplay(first)).toBe(false);
    for (const replay of [second, third]) {
      expect(replay.status).toBe(201);
      expect(replay.text).toBe(first.text);
      expect(replay.headers["location"]).toBe(first.headers["location"]);
      expect(replay.headers["content-type"]).toBe(first.headers["content-type"]);
      expect(isReplay(replay)).toBe(true);
      expect(replay.headers["request-id"]).not.toBe(first.headers["request-id"]);
    }
    expect(await countNamed("Once")).toBe(1);
    const audits = await service.query("select 1 from audit_events where target_id = $1", [first.body.id]);
    expect(audits).toHaveLength(1);
  });

  test("are the same whatever the order of members, the white space and the spelling of numbers", async () => {
    const key = newKey();
    const bodies = [
      '{"name":"Same","metadata":{"a":"1","b":"é"}}',
      String.raw`{ "metadata" : {"b":"\u00e9", "a":"1"}, "name":"S\u0061me" }`,
    ];
    const responses = [];
    for (const body of bodies)
      responses.push(await service.api("POST", "/v1/organizations", { body, idempotencyKey: key }));
    expect(responses.map(isReplay)).toEqual([false, true]);
  });

  test("give the first response although what was made has changed since", async () => {
    const key = newKey();
    const first = await create("Before", key);
    await service.api("PATCH", `/v1/organizations/${first.body.id}`, { body: { name: "After" } });
    expect((await create("Before", key)).text).toBe(first.text);
  });

  test("twelve at once make one thing and get one response", async () => {
    const key = newKey();
    const responses = await Promise.all(Array.from({ length: 12 }, () => createPatiently("Twelve", key)));
    expect(responses.map(({ status }) => status)).toEqual(Array(12).fill(201));
    expect(responses.filter(isReplay)).toHaveLength(11);
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(await countNamed("Twelve")).toBe(1);
  });

  test("twelve at once in two processes make one thing and get one response", async () => {
    const key = newKey();
    const release = await holdCreates(service);
    const asked = Array.from({ length: 12 }, (_, i) =>
      createPatiently("Two processes", key, i % 2 === 0 ? service : other),
    );
    // One works; of the other process one waits for its key; the others wait for those, without a connection.
    await waitUntilClaimed(service, 1);
    await release();
    const responses = await Promise.all(asked);
    expect(responses.map(({ status }) => status)).toEqual(Array(12).fill(201));
    expect(responses.filter(isReplay)).toHaveLength(11);
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(await countNamed("Two processes")).toBe(1);
  });

  test("waiting duplicates hold no connection: others are served meanwhile", async () => {
    const key = newKey();
    const release = await holdCreates(service);
    const asked = Array.from({ length: 30 }, () => createPatiently("Patient", key));
    await waitUntilClaimed(service, 1);
    for (let i = 0; i < 5; i++) expect((await tenant.api("GET", "/v1/datasets")).status).toBe(200);
    const busy = () =>
      service.query(
        "select 1 from pg_stat_activity where datname = current_database() and application_name = 'rowmill' and (state like '%in transaction%' or wait_event_type = 'Lock')",
      );
    // A task of the service may be in a transaction for a moment; what waits for the first request would be until that has ended.
    await expect.poll(async () => (await busy()).length).toBeLessThanOrEqual(1);
    await release();
    expect((await Promise.all(asked)).filter(isReplay)).toHaveLength(29);
  });

  test("a first request that takes too long is not waited for longer than ten seconds, here and in another process", async () => {
    const key = newKey();
    const release = await holdCreates(service);
    const first = create("Slow", key);
    await waitUntilClaimed(service, 1);
    const startedAt = Date.now();
    const duplicates = await Promise.all([create("Slow", key), create("Slow", key, other)]);
    const waitedMs = Date.now() - startedAt;
    for (const duplicate of duplicates) {
      expect([duplicate.status, duplicate.body.error.code]).toEqual([409, "idempotency_in_progress"]);
      expect(Number(duplicate.headers["retry-after"])).toBeGreaterThan(0);
    }
    // They had their responses while the first request still stood.
    expect(waitedMs).toBeGreaterThan(9_000);
    await release();
    expect((await first).status).toBe(201);
    expect(isReplay(await create("Slow", key))).toBe(true);
    expect(await countNamed("Slow")).toBe(1);
  });
});

describe("the same key and another body", () => {
  test("conflict, here and in another process, and the first response stays", async () => {
    const key = newKey();
    const first = await create("First", key);
    for (const by of [service, other]) {
      const response = await create("Second", key, by);
      expect([response.status, response.body.error.code, response.body.error.param]).toEqual([
        409,
        "idempotency_conflict",
        "Idempotency-Key",
      ]);
    }
    expect((await create("First", key)).text).toBe(first.text);
    expect(await countNamed("Second")).toBe(0);
  });

  test("conflict while the first is still being worked on", async () => {
    const key = newKey();
    const release = await holdCreates(service);
    const first = create("Working", key);
    await waitUntilClaimed(service, 1);
    const seconds = [create("Meddling", key), create("Meddling", key, other)];
    await release();
    expect((await first).status).toBe(201);
    expect((await Promise.all(seconds)).map(({ body }) => body.error.code)).toEqual(
      Array(2).fill("idempotency_conflict"),
    );
  });

  test("conflict when the second body is wrong, and when it is an empty one", async () => {
    const key = newKey();
    await create("Right", key);
    for (const body of [{ nonsense: 1 }, {}]) {
      const response = await service.api("POST", "/v1/organizations", { body, idempotencyKey: key });
      expect([400, 409]).toContain(response.status);
    }
    expect((await create("Right", key, service, { metadata: {} })).body.error.code).toBe("idempotency_conflict");
  });
});

describe("a failed request leaves no trace", () => {
  test("its key works with a corrected body", async () => {
    const key = newKey();
    const slug = "taken-slug";
    await create("Owner", newKey(), service, { slug });
    const refused = [
      await create("", key),
      await service.api("POST", "/v1/organizations", { body: "{", idempotencyKey: key }),
      await create("Late", key, service, { slug }),
      await create("Late", key, service, { slug }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 409, 409]);
    expect(refused.some(isReplay)).toBe(false);
    expect(await service.query("select 1 from idempotency_keys where key = $1", [key])).toEqual([]);
    expect(await countNamed("Late")).toBe(0);
    const corrected = await create("Late", key);
    expect(corrected.status).toBe(201);
    expect(isReplay(corrected)).toBe(false);
  });

  test("those that wait for one that fails find out for themselves", async () => {
    const key = newKey();
    const slug = "contested-slug";
    await create("Rival", newKey(), service, { slug });
    const release = await holdCreates(service);
    const asked = [service, service, other].map((by) => create("Contested", key, by, { slug }));
    await waitUntilClaimed(service, 1);
    await release();
    expect((await Promise.all(asked)).map(({ body }) => body.error.code)).toEqual(Array(3).fill("already_exists"));
    expect(await service.query("select 1 from idempotency_keys where key = $1", [key])).toEqual([]);
  });

  test("of those that wait for one whose connection breaks, one does the work", async () => {
    const key = newKey();
    const release = await holdCreates(service);
    const first = create("Broken", key);
    await waitUntilClaimed(service, 1);
    const duplicates = [service, service, other].map((by) => create("Broken", key, by));
    await service.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like 'insert into \"organizations\"%'",
    );
    expect((await first).body.error.code).toBe("service_unavailable");
    await waitUntilClaimed(service, 1);
    await release();
    const responses = await Promise.all(duplicates);
    expect(responses.map(({ status }) => status)).toEqual(Array(3).fill(201));
    expect(responses.filter(isReplay)).toHaveLength(2);
    expect(await countNamed("Broken")).toBe(1);
  });
});

describe("the header", () => {
  const codeOf = async (key: string | null, headers: Record<string, string> = {}) => {
    const response = await service.api("POST", "/v1/organizations", {
      body: { name: "Header" },
      idempotencyKey: key,
      headers,
    });
    return response.status === 201 ? 201 : response.body.error.code;
  };

  test("is required on a create, before anything is said of the body", async () => {
    const response = await service.api("POST", "/v1/organizations", { body: "{", idempotencyKey: null });
    expect([response.status, response.body.error.code, response.body.error.param]).toEqual([
      400,
      "idempotency_key_required",
      "Idempotency-Key",
    ]);
  });

  test("is 1 to 255 visible characters", async () => {
    expect(await codeOf("k".repeat(255))).toBe(201);
    expect(await codeOf("!~'(),/:;<=>?@[]{}%")).toBe(201);
    for (const wrong of ["", '""', "k".repeat(256), "two words", "tab\tbed", "umlaut-\u00e4", `"${"k".repeat(256)}"`])
      expect([wrong, await codeOf(wrong)]).toEqual([wrong, "idempotency_key_invalid"]);
  });

  test("may stand in quotes, which are not part of the key", async () => {
    const key = newKey();
    const first = await create("Quoted", `"${key}"`);
    expect((await create("Quoted", key)).text).toBe(first.text);
    const lone = await create("A lone quote", `"${key}`);
    expect(isReplay(lone)).toBe(false);
  });

  test("given twice is refused", async () => {
    const response = await fetch(`${service.url}/v1/organizations`, {
      method: "POST",
      headers: [
        ["Authorization", `Bearer ${service.adminKey}`],
        ["Content-Type", "application/json"],
        ["Idempotency-Key", "one"],
        ["Idempotency-Key", "two"],
      ],
      body: '{"name":"Twice"}',
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: "idempotency_key_invalid" } });
  });
});

describe("a key belongs to", () => {
  const createKey = (of: TestOrganization, idempotencyKey: string, name = "Scoped"): Promise<ApiResponse<AnyBody>> =>
    of.api("POST", `/v1/organizations/${of.organizationId}/api-keys`, { body: { name }, idempotencyKey });

  test("its organization: a stranger's same key is another", async () => {
    const key = newKey();
    const stranger = await service.newOrganization();
    const [mine, theirs] = [await createKey(tenant, key), await createKey(stranger, key, "Another body")];
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(isReplay(theirs)).toBe(false);
  });

  test("its path: the same key elsewhere is another", async () => {
    const key = newKey();
    const one = await service.newOrganization();
    const two = await service.newOrganization();
    const by = (organizationId: string) =>
      service.api("POST", `/v1/organizations/${organizationId}/api-keys`, {
        body: { name: "By the admin" },
        idempotencyKey: key,
      });
    const responses = [await by(one.organizationId), await by(two.organizationId), await create("Elsewhere", key)];
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(responses.some(isReplay)).toBe(false);
  });

  test("all keys of the organization: a repeat with a newer API key is a repeat, without the secret", async () => {
    const key = newKey();
    const newer = await tenant.api<CreatedApiKey>("POST", keysPath, { body: { name: "Newer", scopes: ["*"] } });
    const first = await createKey(tenant, key);
    const second = await tenant.api("POST", keysPath, {
      body: { name: "Scoped" },
      idempotencyKey: key,
      key: newer.body.key,
    });
    const { key: _secret, ...shown } = first.body;
    expect(isReplay(second)).toBe(true);
    expect(second.body).toEqual(shown);
  });
});

describe("who asks is looked at first", () => {
  test("a repeat with a key that was revoked meanwhile is 401, one that lacks the scope 403", async () => {
    const key = newKey();
    const maker = await tenant.api<CreatedApiKey>("POST", keysPath, { body: { name: "Maker", scopes: ["*"] } });
    const reader = await tenant.api<CreatedApiKey>("POST", keysPath, {
      body: { name: "Reader", scopes: ["api_keys:read"] },
    });
    const ask = (apiKey: string) =>
      tenant.api("POST", keysPath, { body: { name: "Made" }, idempotencyKey: key, key: apiKey });
    expect((await ask(maker.body.key)).status).toBe(201);
    expect((await ask(reader.body.key)).body.error.code).toBe("insufficient_scope");
    await tenant.api("DELETE", `${keysPath}/${maker.body.id}`);
    expect((await ask(maker.body.key)).body.error.code).toBe("api_key_revoked");
  });
});
