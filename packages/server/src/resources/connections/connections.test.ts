import { beforeAll, describe, expect, test } from "vitest";
import type { Connection } from "@rowmill/contract/connections";
import type { Run } from "@rowmill/contract/runs";
import { parseId } from "../../platform/ids.ts";
import { expectStatus } from "../../testing/api.ts";
import type { Api } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestOrganization, TestService } from "../../testing/service.ts";

const PATH = "/v1/connections";
const SECRET = "sk-test-0123456789abcdefWXYZ";

let service: TestService;
let organization: TestOrganization;
let api: Api;

beforeAll(async () => {
  service = await startTestService({
    ROWMILL_CONNECTION_ALLOWED_ORIGINS: "http://127.0.0.1:11434, http://gpu.internal",
  });
  organization = await service.newOrganization();
  api = organization.api;
});

const openai = { type: "openai_compatible", name: "OpenAI", baseUrl: "https://api.openai.com/v1" };

async function newConnection(more: object = {}, of: Api = api): Promise<Connection> {
  const created = await of<Connection>("POST", PATH, { body: { ...openai, ...more } });
  expectStatus(created, 201);
  return created.body;
}
const patch = (id: string, body: object) => api<Connection>("PATCH", `${PATH}/${id}`, { body });

describe("a connection", () => {
  test("is created, read, listed, changed and deleted, each with an audit event", async () => {
    const tenant = await service.newOrganization();
    const prices = { models: { "*": { inputUsdPerMillionTokens: "0.25", outputUsdPerMillionTokens: "2" } } };
    const created = await tenant.api<Connection>("POST", PATH, {
      body: { ...openai, secret: SECRET, rateLimit: { requestsPerMinute: 600 }, prices, metadata: { team: "a" } },
    });
    expectStatus(created, 201);
    const connection = created.body;
    expect(created.headers["location"]).toBe(`${PATH}/${connection.id}`);
    expect(connection).toMatchObject({
      ...openai,
      hasSecret: true,
      redactedSecret: "…WXYZ",
      rateLimit: { requestsPerMinute: 600, tokensPerMinute: null },
      prices,
      metadata: { team: "a" },
    });
    expect((await tenant.api("GET", `${PATH}/${connection.id}`)).body).toEqual(connection);
    expect((await tenant.api("GET", PATH)).body.data).toEqual([connection]);

    const changed = await tenant.api<Connection>("PATCH", `${PATH}/${connection.id}`, {
      body: { name: "Ours", rateLimit: { tokensPerMinute: 90_000 }, prices: null },
    });
    expectStatus(changed, 200);
    expect(changed.body).toMatchObject({
      name: "Ours",
      baseUrl: openai.baseUrl,
      hasSecret: true,
      rateLimit: { requestsPerMinute: 600, tokensPerMinute: 90_000 },
      prices: null,
      metadata: { team: "a" },
    });

    expectStatus(await tenant.api("DELETE", `${PATH}/${connection.id}`), 204);
    expect((await tenant.api("GET", PATH)).body.data).toEqual([]);
    for (const [method, path] of [
      ["GET", ""],
      ["DELETE", ""],
      ["PATCH", ""],
      ["POST", "/test"],
    ] as const)
      expectStatus(
        await tenant.api(method, `${PATH}/${connection.id}${path}`, method === "PATCH" ? { body: { name: "x" } } : {}),
        404,
      );
    const audit = await service.query<{ type: string; changes: object }>(
      "select type, changes from audit_events where target_id = $1 order by created_at, id",
      [connection.id],
    );
    expect(audit).toMatchObject([
      { type: "connection.created", changes: { name: "OpenAI", baseUrl: openai.baseUrl, hasSecret: true, prices } },
      { type: "connection.updated", changes: { name: "Ours", prices: null } },
      { type: "connection.deleted" },
    ]);
  });

  test("is listed by type and by name, the newest first", async () => {
    const tenant = await service.newOrganization();
    const make = (more: object) => newConnection(more, tenant.api);
    const first = await make({ name: "A" });
    const second = await make({ type: "http", name: "B", baseUrl: "https://api.example.com" });
    const third = await make({ type: "anthropic", name: "A" });
    const names = async (query: string) =>
      (await tenant.api<{ data: Connection[] }>("GET", `${PATH}${query}`)).body.data.map(({ id }) => id);
    expect(await names("")).toEqual([third.id, second.id, first.id]);
    expect(await names("?name=A")).toEqual([third.id, first.id]);
    expect(await names("?type=http,openai_compatible")).toEqual([second.id, first.id]);
    expect(await names("?type=anthropic&name=B")).toEqual([]);
    const page = (await tenant.api("GET", `${PATH}?limit=2`)).body;
    expect(await names(`?limit=2&cursor=${page.nextCursor}`)).toEqual([first.id]);
  });

  test("of type anthropic knows its provider's address, and others need one", async () => {
    const anthropic = await api<Connection>("POST", PATH, { body: { type: "anthropic", name: "Anthropic" } });
    expect(anthropic.body).toMatchObject({
      baseUrl: "https://api.anthropic.com/v1",
      hasSecret: false,
      redactedSecret: null,
    });
    for (const type of ["openai_compatible", "http"]) {
      const response = await api("POST", PATH, { body: { type, name: "x" } });
      expect([response.status, response.body.error.param]).toEqual([400, "baseUrl"]);
    }
  });

  test("has prices and limits of its own kind only", async () => {
    const models = { "*": { inputUsdPerMillionTokens: "1", outputUsdPerMillionTokens: "1" } };
    const http = await newConnection({
      type: "http",
      prices: { requestUsd: "0.001" },
      rateLimit: { requestsPerMinute: 1 },
    });
    const llm = await newConnection({ rateLimit: { tokensPerMinute: null } });
    const refused: [string, object, string][] = [
      [http.id, { prices: { models } }, "prices.models"],
      [http.id, { rateLimit: { tokensPerMinute: 5 } }, "rateLimit.tokensPerMinute"],
      [llm.id, { prices: { requestUsd: "1" } }, "prices.requestUsd"],
    ];
    for (const [id, body, param] of refused) {
      const response = await patch(id, body);
      expect([response.status, (response.body as unknown as { error: object }).error]).toMatchObject([
        400,
        { code: "invalid_request", param, details: [{ path: `/${param.replaceAll(".", "/")}` }] },
      ]);
    }
    expectStatus(await patch(llm.id, { prices: { models } }), 200);
    expectStatus(await patch(http.id, { prices: { requestUsd: "2" }, rateLimit: { tokensPerMinute: null } }), 200);
    const created = await api("POST", PATH, { body: { ...openai, type: "http", rateLimit: { tokensPerMinute: 5 } } });
    expect([created.status, created.body.error.code]).toEqual([400, "unknown_field"]);
    for (const price of ["-1", "1e3", "0,5", "1.1234567890123", " 1", ""])
      expectStatus(
        await patch(llm.id, {
          prices: { models: { "*": { inputUsdPerMillionTokens: price, outputUsdPerMillionTokens: "1" } } },
        }),
        400,
      );
  });

  test("is one of 200 at most, also when many are made at once", async () => {
    const tenant = await service.newOrganization();
    await service.query(
      `insert into connections (organization_id, id, name, type, base_url)
       select $1, gen_random_uuid(), 'x', 'http', 'https://example.com' from generate_series(1, 198)`,
      [parseId("organization", tenant.organizationId)],
    );
    const responses = await Promise.all(Array.from({ length: 5 }, () => tenant.api("POST", PATH, { body: openai })));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(2);
    const refused = responses.filter(({ status }) => status === 409);
    expect(refused.map(({ body }) => body.error.code)).toEqual(["limit_reached", "limit_reached", "limit_reached"]);
  });
});

describe("the base URL", () => {
  test.each([
    ["http://api.example.com/v1", "scheme"],
    ["https://api.example.com:8443/v1", "port"],
    ["https://127.0.0.1/v1", "address"],
    ["https://[::ffff:10.0.0.1]/", "address"],
    ["https://169.254.169.254/", "address"],
    ["https://models.internal/", "local_name"],
    ["http://127.0.0.1:11435/v1", "scheme"],
    ["https://127.0.0.1:11434/v1", "port"],
    ["http://127.0.0.1:11434@api.example.com/", "scheme"],
    ["https://user:password@api.example.com/", "credentials"],
    ["https://api.example.com/#v1", "fragment"],
    ["https://api.example.com/v1?key=a", "query"],
    ["https://api.example.com/v1?", "query"],
    ["http://gpu.internal/?", "query"],
    ["https://api.example.com/a b", "character"],
    ["", "length"],
  ])("%s is refused when it is given, and when it is changed", async (baseUrl, reason) => {
    const { id } = await newConnection();
    for (const response of [
      await api("POST", PATH, { body: { ...openai, baseUrl } }),
      await api("PATCH", `${PATH}/${id}`, { body: { baseUrl } }),
    ])
      expect([response.status, response.body.error]).toMatchObject([
        422,
        { code: "connection_url_not_allowed", param: "baseUrl", reason },
      ]);
    expectStatus(await api("DELETE", `${PATH}/${id}`), 204);
  });

  test.each([
    ["https://api.example.com", "https://api.example.com"],
    ["https://api.example.com///", "https://api.example.com"],
    ["HTTPS://API.example.com:443/V1/", "https://api.example.com/V1"],
    ["http://127.0.0.1:11434/v1/", "http://127.0.0.1:11434/v1"],
    ["http://GPU.internal:80", "http://gpu.internal"],
  ])("%s is kept as %s", async (baseUrl, kept) => {
    const connection = await newConnection({ baseUrl });
    expect(connection.baseUrl).toBe(kept);
    expectStatus(await api("DELETE", `${PATH}/${connection.id}`), 204);
  });

  test("of an operator who allows what is no origin stops the start", async () => {
    await expect(startTestService({ ROWMILL_CONNECTION_ALLOWED_ORIGINS: "http://127.0.0.1:11434/v1" })).rejects.toThrow(
      '"http://127.0.0.1:11434/v1" is not one.',
    );
  });
});

describe("the secret", () => {
  test("is found nowhere: not in a response, a table, the log, or an error", async () => {
    const { id } = await newConnection({ secret: SECRET });
    const other = `${SECRET}-2`;
    expectStatus(await patch(id, { secret: other }), 200);
    const responses = [
      await api("GET", `${PATH}/${id}`),
      await api("GET", PATH),
      await api("POST", PATH, { body: { ...openai, secret: `${SECRET}\n` } }),
      await api("POST", PATH, { body: { ...openai, baseUrl: "http://x", secret: SECRET } }),
      await api("PATCH", `${PATH}/${id}`, { body: { secret: 5 } }),
      await api("GET", `/v1/organizations/${organization.organizationId}/audit-events`),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 400, 422, 400, 200]);
    for (const { text } of responses) expect(text).not.toContain(SECRET);
    const tables = await service.query<{ name: string }>(
      "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')",
    );
    for (const { name } of tables)
      expect([
        name,
        await service.query(`select 1 from ${name} t where t::text like '%' || $1 || '%'`, [SECRET]),
      ]).toEqual([name, []]);
    expect(service.logs().join("\n")).not.toContain(SECRET);
  });

  test("shows its last characters only where it is long", async () => {
    for (const [secret, shown] of [
      ["short", "…"],
      ["fifteen-letters", "…"],
      ["sixteen--letters", "…ters"],
    ])
      expect(await newConnection({ secret })).toMatchObject({ hasSecret: true, redactedSecret: shown });
  });

  test.each(["", " x", "x ", "x\ny", "x\r\ny", "schlüssel", "x\ty", "x".repeat(8193)])(
    "cannot be %j, which fits no header",
    async (secret) => {
      const response = await api("POST", PATH, { body: { ...openai, secret } });
      expect([response.status, response.body.error.param]).toEqual([400, "secret"]);
    },
  );

  test("is removed by null, and gone with its connection", async () => {
    const { id } = await newConnection({ secret: SECRET });
    expect((await patch(id, { secret: null })).body).toMatchObject({ hasSecret: false, redactedSecret: null });
    expectStatus(await patch(id, { secret: SECRET }), 200);
    expectStatus(await api("DELETE", `${PATH}/${id}`), 204);
    expect(
      await service.query("select secret, redacted_secret from connections where id = $1", [parseId("connection", id)]),
    ).toEqual([{ secret: null, redacted_secret: null }]);
  });

  test("does not follow its connection to a path that is not below the one it was given for", async () => {
    const { id } = await newConnection({ secret: SECRET, baseUrl: "https://api.example.com/v1" });
    const others = [
      "v2",
      "v1beta",
      "",
      "v1/../echo",
      "v1/%2e%2e/echo",
      "v1/..%2fecho",
      "v1/x/%2E.%5Cecho",
      "v1/%252e%252e/echo",
    ];
    for (const path of others) {
      const response = await api("PATCH", `${PATH}/${id}`, { body: { baseUrl: `https://api.example.com/${path}` } });
      expect([path, response.status, response.body.error.param]).toEqual([path, 400, "secret"]);
    }
    expect((await patch(id, { baseUrl: "https://api.example.com/v1/" })).body.hasSecret).toBe(true);
    expect((await patch(id, { baseUrl: "https://api.example.com/v1/eu" })).body.hasSecret).toBe(true);
    expect((await api("PATCH", `${PATH}/${id}`, { body: { baseUrl: "https://api.example.com/v1" } })).status).toBe(400);
    expect((await patch(id, { baseUrl: "https://api.example.com/v2", secret: SECRET })).body.hasSecret).toBe(true);
  });

  test("does not follow its connection to another origin", async () => {
    const { id } = await newConnection({ secret: SECRET });
    for (const baseUrl of ["https://thief.example.com/v1", "http://127.0.0.1:11434/v1"]) {
      const response = await api("PATCH", `${PATH}/${id}`, { body: { baseUrl } });
      expect([response.status, response.body.error.param]).toEqual([400, "secret"]);
    }
    expect((await patch(id, { baseUrl: "https://api.openai.com/v1/below" })).body.hasSecret).toBe(true);
    const moved = await patch(id, { baseUrl: "https://api.example.com", secret: "another" });
    expect(moved.body).toMatchObject({ baseUrl: "https://api.example.com", hasSecret: true });
    expect((await patch(id, { baseUrl: "https://api.openai.com", secret: null })).body.hasSecret).toBe(false);
    expect((await patch(id, { baseUrl: "https://api.example.com" })).status).toBe(200);
  });

  test("sealed for one connection does not open for another", async () => {
    const [mine, other] = [await newConnection({ secret: SECRET }), await newConnection({ secret: "another" })];
    await service.query(
      "update connections set secret = (select secret from connections where id = $1) where id = $2",
      [parseId("connection", mine.id), parseId("connection", other.id)],
    );
    await expect(api("POST", `${PATH}/${other.id}/test`)).rejects.toThrow("500");
    expectStatus(await api("DELETE", `${PATH}/${other.id}`), 204);
  });
});

describe("a run that has not ended", () => {
  test("keeps the connection that its version of the job spec names, also as a fallback", async () => {
    const [first, second, unused] = [await newConnection(), await newConnection(), await newConnection()];
    const dataset = await newDataset(api, numberedRows(3));
    const spec = await newJobSpec(api, { type: "mock", delayMs: 60_000 });
    // A later version names another: it is the run's own that counts.
    await service.query("update job_spec_versions set connection_ids = $1 where job_spec_id = $2 and version = 1", [
      [first.id, second.id],
      parseId("jobSpec", spec.id),
    ]);
    expectStatus(
      await api("POST", `/v1/job-specs/${spec.id}/versions`, { body: { processor: { type: "mock" } } }),
      201,
    );
    const run = await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id, jobSpecVersion: 1 });
    for (const { id } of [first, second]) {
      const response = await api("DELETE", `${PATH}/${id}`);
      expect([response.status, response.body.error.code]).toEqual([409, "resource_in_use"]);
      expect(response.body.error.message).toContain(run.id);
    }
    expectStatus(await api("DELETE", `${PATH}/${unused.id}`), 204);
    expectStatus(await api<Run>("POST", `/v1/runs/${run.id}/cancel`), 200);
    await finishedRun(api, run.id);
    for (const { id } of [first, second]) expectStatus(await api("DELETE", `${PATH}/${id}`), 204);
  });
});
