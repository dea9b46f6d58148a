import { describe, expect, test } from "vitest";
import { startTestService } from "../../testing/service.ts";
import { FIND_QUEUES_WITH_DUE_JOBS } from "./due-jobs.ts";

const WAITING = 3_000;
/** Of each queue, in each step of the plan. */
const MOST_ROWS = 20;

interface PlanNode {
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Join Filter"?: number;
  Plans?: PlanNode[];
}

const rowsIn = (node: PlanNode): number =>
  node["Actual Loops"] *
    (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Join Filter"] ?? 0)) +
  (node.Plans ?? []).reduce((sum, inner) => sum + rowsIn(inner), 0);

// Nobody works here, and nothing is analyzed but by the test.
const service = await startTestService({ ROWMILL_ROLE: "api" });
await service.query("alter table pgboss.job_common set (autovacuum_enabled = false)");
/** A queue without jobs is looked at, too. */
const [full = "", empty = "", line = ""] = (
  await service.query<{ name: string }>(
    "select name from pgboss.queue q where not exists (select from pgboss.job j where j.name = q.name) order by name limit 3",
  )
).map(({ name }) => name);
const QUEUES = [full, empty];
const insert = (state: string): Promise<unknown> =>
  service.query(
    `insert into pgboss.job_common (name, state, policy, group_id, priority, created_on, start_after)
     select $2, $1::pgboss.job_state, 'standard', 'a', -n, now(), now() from generate_series(1, ${WAITING}) n`,
    [state, full],
  );
const forget = async (rows: 0 | -1): Promise<void> => {
  const ofQueue = "relnamespace = 'pgboss'::regnamespace";
  await service.query(`delete from pg_statistic where starelid in (select oid from pg_class where ${ofQueue})`);
  await service.query(
    `update pg_class set relpages = 0, reltuples = $1, relallvisible = 0 where ${ofQueue} and relkind in ('r', 'i')`,
    [rows],
  );
};

/** In the order in which the table passes through them. */
const states: [state: string, enter: () => Promise<unknown>][] = [
  [
    "of a time at which nothing waited",
    async () => {
      await insert("completed");
      await service.query("vacuum analyze pgboss.job_common");
      await insert("created");
    },
  ],
  ["of empty tables", () => forget(0)],
  ["that are not there", () => forget(-1)],
  ["that are right", () => service.query("vacuum analyze pgboss.job_common")],
];

describe("a look for due jobs reads one of a queue, with statistics", () => {
  test.each(states)("%s", async (_state, enter) => {
    await enter();
    expect(await service.query(FIND_QUEUES_WITH_DUE_JOBS, [QUEUES])).toMatchObject([{ name: full }]);
    const [row] = await service.query<{ "QUERY PLAN": string | { Plan: PlanNode }[] }>(
      `explain (analyze, timing off, format json) ${FIND_QUEUES_WITH_DUE_JOBS}`,
      [QUEUES],
    );
    const found = row?.["QUERY PLAN"];
    const [plan] = (typeof found === "string" ? JSON.parse(found) : found) as { Plan: PlanNode }[]; // as PostgreSQL documents it
    expect(rowsIn(plan?.Plan ?? { "Actual Rows": Infinity, "Actual Loops": 1 })).toBeLessThanOrEqual(
      MOST_ROWS * QUEUES.length,
    );
  });
});

test("a place in line counts from the first job that is due, or from those that are worked on where they are farther", async () => {
  const front = async (): Promise<unknown> => (await service.query("select front_of_line($1) as front", [line]))[0];
  const add = (place: number, state: string): Promise<unknown> =>
    service.query(
      `insert into pgboss.job_common (name, state, policy, group_id, priority, created_on, start_after)
       values ($1, $2::pgboss.job_state, 'standard', 'a', -$3::int, now(), now())`,
      [line, state, place],
    );
  expect(await front()).toEqual({ front: 0 });
  await add(4, "created");
  await add(3, "retry");
  await add(50, "completed");
  expect(await front()).toEqual({ front: 3 });
  // The first one waits for a place of its organization, and those of others pass it.
  await add(40, "active");
  expect(await front()).toEqual({ front: 40 });
});
