/** Runs, datasets and job specs are found by the beginning of their name and by their metadata. */
import { beforeAll, describe, expect, test } from "vitest";
import type { AnyBody, Api } from "@rowmill/server/testing/api";
import { expectStatus } from "@rowmill/server/testing/api";
import { newDataset, newJobSpec, numberedRows } from "@rowmill/server/testing/factories";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestService } from "@rowmill/server/testing/service";
import { Rowmill } from "@rowmill/client";
import { parseId } from "@rowmill/server/platform/ids";

const LONG = "A very long name that goes on and on beyond everything";

let service: TestService;
let api: Api;
let apiKey: string;
let foreign: Api;
beforeAll(async () => {
  service = await startTestService({ ROWMILL_ROLE: "all" });
  ({ api, apiKey } = await service.newOrganization());
  foreign = (await service.newOrganization()).api;
  const dataset = await newDataset(api, numberedRows(1), "Base");
  const spec = await newJobSpec(api, { type: "mock" });
  make = {
    "/v1/runs": async (by, body) => {
      const ids = { datasetId: dataset.id, jobSpecId: spec.id };
      // Elsewhere there is neither; of another organization a job spec is enough.
      return by === api ? await created(by, "/v1/runs", { ...ids, scope: { type: "all" }, ...body }) : undefined;
    },
    "/v1/job-specs": (by, body) => created(by, "/v1/job-specs", { processor: { type: "mock" }, ...body }),
    "/v1/datasets": async (by, { name, metadata }) => {
      const made = await newDataset(by, numberedRows(1), name);
      expectStatus(await by("PATCH", `/v1/datasets/${made.id}`, { body: { metadata } }), 200);
      return made.id;
    },
  };
});

type Make = (by: Api, body: { name: string; metadata: Record<string, string> }) => Promise<string | undefined>;
let make: Record<string, Make>;
async function created(by: Api, path: string, body: object): Promise<string> {
  const response = await by("POST", path, { body });
  expectStatus(response, 201);
  return response.body.id;
}

describe.each(["/v1/runs", "/v1/datasets", "/v1/job-specs"])("%s", (path) => {
  let ids: string[];
  const find = async (query: string): Promise<string[]> => {
    const { status, body, text } = await api("GET", `${path}?${query}`);
    expect([status, status === 200 ? "" : text]).toEqual([200, ""]);
    return body.data.map(({ id }) => id);
  };

  beforeAll(async () => {
    const of = (by: Api, name: string, metadata: Record<string, string>) => make[path]?.(by, { name, metadata });
    await of(foreign, "Label reviews", { team: "search" });
    ids = [];
    for (const [name, metadata] of [
      ["Label reviews", { team: "search", env: "prod" }],
      ["label REVIEWS, second try", { team: "search", env: "dev" }],
      ["Labour", { team: "hr" }],
      ["100%_done\\", { "a]b=c": "d&e" }],
      [LONG, {}],
      ["Ünïcode 顧客", {}],
    ] as const)
      ids.push((await of(api, name, metadata)) ?? "");
  });
  const at = (...wanted: number[]): string[] => wanted.map((i) => ids[i] ?? "");

  test("are found by the beginning of their name, newest first, in upper or lower case", async () => {
    expect(await find("name=lab")).toEqual(at(2, 1, 0));
    expect(await find("name=LABEL")).toEqual(at(1, 0));
    expect(await find(`name=${encodeURIComponent("Label reviews, second")}`)).toEqual(at(1));
    expect(await find("name=abel")).toEqual([]);
    expect(await find("name=Labelx")).toEqual([]);
    expect(await find(`name=${encodeURIComponent("100%_d")}`)).toEqual(at(3));
    expect(await find("name=100%25%25")).toEqual([]);
    expect(await find(`name=${encodeURIComponent("ÜNïCODE 顧")}`)).toEqual(at(5));
    expect(await find(`name=${encodeURIComponent(LONG)}`)).toEqual(at(4));
    expect(await find(`name=${encodeURIComponent(`${LONG}!`)}`)).toEqual([]);
  });

  test("are found by their metadata, all pairs of it that are named", async () => {
    expect(await find("metadata[team]=search")).toEqual(at(1, 0));
    expect(await find("metadata[team]=search&metadata[env]=prod")).toEqual(at(0));
    expect(await find("metadata[env]=prod&metadata[team]=hr")).toEqual([]);
    expect(await find("name=label&metadata[env]=dev")).toEqual(at(1));
    expect(await find(`${encodeURIComponent("metadata[a]b=c]")}=${encodeURIComponent("d&e")}`)).toEqual(at(3));
    expect(await find("metadata[team]=sear")).toEqual([]);
  });

  test("come in pages; a cursor belongs to the filters, in whatever order they stand", async () => {
    const first = (await api("GET", `${path}?metadata[team]=search&name=l&limit=1`)).body;
    expect(first.data.map(({ id }) => id)).toEqual(at(1));
    expect(await find(`name=l&metadata[team]=search&limit=1&cursor=${first.nextCursor}`)).toEqual(at(0));
    for (const query of ["metadata[team]=hr&name=l", "metadata[team]=search", "name=la&metadata[team]=search"]) {
      const { body } = await api("GET", `${path}?${query}&cursor=${first.nextCursor}`);
      expect(body.error.code).toBe("invalid_cursor");
    }
  });

  test("are found by what they are now", async () => {
    const id = (await make[path]?.(api, { name: "Before", metadata: { stage: "one" } })) ?? "";
    expectStatus(await api("PATCH", `${path}/${id}`, { body: { name: "After", metadata: { stage: "two" } } }), 200);
    expect([await find("name=before"), await find("metadata[stage]=one")]).toEqual([[], []]);
    expect([await find("name=after"), await find("metadata[stage]=two")]).toEqual([[id], [id]]);
  });

  test.each([
    ["metadata=x", "metadata"],
    ["metadata[]=x", "metadata[]"],
    ["metadata[team=x", "metadata[team"],
    ["metadata.team=x", "metadata.team"],
    [`metadata[${"k".repeat(41)}]=x`, `metadata[${"k".repeat(41)}]`],
    [`metadata[k]=${"v".repeat(501)}`, "metadata[k]"],
    ["metadata[k]=1&metadata[k]=2", "metadata[k]"],
    [Array.from({ length: 6 }, (_, i) => `metadata[k${i}]=x`).join("&"), "metadata"],
  ])("refuse %s", async (query, param) => {
    const { status, body } = await api("GET", `${path}?${query}`);
    expect([status, body.error.code, body.error.param]).toEqual([400, "invalid_parameter", param]);
  });
});

test("the client takes both", async () => {
  const rowmill = new Rowmill({ apiKey, baseUrl: service.url });
  const names: string[] = [];
  for await (const spec of rowmill.jobSpecs.list({ name: "label", metadata: { team: "search", env: "dev" } }))
    names.push(spec.name);
  expect(names).toEqual(["label REVIEWS, second try"]);
});

test("what is deleted is not found, and leaves no label", async () => {
  const id = await created(api, "/v1/job-specs", {
    name: "Short-lived",
    processor: { type: "mock" },
    metadata: { a: "b" },
  });
  const count = async () => (await service.query<{ n: string }>("select count(*) as n from list_labels"))[0]?.n;
  const before = Number(await count());
  expectStatus(await api("DELETE", `/v1/job-specs/${id}`), 204);
  expect((await api("GET", "/v1/job-specs?name=short")).body.data).toEqual([]);
  // Six beginnings of the name, and a pair.
  expect(before - Number(await count())).toBe(6 + 1);
});

test("where many things have a label and few are asked for, pages may hold fewer items, and all are found", async () => {
  const { api: many, organizationId } = await service.newOrganization();
  const wanted = await created(many, "/v1/job-specs", {
    name: `${"x".repeat(40)} wanted`,
    processor: { type: "mock" },
  });
  await service.query(
    `with made as (
       insert into job_specs (organization_id, id, name, latest_version)
       select $1, (lpad(to_hex(4000000000000 + n), 12, '0') || '70008000000000000000')::uuid, $2, 1
       from generate_series(1, 2500) n returning organization_id, id)
     insert into job_spec_versions (organization_id, job_spec_id, version, id, processor)
     select organization_id, id, 1, id, '{"type":"mock"}' from made`,
    [parseId("organization", organizationId), `${"x".repeat(40)} other`],
  );
  const found: string[] = [];
  let pages = 0;
  const search = `name=${"x".repeat(40)}%20w&limit=10`;
  for (let cursor: string | null = ""; cursor !== null && pages < 10; pages++) {
    const { body }: { body: AnyBody } = await many(
      "GET",
      `/v1/job-specs?${search}${cursor === "" ? "" : `&cursor=${cursor}`}`,
    );
    found.push(...body.data.map(({ id }) => id));
    cursor = body.nextCursor;
  }
  expect([found, pages]).toEqual([[wanted], 3]);
});
