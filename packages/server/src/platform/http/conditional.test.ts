import { Client } from "pg";
import { expect, test } from "vitest";
import { newDataset } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import { etagOf, matchesEtag } from "./conditional.ts";

const service = await startTestService();
const { api } = await service.newOrganization();
const dataset = await newDataset(api, [{ n: 1 }]);
const path = `/v1/datasets/${dataset.id}`;

test.each([
  ['"a"', true],
  ['W/"a"', true],
  ['"b", "a"', true],
  ["*", true],
  ['"b"', false],
  ["a", false],
  ["", false],
])('the header %s and the tag "a"', (header, matches) => {
  expect(matchesEtag(header, '"a"')).toBe(matches);
});

test("an unchanged thing is not sent again, a changed one is", async () => {
  const first = await api("GET", path);
  const etag = first.headers["etag"] ?? "";
  expect(etag).toBe(etagOf(first.text));
  const again = await api("GET", path, { headers: { "If-None-Match": etag } });
  expect(again.status).toBe(304);
  await api("PATCH", path, { body: { name: "Changed" } });
  expect((await api("GET", path, { headers: { "If-None-Match": etag } })).status).toBe(200);
});

test("a change with If-Match is made on what was read, and refused on anything newer", async () => {
  const etag = (await api("GET", path)).headers["etag"] ?? "";
  expect((await api("PATCH", path, { body: { name: "Mine" }, headers: { "If-Match": etag } })).status).toBe(200);
  const late = await api("PATCH", path, { body: { name: "Late" }, headers: { "If-Match": etag } });
  expect(late).toMatchObject({ status: 412, body: { error: { code: "precondition_failed" } } });
  expect((await api("GET", path)).body).toMatchObject({ name: "Mine" });
  expect((await api("DELETE", path, { headers: { "If-Match": etag } })).status).toBe(412);
});

test("of two changes at once with the same tag one is made", async () => {
  const etag = (await api("GET", path)).headers["etag"] ?? "";
  const responses = await Promise.all(
    ["A", "B", "C", "D"].map((name) => api("PATCH", path, { body: { name }, headers: { "If-Match": etag } })),
  );
  expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412, 412, 412]);
});

test("a change with If-Match is made also where another one changes what both count", async () => {
  const { id } = await newDataset(api, [{ n: 1 }]);
  const etag = (await api("GET", `/v1/datasets/${id}`)).headers["etag"] ?? "";
  const client = new Client({ connectionString: service.settings["ROWMILL_DATABASE_URL"] });
  await client.connect();
  await client.query("begin; update dataset_counts set datasets = datasets");
  const deleted = api("DELETE", `/v1/datasets/${id}`, { headers: { "If-Match": etag } });
  const waiting =
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' limit 1";
  await waitFor(async () => (await service.query(waiting)).length > 0);
  await client.query("commit");
  await client.end();
  expect((await deleted).status).toBe(204);
});

test("lists have tags, too", async () => {
  const list = await api("GET", "/v1/datasets");
  expect((await api("GET", "/v1/datasets", { headers: { "If-None-Match": list.headers["etag"] ?? "" } })).status).toBe(
    304,
  );
});
