import { expect, test } from "vitest";
import { ThreadPool } from "./thread-pool.ts";

const workOf = (code: string, rows: readonly unknown[]) =>
  ({
    type: "rows",
    sandboxKey: code,
    code,
    text: rows.map((row) => JSON.stringify(row)).join("\n"),
    rowCount: rows.length,
    oneByOne: 0,
    capturesLogs: false,
  }) as const;

test("what a thread has worked does not include the wait for it, by which the next calls would become smaller", async () => {
  const pool = new ThreadPool({ threads: 1 });
  const startedAt = performance.now();
  const [endless, quick] = await Promise.all([
    pool.perform(
      { organizationId: "org_a", ownerId: "run_a" },
      "run",
      workOf("export default () => { while (true); };", [0]),
      null,
    ),
    pool.perform(
      { organizationId: "org_b", ownerId: "run_b" },
      "run",
      workOf("export default (row) => row;", [1]),
      null,
    ),
  ]);
  const elapsedMs = performance.now() - startedAt;
  expect(quick.end.outcome).toBe("responded");
  expect(endless.workedMs + quick.workedMs).toBeLessThanOrEqual(elapsedMs);
  expect(quick.workedMs).toBeGreaterThan(0);
  await pool.close();
});
