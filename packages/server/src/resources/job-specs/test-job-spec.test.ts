/** Trying a job spec whose processor calls others. */
import type { ServerResponse } from "node:http";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Connection } from "@rowmill/contract/connections";
import type { Operations } from "@rowmill/contract";
import type { ProcessorConfig } from "@rowmill/contract/processors";
import type { UsageGroup } from "@rowmill/contract/usage";
import type { Static } from "typebox";
import { parseId } from "../../platform/ids.ts";
import { findJson } from "../../processors/llm/find-json.ts";
import { expectStatus } from "../../testing/api.ts";
import type { Api } from "../../testing/api.ts";
import { newJobSpec, numberedRows } from "../../testing/factories.ts";
import { startHttpService } from "../../testing/http-service.ts";
import type { HttpService } from "../../testing/http-service.ts";
import { leastHold, mostHoldMs } from "../../testing/longest-step.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";

type Tried = Static<Operations["testJobSpec"]["response"]["schema"]>;

const ROWS = 20;

let http: HttpService;
let service: TestService;
let api: Api;
let key: string;
beforeAll(async () => {
  http = await startHttpService();
  service = await startTestService({ ROWMILL_CONNECTION_ALLOWED_ORIGINS: http.origin });
  ({ api, apiKey: key } = await service.newOrganization());
});
beforeEach(() => void http.requests.splice(0));

/** Asks for `/<n>` of each row. */
const get = (more: object = {}): ProcessorConfig => ({
  type: "http",
  method: "GET",
  url: `${http.origin}/{{row.n}}`,
  ...more,
});

async function tryRows(of: Api, processor: ProcessorConfig, rows: object[], more: Record<string, unknown> = {}) {
  const spec = await newJobSpec(of, processor, more);
  const reply = await of<Tried>("POST", `/v1/job-specs/${spec.id}/test`, { body: { rows } });
  expectStatus(reply, 200);
  return reply;
}

test("all rows are called for at once, and returned in their order", async () => {
  const waiting: [ServerResponse, string][] = [];
  http.respond(({ path }, response) => {
    // No request gets a response before all are there, and the last comes first.
    waiting.push([response, path]);
    if (waiting.length === ROWS) for (const [blocked, asked] of waiting.toReversed()) blocked.end(asked.slice(1));
  });
  const { body } = await tryRows(api, get(), numberedRows(ROWS));
  expect(body.failures).toEqual([]);
  expect(body.outputs.map(({ index, data }) => [index, data])).toEqual(numberedRows(ROWS).map(({ n }) => [n, n]));
});

test("says what each row has used, and what all together", async () => {
  const created = await api<Connection>("POST", "/v1/connections", {
    body: { type: "http", name: "Paid", baseUrl: http.origin, prices: { requestUsd: "0.25" } },
  });
  expectStatus(created, 201);
  http.respond(({ path }, response) => void response.writeHead(path === "/1" ? 404 : 200).end("{}"));
  const processor = get({ url: "/{{row.n}}", connection: created.body.id });
  const { body } = await tryRows(api, processor, [...numberedRows(3), { m: 3 }]);
  const call = { connectionId: created.body.id, costUsd: "0.25" };
  expect(body.outputs.map(({ usage }) => usage)).toEqual(
    [0, 2].map(() => ({ requests: 1, costUsd: "0.25", calls: [call] })),
  );
  expect(body.failures).toMatchObject([
    { index: 1, code: "http_4xx", usage: { requests: 1, calls: [{ ...call, code: "http_4xx" }] } },
    { index: 3, code: "template_error", usage: null },
  ]);
  expect(body.totals).toEqual({ inputTokens: 0, outputTokens: 0, requests: 3, unpricedRequests: 0, costUsd: "0.75" });
});

test("keeps what is finished when other rows run out of time", async () => {
  http.respond(({ path }, response) => void (path === "/1" || response.end('"here"')));
  const { body } = await tryRows(api, get(), numberedRows(3), { timeoutSeconds: 5 });
  expect(body.outputs).toMatchObject([
    { index: 0, data: "here" },
    { index: 2, data: "here" },
  ]);
  expect(body.failures).toMatchObject([
    { index: 1, code: "row_timeout", class: "limits", retryable: true, usage: { requests: 1 } },
  ]);
  expect(body.totals.requests).toBe(3);
});

test("an output that is no JSON for a database is a failure, and exact numbers stay exact", async () => {
  const responses = [String.raw`"\u0000"`, '{"n":12345678901234567890.10}'];
  http.respond(({ path }, response) => void response.end(responses[Number(path.slice(1))]));
  const { body, text } = await tryRows(api, get(), numberedRows(2));
  expect(body.failures).toMatchObject([{ index: 0, code: "output_not_json", usage: { requests: 1 } }]);
  expect(text).toContain('"data":{"n":12345678901234567890.10}');
});

test("megabytes of output do not hold the thread that serves everybody", async () => {
  const output = `{"n":[${"1e0,".repeat(500_000)}1],"text":"${"x".repeat(1_000_000)}"}`;
  http.respond((_request, response) => void response.end(output));
  const spec = await newJobSpec(api, get({ maxResponseBytes: 4_000_000 }));
  const mostMs = await mostHoldMs(() => findJson(output));
  let times = 0;
  const longest = await leastHold(mostMs, async () => {
    // Not by `api`, which parses the response.
    const response = await fetch(`${service.url}/v1/job-specs/${spec.id}/test`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${key}`,
        "Content-Type": "application/json",
        "Idempotency-Key": `large-${times++}`,
      },
      body: JSON.stringify({ rows: [{ n: 0 }] }),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.includes(`"data":${output}}]`)).toBe(true);
  });
  expect(longest).toBeLessThan(mostMs);
});

test("two tests are two intents: they do not share an Idempotency-Key, and two rows do not", async () => {
  http.respond((_request, response) => void response.end("1"));
  const spec = await newJobSpec(api, get());
  for (let time = 0; time < 2; time++)
    await api("POST", `/v1/job-specs/${spec.id}/test`, { body: { rows: numberedRows(2) } });
  expect(new Set(http.requests.map(({ headers }) => headers["idempotency-key"])).size).toBe(4);
});

describe("what a test has called for is in the usage of the organization", () => {
  const paid = async (of: Api): Promise<{ jobSpecId: string }> => {
    const created = await of<Connection>("POST", "/v1/connections", {
      body: { type: "http", name: "Paid", baseUrl: http.origin, prices: { requestUsd: "0.25" } },
    });
    expectStatus(created, 201);
    const spec = await newJobSpec(of, get({ url: "/{{row.n}}", connection: created.body.id }), { timeoutSeconds: 30 });
    return { jobSpecId: spec.id };
  };
  const usageOf = async (of: Api, groupBy: string) =>
    (await of<{ data: UsageGroup[] }>("GET", `/v1/usage?groupBy=${groupBy}`)).body.data;

  test("by day, job spec and key, and marked", async () => {
    const { api: of, organizationId } = await service.newOrganization();
    const { jobSpecId } = await paid(of);
    http.respond(({ path }, response) => void response.writeHead(path === "/1" ? 404 : 200).end("{}"));
    for (let time = 0; time < 2; time++)
      expectStatus(await of("POST", `/v1/job-specs/${jobSpecId}/test`, { body: { rows: numberedRows(2) } }), 200);
    // Midnight may have been between the two.
    await service.query("update usage_days set day = (now() at time zone 'UTC')::date where organization_id = $1", [
      parseId("organization", organizationId),
    ]);
    const used = { rows: 4, requests: 4, costUsd: "1.000000", tests: { requests: 4, costUsd: "1.000000" } };
    expect(await usageOf(of, "day")).toMatchObject([used]);
    expect(await usageOf(of, "job_spec")).toMatchObject([{ ...used, jobSpecId }]);
    expect(await usageOf(of, "api_key")).toMatchObject([
      { ...used, apiKeyId: expect.stringMatching(/^key_/) as string },
    ]);
    expect(await usageOf(of, "run")).toMatchObject([{ ...used, runId: null }]);
  });

  test("nothing is there of a test that called nobody", async () => {
    const { api: of } = await service.newOrganization();
    await tryRows(of, { type: "mock" }, [{ n: 1 }]);
    expect(await usageOf(of, "day")).toEqual([]);
  });

  test("also where it cannot be written at once, and the outputs are returned", async () => {
    const { api: of } = await service.newOrganization();
    const { jobSpecId } = await paid(of);
    http.respond((_request, response) => void response.end("{}"));
    await service.query("alter table usage_days add constraint broken check (not is_test) not valid");
    const tried = await of<Tried>("POST", `/v1/job-specs/${jobSpecId}/test`, { body: { rows: numberedRows(2) } });
    await service.query("alter table usage_days drop constraint broken");
    expectStatus(tried, 200);
    expect(tried.body.outputs).toHaveLength(2);
    await waitFor(async () => (await usageOf(of, "day"))[0]?.tests.requests === 2);
    expect(await usageOf(of, "run")).toMatchObject([{ rows: 2, requests: 2, costUsd: "0.500000" }]);
  });

  test("also when the client went away, and when the service stops", async () => {
    const stopping = await startTestService({ ROWMILL_CONNECTION_ALLOWED_ORIGINS: http.origin });
    const { api: of, apiKey } = await stopping.newOrganization();
    const { jobSpecId } = await paid(of);
    const waiting: ServerResponse[] = [];
    http.respond((_request, response) => void waiting.push(response));
    const leaving = new AbortController();
    const left = fetch(`${stopping.url}/v1/job-specs/${jobSpecId}/test`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ rows: [{ n: 1 }] }),
      signal: leaving.signal,
    }).then(
      () => "responded",
      () => "gone",
    );
    await waitFor(() => waiting.length === 1, { what: "the row is called for" });
    leaving.abort();
    expect(await left).toBe("gone");
    waiting[0]?.end("1");
    await waitFor(async () => (await usageOf(of, "day"))[0]?.tests.requests === 1);

    const tried = of("POST", `/v1/job-specs/${jobSpecId}/test`, { body: { rows: [{ n: 2 }] } });
    await waitFor(() => waiting.length === 2, { what: "the second row is called for" });
    const stopped = stopping.stop();
    // Nothing has ended: another process may take the test.
    const refused = await tried;
    expectStatus(refused, 503);
    expect(refused.body).toMatchObject({ error: { code: "service_unavailable", retryable: true } });
    expect(refused.headers["retry-after"]).toMatch(/^\d+$/);
    await stopped;
    expect(await stopping.query("select requests from usage_days where is_test")).toEqual([
      { requests: 1 },
      { requests: 1 },
    ]);
  });
});

test("a row whose time is up while its repair waits for a slot reports its first call", async () => {
  const { api: of } = await service.newOrganization();
  const limits = { rateLimit: { requestsPerMinute: 1 } };
  const created = await of<Connection>("POST", "/v1/connections", {
    body: { type: "openai_compatible", name: "One a minute", baseUrl: http.origin, ...limits },
  });
  expectStatus(created, 201);
  const message = { role: "assistant", content: "no JSON" };
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  http.respond((_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ id: "1", choices: [{ index: 0, message, finish_reason: "stop" }], usage }));
  });
  const processor: ProcessorConfig = {
    type: "llm",
    connection: created.body.id,
    model: "m",
    messages: [{ role: "user", content: "Number {{row.n}}" }],
    outputSchema: { type: "object" },
  };
  const { body } = await tryRows(of, processor, [{ n: 1 }], { timeoutSeconds: 5 });
  const used = { requests: 1, inputTokens: 10, outputTokens: 5 };
  expect(body.failures).toMatchObject([{ code: "row_timeout", usage: used }]);
  expect(body.totals).toMatchObject(used);
  expect((await of<{ data: UsageGroup[] }>("GET", "/v1/usage")).body.data).toMatchObject([used]);
});

const SECRET = "very-secret-of-the-connection";

async function newConnection(type: "http" | "openai_compatible"): Promise<string> {
  const created = await api<Connection>("POST", "/v1/connections", {
    body: { type, name: "Traced", baseUrl: http.origin, secret: SECRET },
  });
  expectStatus(created, 201);
  return created.body.id;
}

describe("with `details`, a row shows its calls", () => {
  const tryInDetail = async (processor: ProcessorConfig, rows: object[]) => {
    const spec = await newJobSpec(api, processor);
    const path = `/v1/job-specs/${spec.id}/test`;
    expect((await api<Tried>("POST", path, { body: { rows } })).text).not.toContain('"calls":[{"request"');
    const tried = await api<Tried>("POST", path, { body: { rows, details: true } });
    expectStatus(tried, 200);
    expect(tried.text).not.toContain(SECRET);
    return tried.body;
  };

  test("of http: the request and the raw response, without the secret, and cut", async () => {
    http.respond(({ path, headers }, response) => {
      response.setHeader("x-echo", headers.authorization ?? "");
      response
        .writeHead(path === "/1" ? 404 : 200)
        .end(`${headers.authorization} ${"x".repeat(path === "/1" ? 9_000 : 3)}`);
    });
    const processor: ProcessorConfig = {
      type: "http",
      method: "POST",
      url: "/{{row.n}}",
      connection: await newConnection("http"),
      headers: { authorization: "Bearer {{connection.secret}}" },
      body: { number: "{{row.n}}" },
    };
    const { outputs, failures } = await tryInDetail(processor, numberedRows(2));
    expect(outputs[0]?.calls).toMatchObject([
      {
        request: {
          method: "POST",
          url: `${http.origin}/0`,
          headers: { authorization: "Bearer [secret]" },
          body: '{"number":0}',
          isCut: false,
        },
        response: { status: 200, headers: { "x-echo": "Bearer [secret]" }, body: "Bearer [secret] xxx", isCut: false },
      },
    ]);
    expect(failures[0]?.calls).toMatchObject([{ response: { status: 404, isCut: true }, usage: { code: "http_4xx" } }]);
    expect(failures[0]?.calls?.[0]?.response?.body).toHaveLength(8_192);
  });

  test("of llm: every turn, each with its usage; rows beside each other are not mixed", async () => {
    const texts = ["no JSON", '{"n":1}'];
    http.respond(({ body }, response) => {
      const { messages } = JSON.parse(body) as { messages: { content: string }[] }; // as the service sends it
      const content = texts[messages.length === 1 ? 0 : 1];
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({
          id: "1",
          choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
          usage: { prompt_tokens: messages.length, completion_tokens: 2, total_tokens: 9 },
        }),
      );
    });
    const { outputs } = await tryInDetail(
      {
        type: "llm",
        connection: await newConnection("openai_compatible"),
        model: "m",
        messages: [{ role: "user", content: "Number {{row.n}}" }],
        outputSchema: { type: "object", required: ["n"] },
      },
      numberedRows(3),
    );
    expect(outputs).toHaveLength(3);
    for (const { index, calls = [] } of outputs) {
      expect(calls).toMatchObject([
        { response: { status: 200 }, usage: { model: "m", inputTokens: 1, outputTokens: 2 } },
        { response: { status: 200 }, usage: { model: "m", inputTokens: 3, outputTokens: 2 } },
      ]);
      for (const { request } of calls) {
        expect(request.body).toContain(`Number ${index}`);
        expect(request.headers).not.toHaveProperty("authorization");
      }
      expect(calls[0]?.response?.body).toContain("no JSON");
    }
  });
});
