/** Workers of pg-boss that ask for jobs at the same time. */
import { expect, test } from "vitest";
import { present } from "../present.ts";
import { createQueuePlaces } from "./places.ts";
import { shareFetches } from "./shared-fetches.ts";
import type { FetchOptions } from "./shared-fetches.ts";

const fetchOf = (queue: string): string =>
  `\n  WITH next AS (select from job where name = '${queue}' FOR UPDATE OF j SKIP LOCKED)`;

/** A database whose statements end when the test ends them. */
function startDatabase(placesOf?: FetchOptions["placesOf"]) {
  const executed: {
    name?: string;
    text: string;
    values: unknown[] | undefined;
    end: (rows: unknown[]) => void;
    fail: (error: Error) => void;
  }[] = [];
  const execute = shareFetches(({ name, text, values }) => {
    const { promise, resolve, reject } = Promise.withResolvers<{ rows: unknown[] }>();
    executed.push({ ...present({ name }), text, values, end: (rows) => resolve({ rows }), fail: reject });
    return promise;
  }, present({ placesOf }));
  return { executed, execute };
}

test("an empty response counts for all who had asked before the statement began, and for nobody else", async () => {
  const { executed, execute } = startDatabase();
  const fetch = fetchOf("one");
  const first = execute(fetch, []);
  const during = [execute(fetch, []), execute(fetch, [])];
  expect(executed).toHaveLength(1);
  executed[0]?.end([]);
  expect(await first).toEqual({ rows: [] });
  // They may have been woken by a job that the first statement did not see.
  await expect.poll(() => executed.length).toBe(2);
  executed[1]?.end([]);
  expect(await Promise.all(during)).toEqual([{ rows: [] }, { rows: [] }]);
  void execute(fetch, []);
  expect(executed).toHaveLength(3);
});

test("a job goes to who asked first, and the others ask on", async () => {
  const { executed, execute } = startDatabase();
  const fetch = fetchOf("one");
  const asked = [execute(fetch, []), execute(fetch, []), execute(fetch, [])];
  executed[0]?.end(["first job"]);
  await expect.poll(() => executed.length).toBe(2);
  executed[1]?.end(["second job"]);
  await expect.poll(() => executed.length).toBe(3);
  executed[2]?.end([]);
  expect((await Promise.all(asked)).map(({ rows }) => rows)).toEqual([["first job"], ["second job"], []]);
});

test("queues and other statements do not wait for each other", () => {
  const { executed, execute } = startDatabase();
  void execute(fetchOf("one"), []);
  void execute(fetchOf("two"), []);
  void execute("update job set state = 'completed'", [1]);
  void execute("update job set state = 'completed'", [1]);
  expect(executed.map(({ name }) => name?.slice(0, 6))).toEqual(["fetch_", "fetch_", undefined, undefined]);
});

test("a failure is that of all who had asked, and the next one asks again", async () => {
  const { executed, execute } = startDatabase();
  const asked = [execute(fetchOf("one"), []), execute(fetchOf("one"), [])];
  executed[0]?.fail(new Error("the database is away"));
  await expect(asked[0]).rejects.toThrow("the database is away");
  await expect.poll(() => executed.length).toBe(2);
  executed[1]?.fail(new Error("the database is still away"));
  await expect(asked[1]).rejects.toThrow("the database is still away");
  const next = execute(fetchOf("one"), []);
  executed[2]?.end(["a job"]);
  expect(await next).toEqual({ rows: ["a job"] });
});

test.each([
  ["share", "j.state = 'retry' or "],
  [3, ""],
] as const)(
  "jobs of an organization that has its places (%s) are left out from the next statement on, those that were begun before of a share only",
  async (mostOfOrganization, begun) => {
    const places = createQueuePlaces({ places: 4, mostOfOrganization });
    const { executed, execute } = startDatabase((queue) => (queue === "one" ? places : undefined));
    const fetch = "WITH next AS (select from job j where j.name = 'one' and NOT j.blocked FOR UPDATE OF j SKIP LOCKED)";
    const asked = [1, 2, 3, 4].map(() => execute(fetch, [["given"]]));
    for (const n of [0, 1, 2]) {
      await expect.poll(() => executed.length).toBe(n + 1);
      executed[n]?.end([{ id: `job ${n}`, retryCount: 0, groupId: "an organization" }]);
    }
    await expect.poll(() => executed.length).toBe(4);
    executed[3]?.end([]);
    await Promise.all(asked);
    expect(executed.map(({ values }) => values)).toEqual([
      ...[1, 2, 3].map(() => [["given"]]),
      [["given"], ["an organization"]],
    ]);
    expect(executed[3]?.text).toBe(
      "WITH next AS (select from job j where j.name = 'one' and NOT j.blocked and " +
        `(${begun}j.group_id is null or j.group_id <> all($2::text[])) FOR UPDATE OF j SKIP LOCKED)`,
    );
    expect(executed[3]?.name).not.toBe(executed[2]?.name);
  },
);

test("nobody is given a job while no place is free, though more workers ask than there are places", async () => {
  const places = createQueuePlaces({ places: 1, mostOfOrganization: "share", mostWithoutPlace: 1 });
  const { executed, execute } = startDatabase(() => places);
  const asked = [execute(fetchOf("one"), []), execute(fetchOf("one"), [])];
  executed[0]?.end([{ id: "first", retryCount: 0, groupId: "an organization" }]);
  expect((await Promise.all(asked)).map(({ rows }) => rows.length)).toEqual([1, 0]);
  expect(executed).toHaveLength(1);
  places.leaveEarly({ id: "first", retryCount: 0 });
  const next = execute(fetchOf("one"), []);
  await expect.poll(() => executed.length).toBe(2);
  executed[1]?.end([{ id: "second", retryCount: 0, groupId: "an organization" }]);
  expect((await next).rows).toHaveLength(1);
});
