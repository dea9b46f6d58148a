import { expect, test } from "vitest";
import { Rowmill } from "@rowmill/client";
import { MAX_BULK_TARGETS } from "@rowmill/contract/bulk-actions";
import type { BulkAction } from "@rowmill/contract/bulk-actions";
import type { CreatedApiKey } from "@rowmill/contract/api-keys";
import type { Export } from "@rowmill/contract/exports";
import type { Run } from "@rowmill/contract/runs";
import { parseId } from "../../platform/ids.ts";
import { expectStatus } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startServiceProcess } from "../../testing/service-process.ts";
import type { TestOrganization } from "../../testing/service.ts";
import { startTestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";

const service = await startTestService();
const clientOf = ({ apiKey }: Pick<TestOrganization, "apiKey">) => new Rowmill({ apiKey, baseUrl: service.url });

async function newOwn() {
  const own = await service.newOrganization();
  const dataset = await newDataset(own.api, numberedRows(4));
  const failing = await newJobSpec(own.api, { type: "mock", failEvery: 2, failUntilRetry: 1 });
  const slow = await newJobSpec(own.api, { type: "mock", delayMs: 60_000 });
  const run = async (jobSpecId: string, name: string): Promise<Run> => {
    const created = await own.api<Run>("POST", "/v1/runs", {
      body: { datasetId: dataset.id, jobSpecId, scope: { type: "all" }, name },
    });
    expectStatus(created, 201);
    return created.body;
  };
  return {
    ...own,
    rowmill: clientOf(own),
    dataset,
    endedRun: async (name = "ended") => finishedRun(own.api, (await run(failing.id, name)).id),
    slowRun: async (name = "slow") => run(slow.id, name),
  };
}
const stateOf = async (own: TestOrganization, id: string): Promise<string> =>
  (await own.api<Run>("GET", `/v1/runs/${id}`)).body.state;

test("counts exactly, cancels what matches, and leaves everything else", async () => {
  const own = await newOwn();
  const slow = [await own.slowRun("nightly 1"), await own.slowRun("nightly 2")];
  const other = await own.slowRun("daily");
  const asked = { action: "cancel", filter: { name: "nightly" } } as const;
  const counted = await own.rowmill.bulkActions.count(asked);
  expect(counted).toMatchObject({ resource: "runs", action: "cancel", total: 2 });
  expect(counted.states.reduce((sum, { count }) => sum + count, 0)).toBe(2);
  const created = await own.rowmill.bulkActions.create(asked);
  expect(created).toMatchObject({ state: "queued", total: 2, done: 0, filter: { name: "nightly" } });
  const ended = await own.rowmill.bulkActions.waitFor(created.id);
  expect(ended).toMatchObject({ state: "completed", total: 2, done: 2, skipped: 0, failed: 0, reasons: [] });
  for (const { id } of slow) await waitFor(async () => (await stateOf(own, id)) === "canceled");
  expect(["queued", "running"]).toContain(await stateOf(own, other.id));
  expectStatus(await own.api("POST", `/v1/runs/${other.id}/cancel`), 200);
});

test("pauses and resumes; what is in another state is skipped, with the reason", async () => {
  const own = await newOwn();
  const [slow, ended] = [await own.slowRun(), await own.endedRun()];
  const paused = await own.rowmill.bulkActions.waitFor(
    (await own.rowmill.bulkActions.create({ action: "pause", ids: [slow.id, ended.id] })).id,
  );
  expect(paused).toMatchObject({ state: "completed", done: 1, skipped: 1, failed: 0 });
  expect(paused.reasons).toMatchObject([{ outcome: "skipped", code: "invalid_state", count: 1, ids: [ended.id] }]);
  expect(await stateOf(own, slow.id)).toBe("paused");
  const resumed = await own.rowmill.bulkActions.create({ action: "resume", filter: { state: ["paused"] } });
  expect(await own.rowmill.bulkActions.waitFor(resumed.id)).toMatchObject({ total: 1, done: 1 });
  expect(["queued", "running"]).toContain(await stateOf(own, slow.id));
  expectStatus(await own.api("POST", `/v1/runs/${slow.id}/cancel`), 200);
});

test("retries the failed rows of every run that matches, with the options of a retry", async () => {
  const own = await newOwn();
  const runs = [await own.endedRun("a"), await own.endedRun("b")];
  expect(runs.map(({ state }) => state)).toEqual(["partially_succeeded", "partially_succeeded"]);
  const { id } = await own.rowmill.bulkActions.create({
    action: "retry",
    filter: { state: ["partially_succeeded"] },
    retry: { selection: { type: "failures" }, metadata: { of: "bulk" } },
  });
  expect(await own.rowmill.bulkActions.waitFor(id)).toMatchObject({ state: "completed", total: 2, done: 2 });
  const retries = await own.rowmill.runs.list({ metadata: { of: "bulk" } });
  expect(new Set(retries.data.map(({ parentRunId }) => parentRunId))).toEqual(new Set(runs.map((run) => run.id)));
  for (const retry of retries.data) expect((await finishedRun(own.api, retry.id)).state).toBe("succeeded");
  const again = await own.rowmill.bulkActions.create({ action: "retry", ids: runs.map((run) => run.id) });
  const ended = await own.rowmill.bulkActions.waitFor(again.id);
  expect(ended).toMatchObject({ done: 0, skipped: 2, reasons: [{ code: "nothing_to_retry", count: 2 }] });
});

test("deletes runs with their retries, then exports' files and datasets", async () => {
  const own = await newOwn();
  const parent = await own.endedRun();
  const retry = await own.rowmill.runs.retry(parent.id);
  await finishedRun(own.api, retry.id);
  const exported = await own.rowmill.exports.create(parent.id, { type: "outputs", format: "jsonl" });
  await own.rowmill.exports.waitFor(exported.id);
  const files = await own.rowmill.bulkActions.create({
    resource: "exports",
    action: "delete",
    filter: { runId: parent.id, status: ["ready"] },
  });
  expect(await own.rowmill.bulkActions.waitFor(files.id)).toMatchObject({ total: 1, done: 1 });
  expect((await own.api<Export>("GET", `/v1/exports/${exported.id}`)).body.status).toBe("expired");
  const datasets: Parameters<Rowmill["bulkActions"]["create"]>[0] = {
    resource: "datasets",
    action: "delete",
    ids: [own.dataset.id],
  };
  const early = await own.rowmill.bulkActions.waitFor((await own.rowmill.bulkActions.create(datasets)).id);
  expect(early).toMatchObject({ done: 0, skipped: 1, reasons: [{ code: "resource_in_use" }] });
  // A run can be deleted after its retries only: the order is the action's business.
  const runs = await own.rowmill.bulkActions.create({ action: "delete", ids: [parent.id, retry.id] });
  expect(await own.rowmill.bulkActions.waitFor(runs.id)).toMatchObject({ done: 2, skipped: 0 });
  expectStatus(await own.api("GET", `/v1/runs/${parent.id}`), 404);
  const late = await own.rowmill.bulkActions.waitFor((await own.rowmill.bulkActions.create(datasets)).id);
  expect(late).toMatchObject({ done: 1 });
  expectStatus(await own.api("GET", `/v1/datasets/${own.dataset.id}`), 404);
});

test("what would choose everything, nothing, or something else is refused", async () => {
  const own = await newOwn();
  const run = await own.endedRun();
  const refusals: [object, number, string][] = [
    [{ action: "cancel" }, 400, "filter"],
    [{ action: "cancel", filter: {} }, 400, "filter"],
    [{ action: "cancel", filter: { metadata: {} } }, 400, "filter"],
    [{ action: "cancel", filter: { name: "" } }, 400, "filter.name"],
    [{ action: "cancel", filter: { state: [] } }, 400, "filter.state"],
    [{ action: "cancel", filter: { status: ["ready"] } }, 400, "filter.status"],
    [{ action: "cancel", filter: { datasetId: "nonsense" } }, 400, "filter.datasetId"],
    [{ action: "cancel", filter: { createdBefore: "yesterday" } }, 400, "filter.createdBefore"],
    [{ action: "cancel", filter: { name: "x" }, ids: [run.id] }, 400, "ids"],
    [{ action: "cancel", ids: [] }, 400, "ids"],
    [{ action: "cancel", ids: [run.id, "run_nonsense"] }, 404, "ids[1]"],
    [{ action: "cancel", ids: [run.id.replace(/.$/, (last) => (last === "0" ? "1" : "0"))] }, 404, "ids[0]"],
    [{ action: "cancel", ids: [own.dataset.id] }, 404, "ids[0]"],
    [{ action: "cancel", ids: [run.id], retry: {} }, 400, "retry"],
    [{ action: "cancel", resource: "datasets", filter: { name: "x" } }, 400, "action"],
  ];
  for (const [body, status, param] of refusals) {
    const response = await own.api("POST", "/v1/bulk-actions", { body });
    expect([body, response.status, response.body.error?.param?.replaceAll("/", ".").replace(/^\./, "")]).toEqual([
      body,
      status,
      param,
    ]);
  }
});

test("takes a number of things that has an end; a dry run counts more", async () => {
  const own = await newOwn();
  await service.query(
    `insert into exports (organization_id, id, run_id, type, format, status, finished_at)
      select $1, gen_random_uuid(), gen_random_uuid(), 'rows', 'jsonl', 'canceled', now() from generate_series(1, $2::int) n`,
    [parseId("organization", own.organizationId), MAX_BULK_TARGETS + 1],
  );
  const body = { resource: "exports", action: "delete", filter: { status: ["canceled"] } };
  const counted = await own.api("POST", "/v1/bulk-actions", { body: { ...body, dryRun: true } });
  expect([counted.status, counted.body]).toMatchObject([200, { total: MAX_BULK_TARGETS + 1 }]);
  const refused = await own.api("POST", "/v1/bulk-actions", { body });
  expect([refused.status, refused.body]).toMatchObject([409, { error: { code: "limit_reached", param: "filter" } }]);
});

async function newKey(own: TestOrganization, scopes: string[]): Promise<CreatedApiKey> {
  const made = await own.api<CreatedApiKey>("POST", `/v1/organizations/${own.organizationId}/api-keys`, {
    body: { name: "Narrow", scopes },
  });
  expectStatus(made, 201);
  return made.body;
}

test("needs the scope of the single operation", async () => {
  const own = await newOwn();
  const ask = (key: string, body: object) => own.api("POST", "/v1/bulk-actions", { body, key });
  const run = await own.slowRun();
  const datasets = (await newKey(own, ["datasets:write"])).key;
  const refused = await ask(datasets, { action: "cancel", ids: [run.id] });
  expect([refused.status, refused.body.error["requiredScopes"]]).toEqual([403, ["runs:write"]]);
  const deletes = await ask(datasets, { resource: "datasets", action: "delete", ids: [own.dataset.id] });
  expectStatus(deletes, 201);
  const ofRuns = await own.rowmill.bulkActions.create({ action: "pause", ids: [run.id] });
  expectStatus(await own.api("GET", `/v1/bulk-actions/${ofRuns.id}`, { key: datasets }), 403);
  const seen = await own.api("GET", "/v1/bulk-actions", { key: datasets });
  expect(seen.body.data.map(({ id }: { id: string }) => id)).toEqual([deletes.body.id]);
  const reader = (await newKey(own, ["runs:read"])).key;
  expectStatus(await own.api("GET", `/v1/bulk-actions/${ofRuns.id}`, { key: reader }), 200);
  expectStatus(await own.api("POST", `/v1/bulk-actions/${ofRuns.id}/abort`, { key: reader }), 403);
  const blind = (await newKey(own, ["audit:read"])).key;
  expectStatus(await own.api("GET", "/v1/bulk-actions", { key: blind }), 403);
  await own.api("POST", `/v1/runs/${run.id}/cancel`);
});

test("an abort ends it at once, and what was done stays done", async () => {
  const own = await newOwn();
  const runs: string[] = [];
  for (let n = 0; n < 5; n++) runs.push((await own.endedRun(`n ${n}`)).id);
  const { body } = await waitFor(async () => {
    const created = await own.rowmill.bulkActions.create({ action: "delete", ids: runs });
    const aborted = await own.api<BulkAction>("POST", `/v1/bulk-actions/${created.id}/abort`);
    return aborted.status === 200 && aborted;
  });
  expect(body).toMatchObject({ state: "aborted", total: 5 });
  const left = [];
  for (const id of runs) if ((await own.api("GET", `/v1/runs/${id}`)).status === 200) left.push(id);
  expect(left).toHaveLength(5 - body.done);
  expect(await own.rowmill.bulkActions.abort(body.id)).toMatchObject({ state: "aborted" });
  const whole = await own.rowmill.bulkActions.create({ action: "delete", ids: left });
  const ended = await waitFor(async () => {
    const read = await own.api<BulkAction>("GET", `/v1/bulk-actions/${whole.id}?waitSeconds=30`);
    return read.body.finishedAt !== null && read;
  });
  expect(ended.body).toMatchObject({ state: "completed", done: left.length });
  expectStatus(await own.api("POST", `/v1/bulk-actions/${whole.id}/abort`), 409);
});

test("it is audited, has an event, and a repeat of its request makes no second one", async () => {
  const own = await newOwn();
  const run = await own.endedRun();
  const ask = () =>
    own.api<BulkAction>("POST", "/v1/bulk-actions", {
      body: { action: "delete", ids: [run.id] },
      idempotencyKey: "once",
    });
  const [first, second] = [await ask(), await ask()];
  expect(second.body.id).toBe(first.body.id);
  await own.rowmill.bulkActions.waitFor(first.body.id);
  const audit = await own.rowmill.organizations.auditEvents(own.organizationId, {
    type: ["bulk_action.created", "run.deleted"],
  });
  expect(audit.data.map(({ type }) => type)).toEqual(["run.deleted", "bulk_action.created"]);
  const events = await waitFor(async () => {
    const all = await Array.fromAsync(
      own.rowmill.events.stream({ follow: false, lastEventId: "0", types: ["bulk_action.*"] }),
    );
    return all.length > 0 && all;
  });
  expect(events).toMatchObject([
    { event: "bulk_action.finished", data: { data: { id: first.body.id, state: "completed", done: 1 } } },
  ]);
});

test("kill -9 in the middle: it goes on where it was, no run is retried twice, and a revoked key does nothing", async () => {
  const api = await startTestService({ ROWMILL_ROLE: "api" });
  const own = await api.newOrganization();
  const worker = { ...api.settings, ROWMILL_ROLE: "worker" };
  const first = await startServiceProcess(worker);
  const dataset = await newDataset(own.api, numberedRows(1));
  const jobSpec = await newJobSpec(own.api, { type: "mock", failEvery: 1 });
  const runs: string[] = [];
  for (let n = 0; n < 40; n++) runs.push((await newRun(own.api, { datasetId: dataset.id, jobSpecId: jobSpec.id })).id);
  for (const id of runs) await finishedRun(own.api, id);
  const rowmill = new Rowmill({ apiKey: own.apiKey, baseUrl: api.url });
  const { id } = await rowmill.bulkActions.create({ action: "retry", ids: runs });
  await waitFor(async () => (await rowmill.bulkActions.get(id)).done >= 3);
  first.kill("SIGKILL");
  await first.exited;
  // While nobody works on it, the key of another one is revoked.
  const revoked = await newKey(own, ["runs:write"]);
  const asked = { body: { action: "delete", ids: runs }, key: revoked.key };
  const forbidden = await own.api<BulkAction>("POST", "/v1/bulk-actions", asked);
  expectStatus(forbidden, 201);
  expectStatus(await own.api("DELETE", `/v1/organizations/${own.organizationId}/api-keys/${revoked.id}`), 204);
  const second = await startServiceProcess(worker);
  const ended = await rowmill.bulkActions.waitFor(id, { timeoutMs: 240_000 });
  expect(ended).toMatchObject({ state: "completed", total: 40, done: 40, skipped: 0, failed: 0 });
  const retries = await api.query<{ count: number }>(
    "select count(*)::int as count from runs where parent_run_id is not null",
  );
  expect(retries).toEqual([{ count: 40 }]);
  expect(await rowmill.bulkActions.waitFor(forbidden.body.id)).toMatchObject({
    state: "failed",
    done: 0,
    error: { code: "insufficient_scope" },
  });
  await second.stop();
});
