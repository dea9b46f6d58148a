/** Two organizations with one of everything each: neither sees, changes or refers to what is the other's. */
import { beforeAll, describe, expect, test } from "vitest";
import { parseId } from "@rowmill/server/platform/ids";
import { receiverSettings, startReceiver } from "@rowmill/server/testing/receiver";
import type { TestOrganization, TestService } from "@rowmill/server/testing/service";
import { startTestService } from "@rowmill/server/testing/service";
import { Surprises, expectNone } from "./support/collect.ts";
import { bodiesOf, entries, pathOf, readingPathOf, unknownId } from "./support/operations.ts";
import type { Entry, Ids } from "./support/operations.ts";
import { newWorld } from "./support/new-world.ts";

let service: TestService;
let owner: TestOrganization;
let stranger: TestOrganization;
let ids: Ids;
let strangersIds: Ids;
beforeAll(async () => {
  const receiver = await startReceiver();
  service = await startTestService(receiverSettings(receiver));
  [owner, stranger] = [await service.newOrganization(), await service.newOrganization()];
  [ids, strangersIds] = await Promise.all([newWorld(owner, receiver), newWorld(stranger, receiver)]);
  // Their runs call nobody, and so have used nothing.
  for (const world of [ids, strangersIds])
    await service.query(
      `insert into usage_days (organization_id, day, run_id, job_spec_id, api_key_id) values ($1, current_date, $2, $3, $4)`,
      [
        parseId("organization", world["organizationId"] ?? ""),
        parseId("run", world["runId"] ?? ""),
        parseId("jobSpec", world["jobSpecId"] ?? ""),
        parseId("apiKey", world["apiKeyId"] ?? ""),
      ],
    );
});

const tenantOperations = entries.filter(({ o }) => o.access.by.startsWith("organization"));
const withParams = tenantOperations.filter(({ o }) => Object.keys(o.params ?? {}).length > 0);
const reads = tenantOperations.filter(({ o }) => o.method === "GET");
const bodyOf = (entry: Entry): { body?: unknown } => (entry.o.body ? { body: bodiesOf(entry)[0] } : {});

test.each(reads)("the owner reads: $id", async ({ o }) => {
  const response = await owner.api("GET", readingPathOf(o, ids));
  expect(response.status).toBe(200);
  // All of the world's lists hold something, or a stranger's empty page would prove nothing.
  expect(o.filters ? response.body.data.length : 1).toBeGreaterThan(0);
  const head = await owner.api("HEAD", readingPathOf(o, ids));
  expect([head.status, head.bytes.length]).toEqual([200, 0]);
  expect(head.headers["content-type"]).toBe(response.headers["content-type"]);
});

/** Of the owner's own doing: the use of the key. */
const LAST_USE = /"lastUsedAt":"[^"]*"/g;

describe("a stranger with every scope", () => {
  let before: Map<string, string>;
  /** Everything that the owner can read, as text. */
  async function readAll(): Promise<Map<string, string>> {
    const texts = new Map<string, string>();
    for (const { id, o } of reads.filter(({ id }) => id !== "listApiKeys"))
      texts.set(id, (await owner.api("GET", readingPathOf(o, ids))).text.replace(LAST_USE, ""));
    return texts;
  }
  beforeAll(async () => {
    before = await readAll();
  });

  test.each(withParams)("gets 404 from $id, as for what does not exist", async (entry) => {
    const { o } = entry;
    const message = async (path: string): Promise<unknown[]> => {
      const { status, body } = await stranger.api(o.method, path, bodyOf(entry));
      return [status, body.error?.code, body.error?.message, body.error?.param, body.error?.details];
    };
    const responded = await message(pathOf(o, ids));
    expect(responded.slice(0, 2)).toEqual([404, "not_found"]);
    expect(responded).toEqual(await message(pathOf(o, { version: "1" })));
  });

  const mixed = withParams.filter(({ o }) => Object.keys(o.params ?? {}).length > 1);
  test.each(mixed)("gets 404 from $id with a foreign id below an own one, and the other way round", async (entry) => {
    const names = Object.keys(entry.o.params ?? {}).filter((name) => name !== "version");
    for (const name of names.length > 1 ? names : []) {
      const { status } = await stranger.api(
        entry.o.method,
        pathOf(entry.o, { ...strangersIds, [name]: ids[name] ?? "" }),
        bodyOf(entry),
      );
      expect([name, status]).toEqual([name, 404]);
    }
  });

  test("sees nothing of the owner's in any list, and nothing by filters with the owner's ids", async () => {
    const surprises = new Surprises();
    const foreign = Object.entries(ids).filter(([name]) => name !== "version");
    for (const { id, o } of reads.filter(({ o }) => o.filters !== undefined)) {
      const { text } = await stranger.api("GET", `${pathOf(o, strangersIds)}?limit=1000`);
      // Audit events of refused attempts name the paths for which the stranger has asked.
      const shown = text.replaceAll(/"path": *"[^"]*"/g, "");
      for (const [name, value] of foreign) if (shown.includes(value)) surprises.add(id, name);
      for (const [name, filter] of Object.entries(o.filters ?? {})) {
        const value =
          filter.kind === "id" ? Object.values(ids).find((value) => value.startsWith(prefixOf(filter.of))) : undefined;
        if (value === undefined) continue;
        const filtered = await stranger.api("GET", `${pathOf(o, strangersIds)}?${name}=${value}`);
        if (filtered.status !== 200 || filtered.body.data.length > 0) surprises.add(id, name, filtered.text);
        const mine = await owner.api("GET", `${pathOf(o, ids)}?${name}=${value}`);
        if (mine.body.data.length === 0) surprises.add(id, name, "the owner finds nothing by it either");
      }
    }
    expectNone(surprises);
  });

  test("cannot refer to the owner's things in a body", async () => {
    const scope = { type: "all" };
    const bodies: [string, object, string][] = [
      ["/v1/runs", { datasetId: ids["datasetId"], jobSpecId: strangersIds["jobSpecId"], scope }, "datasetId"],
      ["/v1/runs", { datasetId: strangersIds["datasetId"], jobSpecId: ids["jobSpecId"], scope }, "jobSpecId"],
      [`/v1/job-specs/${strangersIds["jobSpecId"]}/test`, { datasetId: ids["datasetId"] }, "datasetId"],
    ];
    for (const [path, body, param] of bodies) {
      const response = await stranger.api("POST", path, { body });
      expect([path, response.status, response.body.error.code, response.body.error.param]).toEqual([
        path,
        404,
        "not_found",
        param,
      ]);
    }
    const rows = { type: "rows", rowIds: [ids["datasetRowId"]] };
    const run = { datasetId: strangersIds["datasetId"], jobSpecId: strangersIds["jobSpecId"], scope: rows };
    expect((await stranger.api("POST", "/v1/runs", { body: run })).body.error.code).toBe("scope_invalid");
    const retry = await stranger.api("POST", `/v1/runs/${strangersIds["runId"]}/retry`, { body: { selection: rows } });
    expect([422, 404]).toContain(retry.status);
  });

  test("has changed nothing by all that", async () => {
    const after = await readAll();
    for (const [id, text] of before) expect([id, after.get(id)]).toEqual([id, text]);
  });
});

describe("an id of another kind", () => {
  test.each(withParams)("is a 404 for $id, though the thing exists and is the asker's own", async (entry) => {
    const surprises = new Surprises();
    for (const name of Object.keys(entry.o.params ?? {}).filter((name) => name !== "version"))
      for (const [other, value] of Object.entries(ids).filter(([other]) => other !== name))
        await surprises.collect(`${name} = ${other}`, async () => {
          const { status, text } = await owner.api(
            entry.o.method,
            pathOf(entry.o, { ...ids, [name]: value }),
            bodyOf(entry),
          );
          if (status !== 404) surprises.add(`${name} = ${other}`, text);
        });
    expectNone(surprises);
  });
});

test("ids say nothing of what they name to those who guess", () => {
  const all = Object.entries(ids).filter(([name]) => name !== "version" && name !== "datasetRowId");
  expect(new Set(all.map(([, value]) => value.slice(-16))).size).toBe(all.length);
});

const prefixOf = (kind: Parameters<typeof unknownId>[0]): string => unknownId(kind).replace(/_.*/, "_");
