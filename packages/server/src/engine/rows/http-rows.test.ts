/** Runs whose rows are HTTP requests, through the front door. */
import { beforeAll, beforeEach, expect, test } from "vitest";
import type { Connection } from "@rowmill/contract/connections";
import type { FailureGroup } from "@rowmill/contract/run-failure-groups";
import type { Failure, Output } from "@rowmill/contract/run-results";
import type { Run } from "@rowmill/contract/runs";
import { expectStatus } from "../../testing/api.ts";
import type { Api } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startHttpService } from "../../testing/http-service.ts";
import type { HttpService } from "../../testing/http-service.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import {
  getRun,
  inAnHour,
  passDeadline,
  readAll,
  runWithoutClaims,
  runInState,
} from "../../resources/runs/runs-testing.ts";

const ROWS = 120;
const SECRET = "token-0123456789";

let http: HttpService;
let service: TestService;
let api: Api;
let connection: Connection;
beforeAll(async () => {
  http = await startHttpService();
  service = await startTestService({ ROWMILL_CONNECTION_ALLOWED_ORIGINS: http.origin });
  ({ api } = await service.newOrganization());
  const created = await api<Connection>("POST", "/v1/connections", {
    body: {
      type: "http",
      name: "CRM",
      baseUrl: `${http.origin}/api`,
      secret: SECRET,
      prices: { requestUsd: "0.001" },
    },
  });
  expectStatus(created, 201);
  connection = created.body;
});
beforeEach(() => void http.requests.splice(0));

/** Posts each row to `/api/orders/<n>`. */
const post = () => ({
  type: "http" as const,
  method: "POST" as const,
  url: "/orders/{{row.n}}",
  connection: connection.id,
  headers: { authorization: "Bearer {{connection.secret}}" },
  body: { order: "{{row.n}}" },
  responsePath: "order.id",
});
const retry = { maxAttempts: 3, initialDelayMs: 1 };

async function runOver(rows: number, more: Record<string, unknown> = {}): Promise<Run> {
  const dataset = await newDataset(api, numberedRows(rows));
  const spec = await newJobSpec(api, post(), { retry });
  return newRun(api, { datasetId: dataset.id, jobSpecId: spec.id, ...more });
}
const numberIn = (path: string): number => Number(path.slice("/api/orders/".length));

test("a row whose request is under way at the deadline ends as `deadline_exceeded`", async () => {
  http.respond(({ path }, response) => {
    if (numberIn(path) === 0) response.end('{"order":{"id":"order 0"}}');
    // The others get no response.
  });
  const run = await runOver(3, { deadlineAt: inAnHour() });
  await waitFor(async () => {
    const { rows } = await getRun(api, run.id);
    return rows.succeeded === 1 && rows.running === 2;
  });
  await passDeadline(service, run);
  const ended = await finishedRun(api, run.id);
  expect(ended).toMatchObject({ state: "expired", rows: { succeeded: 1, failed: 2, skipped: 0 } });
  const failures = await readAll<Failure>(api, `/v1/runs/${run.id}/failures`);
  expect(failures).toMatchObject([
    { index: 1, code: "deadline_exceeded", class: "limits", retryable: true, attempts: 1 },
    { index: 2, code: "deadline_exceeded", class: "limits", retryable: true, attempts: 1 },
  ]);
});

test("every row is one request with its own key, tried again where that helps, and paid as often as it was sent", async () => {
  const attempts = new Map<number, number>();
  http.respond(({ path }, response) => {
    const n = numberIn(path);
    const attempt = (attempts.get(n) ?? 0) + 1;
    attempts.set(n, attempt);
    // Each tenth row is refused, each seventh succeeds at the second attempt.
    if (n % 10 === 9) response.writeHead(422).end('{"error":"no such order"}');
    else if (n % 7 === 6 && attempt === 1) response.writeHead(500).end();
    else response.end(JSON.stringify({ order: { id: `order ${n}` } }));
  });
  const run = await finishedRun(api, (await runOver(ROWS)).id);
  const refused = numberedRows(ROWS).filter(({ n }) => n % 10 === 9);
  const twice = numberedRows(ROWS).filter(({ n }) => n % 10 !== 9 && n % 7 === 6);
  expect(run).toMatchObject({
    state: "partially_succeeded",
    rows: { succeeded: ROWS - refused.length, failed: refused.length },
    usage: { requests: ROWS + twice.length, unpricedRequests: 0 },
  });
  expect(Number(run.usage.costUsd)).toBeCloseTo((ROWS + twice.length) * 0.001, 9);
  const outputs = await readAll<Output>(api, `/v1/runs/${run.id}/outputs`);
  expect(outputs.map(({ index, data }) => [index, data])).toEqual(
    numberedRows(ROWS)
      .filter(({ n }) => n % 10 !== 9)
      .map(({ n }) => [n, `order ${n}`]),
  );
  const failures = await readAll<Failure>(api, `/v1/runs/${run.id}/failures`);
  expect(failures.map(({ index, code, details }) => [index, code, details])).toEqual(
    refused.map(({ n }) => [n, "http_4xx", { status: 422, answer: '{"error":"no such order"}' }]),
  );
  expect(await readAll<FailureGroup>(api, `/v1/runs/${run.id}/failure-groups`)).toMatchObject([
    { code: "http_4xx", class: "http", retryable: false, path: null, count: refused.length },
  ]);
  expect(http.requests[0]).toMatchObject({ method: "POST", headers: { authorization: `Bearer ${SECRET}` } });
  expect(new Set(http.requests.map(({ headers }) => headers["idempotency-key"])).size).toBe(ROWS);
  const retried = await api<Run>("POST", `/v1/runs/${run.id}/retry`, { body: { selection: { type: "failures" } } });
  await finishedRun(api, retried.body.id);
  // A retry is the same intent: to the receiver it is a repeat.
  expect(new Set(http.requests.map(({ headers }) => headers["idempotency-key"])).size).toBe(ROWS);
});

test("a budget holds rows back before they are sent, and lets no more be spent", async () => {
  http.respond((_request, response) => void response.end('{"order":{"id":1}}'));
  const run = await runOver(ROWS, { budget: { maxCostUsd: "0.050" } });
  await runInState(api, run.id, "paused");
  const paused = await runWithoutClaims(service, api, run.id);
  expect(paused).toMatchObject({ state: "paused", rows: { succeeded: 50, failed: 0 }, usage: { requests: 50 } });
  expect(http.requests).toHaveLength(50);
});

test("a wrong secret stops the run before it has asked for every row", async () => {
  http.respond((_request, response) => void response.writeHead(401).end());
  const run = await runOver(ROWS * 4);
  const paused = await runInState(api, run.id, "paused");
  expect(paused.stateReason).toBe("breaker_open");
  const [first] = await readAll<Failure>(api, `/v1/runs/${run.id}/failures`);
  expect(first).toMatchObject({ code: "provider_auth_failed", class: "configuration" });
  expect(http.requests.length).toBeLessThanOrEqual(ROWS);
});

test("of a response that does not fit the output schema a failure keeps the beginning, without the secret", async () => {
  const words = `quota used up: ${"x".repeat(1_000)}`;
  http.respond((_request, response) => void response.end(JSON.stringify({ order: { id: { said: SECRET, words } } })));
  const outputSchema = { type: "object", required: ["label"] };
  const dataset = await newDataset(api, numberedRows(1));
  const spec = await newJobSpec(api, post(), { outputSchema });
  const run = await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id });
  await finishedRun(api, run.id);
  const [failure] = await readAll<Failure>(api, `/v1/runs/${run.id}/failures`);
  const answer = JSON.stringify({ said: "[secret]", words }).slice(0, 500);
  expect(failure).toMatchObject({ code: "output_schema_invalid", details: { path: "", answer } });
});
