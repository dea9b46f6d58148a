import type { Rowmill } from "@rowmill/client";
import { expect, test } from "vitest";
import { findId } from "./find.ts";

const RUNS = 5_000;
const names = Array.from({ length: RUNS }, (_, at) => ({ id: `run_${RUNS - at}`, name: `Nightly ${RUNS - at}` }));

/** What finding reads of it: runs, the newest first, and those whose names begin as asked. */
const rowmill = {
  runs: {
    async *list({ name }: { name?: string } = {}) {
      yield* names.filter((run) => name === undefined || run.name.startsWith(name));
    },
  },
} as unknown as Rowmill;

test.each([
  ["Nightly 5000", "run_5000"],
  ["Nightly 7", "run_7"],
  ["@last", "run_5000"],
])("%s is found among 5,000 runs", async (typed, id) => {
  expect(await findId(rowmill, "run", typed)).toBe(id);
});

test("the beginning of a name is no name, however old the runs are", async () => {
  await expect(findId(rowmill, "run", "Nightly")).rejects.toMatchObject({ message: 'There is no run "Nightly".' });
});
