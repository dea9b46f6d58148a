/** The key that a run was started with: of a program, of a session, of a retry, of a bulk action, and of a key that is revoked. */
import { expect, test } from "vitest";
import type { CreatedApiKey } from "@rowmill/contract/api-keys";
import type { BulkAction } from "@rowmill/contract/bulk-actions";
import type { RunEvent } from "@rowmill/contract/run-events";
import { roleScopes } from "@rowmill/contract/roles";
import type { Run } from "@rowmill/contract/runs";
import { parseId } from "../../platform/ids.ts";
import { expectStatus } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import { getRun, readAll } from "./runs-testing.ts";

const service = await startTestService();
const { api, apiKey, organizationId } = await service.newOrganization();
const keysPath = `/v1/organizations/${organizationId}/api-keys`;
const dataset = await newDataset(api, numberedRows(4));
const { id: jobSpecId } = await newJobSpec(api, { type: "mock", failEvery: 2 });
const body = { datasetId: dataset.id, jobSpecId, scope: { type: "all" } };

async function newKey(name: string, scopes?: readonly string[]): Promise<CreatedApiKey> {
  const created = await api<CreatedApiKey>("POST", keysPath, { body: { name, ...(scopes && { scopes }) } });
  expectStatus(created, 201);
  return created.body;
}

async function start(key: string, path = "/v1/runs", what: object = body): Promise<Run> {
  const started = await api<Run>("POST", path, { body: what, key });
  expectStatus(started, 201);
  return started.body;
}

test("two runs of the same rows differ by the keys that they were started with, also where one is revoked", async () => {
  const [ada, ben] = [await newKey("Ada"), await newKey("Ben")];
  const [first, second] = [await start(ada.key), await start(ben.key)];
  expect([first.apiKeyId, second.apiKeyId]).toEqual([ada.id, ben.id]);
  expectStatus(await api("DELETE", `${keysPath}/${ben.id}`), 204);
  const listed = new Map((await readAll<Run>(api, "/v1/runs")).map((run) => [run.id, run.apiKeyId]));
  expect([listed.get(first.id), listed.get(second.id)]).toEqual([ada.id, ben.id]);
  // Another one changes it: who started it stays.
  const changed = await api<Run>("PATCH", `/v1/runs/${first.id}`, { body: { name: "Renamed" } });
  expect(changed.body).toMatchObject({ name: "Renamed", apiKeyId: ada.id });
  expect((await api("GET", `${keysPath}/${ben.id}`)).body).toMatchObject({ name: "Ben" });
});

test("a retry run has the key of the retry, and one of a bulk action the key of the action", async () => {
  const [ada, ben] = [await newKey("Ada"), await newKey("Ben")];
  const first = await finishedRun(api, (await start(ada.key)).id);
  const retry = await start(ben.key, `/v1/runs/${first.id}/retry`, { selection: { type: "failures" } });
  expect(retry).toMatchObject({ parentRunId: first.id, apiKeyId: ben.id });
  expect((await getRun(api, first.id)).apiKeyId).toBe(ada.id);
  const lineage = await api<{ runs: Run[] }>("GET", `/v1/runs/${first.id}/lineage`);
  expect(lineage.body.runs.map((run) => run.apiKeyId)).toEqual([ada.id, ben.id]);
  await finishedRun(api, retry.id);
  const bulk = await api<BulkAction>("POST", "/v1/bulk-actions", {
    body: { action: "retry", ids: [retry.id] },
    key: ada.key,
  });
  expectStatus(bulk, 201);
  const ended = await waitFor(async () => {
    const { body: now } = await api<BulkAction>("GET", `/v1/bulk-actions/${bulk.body.id}`);
    return now.state === "queued" || now.state === "running" ? undefined : now;
  });
  expect(ended).toMatchObject({ state: "completed", done: 1 });
  const [newest] = await readAll<Run>(api, "/v1/runs");
  expect(newest).toMatchObject({ parentRunId: retry.id, apiKeyId: ada.id });
});

test("a run that is started in a session has the key that was exchanged for it", async () => {
  const ada = await newKey("Ada");
  const signedIn = await api("PUT", "/v1/session", { key: null, body: { by: "api_key", apiKey: ada.key } });
  const cookie = signedIn.headers["set-cookie"]?.split(";", 1)[0] ?? "";
  const headers = { Cookie: cookie, Origin: service.url };
  const started = await api<Run>("POST", "/v1/runs", { key: null, body, headers });
  expectStatus(started, 201);
  expect(started.body.apiKeyId).toBe(ada.id);
});

test("the runs of one key are listed, with other filters and by name, and canceled by it", async () => {
  const [ada, ben] = [await newKey("Ada"), await newKey("Ben")];
  const first = await start(ada.key, "/v1/runs", { ...body, name: "Leaked one" });
  const second = await start(ada.key);
  await start(ben.key, "/v1/runs", { ...body, name: "Leaked two" });
  const listed = async (query: string): Promise<string[]> =>
    (await readAll<Run>(api, `/v1/runs?apiKeyId=${ada.id}${query}`)).map(({ id }) => id);
  expect(await listed("")).toEqual([second.id, first.id]);
  for (const query of [
    `&datasetId=${dataset.id}`,
    `&jobSpecId=${jobSpecId}`,
    `&datasetId=${dataset.id}&jobSpecId=${jobSpecId}`,
  ])
    expect([query, await listed(query)]).toEqual([query, [second.id, first.id]]);
  expect(await listed("&name=Leaked")).toEqual([first.id]);
  expect(await listed("&datasetId=ds_01jd3v8m7qe6t9yb4c2xk5w0ha")).toEqual([]);
  await finishedRun(api, first.id);
  expect(await listed("&state=canceled")).toEqual([]);
  expect(await listed(`&state=${(await getRun(api, first.id)).state}`)).toContain(first.id);
  const refused = await api("GET", "/v1/runs?apiKeyId=ada");
  expect([refused.status, refused.body.error.param]).toEqual([400, "apiKeyId"]);

  const { id: slowId } = await newJobSpec(api, { type: "mock", delayMs: 60_000 });
  const slow = await start(ada.key, "/v1/runs", { ...body, jobSpecId: slowId });
  const other = await start(ben.key, "/v1/runs", { ...body, jobSpecId: slowId });
  expectStatus(
    await api("POST", "/v1/bulk-actions", { body: { action: "cancel", filter: { apiKeyId: ada.id } } }),
    201,
  );
  expect((await finishedRun(api, slow.id)).state).toBe("canceled");
  expect((await getRun(api, other.id)).finishedAt).toBeNull();
  await api("POST", `/v1/runs/${other.id}/cancel`);
});

test("a viewer reads the id, and no key's name", async () => {
  const viewer = await newKey("Viewer", roleScopes.viewer);
  const run = await start(apiKey);
  const read = await api<Run>("GET", `/v1/runs/${run.id}`, { key: viewer.key });
  expect(read.body.apiKeyId).toBe(run.apiKeyId);
  expectStatus(await api("GET", `${keysPath}/${run.apiKeyId}`, { key: viewer.key }), 403);
});

test("what is not known is null", async () => {
  const run = await start(apiKey);
  await service.query("update runs set api_key_id = null where id = $1", [parseId("run", run.id)]);
  expect((await getRun(api, run.id)).apiKeyId).toBeNull();
});

test("events of runs have the members that they had: the receivers of webhooks read the run for more", async () => {
  const { id } = await finishedRun(api, (await start(apiKey)).id);
  const events = await readAll<RunEvent>(api, `/v1/runs/${id}/events`);
  expect(events.length).toBeGreaterThan(2);
  for (const { data } of events.filter(({ type }) => type.startsWith("run.")))
    expect(Object.keys(data).toSorted()).toEqual(["id", "object", "state", "url"]);
});
