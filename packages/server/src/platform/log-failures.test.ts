import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from "kysely";
import { pino } from "pino";
import { expect, onTestFinished, test, vi } from "vitest";
import { FormerFailures, forEachOwned, untilNoneLeft } from "./database/failures-by-organization.ts";
import type { FailuresByOrganization } from "./database/failures-by-organization.ts";
import { OrganizationsFailedError, createFailureLog, doBoth } from "./log-failures.ts";

const noDatabase = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

const failing = async (failed: string[]): Promise<unknown> =>
  forEachOwned(
    failed.map((organizationId) => ({ organizationId })),
    () => Promise.reject(new Error("this row is broken")),
  ).catch((error: unknown) => error);

test("what fails for an organization in each pass is logged once, and so is what fails for everybody, for a minute", async () => {
  const lines: string[] = [];
  const logFailure = createFailureLog(pino({}, { write: (line) => lines.push(line) }));
  for (const organizations of [["one"], ["one", "two"], ["two"]])
    logFailure(await failing(organizations), "a task failed");
  logFailure(await failing(["one"]), "another task failed");
  const logged = lines.map((line) => JSON.parse(line) as { organizationId?: string; msg: string });
  expect(logged.map(({ organizationId }) => organizationId)).toEqual(["one", "two", "one"]);
  expect(logged[2]?.msg).toContain("another task failed");
  for (let pass = 0; pass < 2; pass++) logFailure(new Error("the disk is full"), "a task failed");
  expect(lines).toHaveLength(4);
});

test("what fails for everybody is logged once a minute for each task and cause", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const lines: string[] = [];
  const logFailure = createFailureLog(pino({}, { write: (line) => lines.push(line) }));
  const refused = new Error("connect ECONNREFUSED 127.0.0.1:5432");
  for (let second = 0; second < 30; second++) {
    logFailure(refused, "a task failed");
    logFailure(refused, "another task failed");
    vi.advanceTimersByTime(1_000);
  }
  logFailure(new Error("the disk is full"), "a task failed");
  vi.advanceTimersByTime(30_000);
  logFailure(refused, "a task failed");
  const logged = lines.map((line) => JSON.parse(line) as { msg: string; err: { message: string } });
  expect(logged.map(({ msg, err }) => [msg, err.message])).toEqual([
    ["a task failed", refused.message],
    ["another task failed", refused.message],
    ["a task failed", "the disk is full"],
    ["a task failed", refused.message],
  ]);
});

test("after a failure the others are done, and the failures are thrown together", async () => {
  const done: string[] = [];
  const ended = forEachOwned(
    [{ organizationId: "one" }, { organizationId: "two" }, { organizationId: "three" }],
    (item) => {
      if (item.organizationId === "one") return Promise.reject(new Error("broken"));
      done.push(item.organizationId);
      return Promise.resolve();
    },
  );
  await expect(ended).rejects.toMatchObject({ failures: [{ organizationId: "one" }] });
  expect(done).toEqual(["two", "three"]);
});

test("a failure before anything was found is thrown at once, as one that concerns everybody", async () => {
  const ended = untilNoneLeft(() => Promise.reject(new Error("there is no such table")));
  await expect(ended).rejects.toThrow("there is no such table");
  await expect(ended).rejects.not.toBeInstanceOf(OrganizationsFailedError);
});

test("where both parts of the work fail, both failures are logged, each with its organizations", async () => {
  const lines: string[] = [];
  const logFailure = createFailureLog(pino({}, { write: (line) => lines.push(line) }));
  const ofOrganizations = (organizationId: string) => (): Promise<void> =>
    forEachOwned([{ organizationId }], () => Promise.reject(new Error("this row is broken")));
  const ofAll = (): Promise<void> => Promise.reject(new Error("the disk is full"));
  for (const second of [ofAll, ofOrganizations("two")])
    await doBoth(ofOrganizations("one"), second).catch((error: unknown) => logFailure(error, "a task failed"));
  const logged = lines.map((line) => JSON.parse(line) as { organizationId?: string; err: { message: string } });
  expect(logged.map(({ organizationId, err }) => [organizationId, err.message])).toEqual([
    ["one", "this row is broken"],
    [undefined, "the disk is full"],
    ["two", "this row is broken"],
  ]);
});

test("an organization with more broken rows than a pass takes comes to its sound ones in the passes after it, and tries the broken ones again", async () => {
  const rows = Array.from({ length: 26 }, (_unused, i) => ({ organizationId: "one", id: String(i), isBroken: i < 25 }));
  const former = new FormerFailures();
  const pass = async (): Promise<string[]> => {
    const tried: string[] = [];
    await untilNoneLeft((failures, note) => {
      const [ids, organizations] = leftOutBy(failures);
      const found = rows.find(
        ({ id, organizationId }) => !ids.has(id) && !tried.includes(id) && !organizations.has(organizationId),
      );
      if (found === undefined) return Promise.resolve(false);
      note(found);
      tried.push(found.id);
      return found.isBroken ? Promise.reject(new Error("this row is broken")) : Promise.resolve(true);
    }, former).catch(() => undefined);
    return tried;
  };
  const idsFrom = (first: number, last: number) => rows.slice(first, last).map(({ id }) => id);
  expect(await pass()).toEqual(idsFrom(0, 10));
  expect(await pass()).toEqual(idsFrom(10, 20));
  expect(await pass()).toEqual(idsFrom(20, 26));
  expect(await pass()).toEqual(idsFrom(0, 10));
});

test("what is too much to be remembered is forgotten of the organization that has the most, and not of others", () => {
  const former = new FormerFailures();
  const idsOf = (name: string, first: number, count = 10) =>
    Array.from({ length: count }, (_unused, i) => `${name} ${first + i}`);
  for (let n = 0; n < 95; n++)
    former.keep(
      new Map([
        ["large", idsOf("large", n * 100, 100)],
        ["small", idsOf("small", n * 10)],
      ]),
    );
  expect(former.ids.filter((id) => id.startsWith("small"))).toEqual(idsOf("small", 0, 950));
  expect(former.ids.length).toBeLessThan(2_000);
});

test("what has failed is tried again after a pause that grows, where passes follow each other each second", () => {
  let now = 0;
  const former = new FormerFailures(() => now);
  const pauses: number[] = [];
  for (let n = 0; n < 8; n++) {
    former.keep(new Map([["one", ["broken"]]]));
    const failedAt = now;
    for (; former.ids.length > 0; now += 1_000) former.keep(new Map());
    pauses.push((now - failedAt) / 1_000);
  }
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  // It has succeeded since.
  now += 70_000;
  former.keep(new Map());
  former.keep(new Map([["one", ["broken"]]]));
  now += 1_000;
  expect(former.ids).toEqual([]);
});

/** What the condition of a statement leaves out. */
function leftOutBy(failures: FailuresByOrganization): [ids: Set<unknown>, organizations: Set<unknown>] {
  const { parameters } = failures.leftOut("organization_id", "id").compile(noDatabase);
  const [organizations = [], ids = []] = parameters as unknown[][]; // its two lists
  return [new Set(ids), new Set(organizations)];
}
