/** Pages of a run that is known: what changed since, in this process or another one, holds for the next page. */
import { beforeAll, expect, test } from "vitest";
import type { CreatedApiKey } from "@rowmill/contract/api-keys";
import type { Run } from "@rowmill/contract/runs";
import { expectStatus } from "../../testing/api.ts";
import type { Api } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { roundTripsOf } from "../../testing/round-trips.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestService } from "../../testing/service.ts";
import { parseId } from "../../platform/ids.ts";

const ROWS = 12;
const LISTS = ["rows", "outputs", "failures", "resolved-results"];

let service: TestService;
let api: Api;
let organizationId: string;

beforeAll(async () => {
  service = await startTestService();
  ({ api, organizationId } = await service.newOrganization());
});

async function endedRun(metadata: Record<string, string> = {}): Promise<Run> {
  const { id: datasetId } = await newDataset(api, numberedRows(ROWS));
  const { id: jobSpecId } = await newJobSpec(api, { type: "mock", failEvery: 3 });
  return finishedRun(api, (await newRun(api, { datasetId, jobSpecId, metadata })).id);
}

const pageOf = (id: string, list: string, ofRun = api) =>
  ofRun<{ data: Record<string, unknown>[] }>("GET", `/v1/runs/${id}/${list}`);
const namesOf = async (work: () => Promise<unknown>): Promise<string[]> => (await roundTripsOf(work)).flat(2);

test("each list is the same when the run is known", async () => {
  const { id } = await endedRun();
  for (const list of LISTS) {
    const first = await pageOf(id, list);
    const names = await namesOf(async () => expect((await pageOf(id, list)).body).toEqual(first.body));
    expect(names).toContain("is_run_current");
    expect(names).not.toContain("find_run_and_version");
  }
});

test("a run that was deleted is not found any more, in any list, whoever deleted it", async () => {
  for (const how of ["here", "elsewhere"]) {
    const { id } = await endedRun();
    for (const list of LISTS) expectStatus(await pageOf(id, list), 200);
    if (how === "here") expectStatus(await api("DELETE", `/v1/runs/${id}`), 204);
    else await service.query("update runs set deleted_at = now() where id = $1", [parseId("run", id)]);
    for (const list of LISTS) expectStatus(await pageOf(id, list), 404);
  }
});

test("a run that was changed is read once more, and then known as it is", async () => {
  const { id } = await endedRun();
  await pageOf(id, "outputs");
  // Nothing else shows in a page which run it was made of.
  const other = await newDataset(api, numberedRows(ROWS));
  await service.query("update runs set dataset_id = $2 where id = $1", [
    parseId("run", id),
    parseId("dataset", other.id),
  ]);
  const ids = (await pageOf(id, "outputs")).body.data.map(({ datasetRowId }) => datasetRowId);
  expect(ids).toEqual(expect.arrayContaining([expect.stringContaining(other.id.slice("ds_".length))]));
  const names = await namesOf(() => pageOf(id, "outputs"));
  expect(names).not.toContain("find_run_and_version");
});

test("another organization finds no run that this process knows", async () => {
  const { id } = await endedRun();
  await pageOf(id, "outputs");
  const { api: ofOther } = await service.newOrganization();
  for (const list of LISTS) expectStatus(await pageOf(id, list, ofOther), 404);
});

test.each(["stays as it is", "changes as well"])("a key that is revoked gets no page of a run that %s", async (how) => {
  const { id } = await endedRun();
  const created = await api<CreatedApiKey>("POST", `/v1/organizations/${organizationId}/api-keys`, {
    body: { name: "reader", scopes: ["runs:read", "results:read"] },
  });
  expectStatus(created, 201);
  const { key, id: keyId } = created.body;
  const page = () => api("GET", `/v1/runs/${id}/outputs`, { key });
  for (let i = 0; i < 2; i++) expectStatus(await page(), 200);
  // What was known of both is wrong then: the run is read again, and its page must not be sent.
  if (how === "changes as well") expectStatus(await api("PATCH", `/v1/runs/${id}`, { body: { name: "other" } }), 200);
  await service.query("update api_keys set revoked_at = now() where id = $1", [parseId("apiKey", keyId)]);
  expectStatus(await page(), 401);
});

test("a run with much text is not kept", async () => {
  const metadata = Object.fromEntries(Array.from({ length: 10 }, (_unused, i) => [`key${i}`, "x".repeat(450)]));
  const { id } = await endedRun(metadata);
  await pageOf(id, "outputs");
  expect(await namesOf(() => pageOf(id, "outputs"))).toContain("find_run_and_version");
});
