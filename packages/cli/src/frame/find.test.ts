import type { Rowmill } from "@rowmill/client";
import { expect, test } from "vitest";
import { findId } from "./find.ts";

const RUNS = 5_000;
const names = Array.from({ length: RUNS }, (_, at) => ({ id: `run_${RUNS - at}`, name: `Nightly ${RUNS - at}` }));

/** What finding reads of it: lists, the newest first, and those whose names begin as asked. */
const clientOf = (lists: Record<string, { id: string; name: string }[]>): Rowmill =>
  Object.fromEntries(
    Object.entries(lists).map(([kind, things]) => {
      async function* list({ name }: { name?: string } = {}) {
        yield* things.filter((thing) => name === undefined || thing.name.startsWith(name));
      }
      return [kind, { list }];
    }),
  ) as unknown as Rowmill;
const rowmill = clientOf({ runs: names });

test.each([
  ["Nightly 5000", "run_5000"],
  ["Nightly 7", "run_7"],
  ["@last", "run_5000"],
])("%s is found among 5,000 runs", async (typed, id) => {
  expect(await findId(rowmill, "run", typed)).toBe(id);
});

test("a name is found behind more than a thousand newer ones that begin with it", async () => {
  const dated = Array.from({ length: 3_000 }, (_, at) => ({ id: `run_${at}`, name: `Weekly ${3_000 - at}` }));
  const runs = [...dated, { id: "run_old", name: "Weekly" }];
  expect(await findId(clientOf({ runs }), "run", "Weekly")).toBe("run_old");
});

test("a dataset that failed does not hide an older one of the same name that is ready", async () => {
  const others = Array.from({ length: 2_000 }, (_, at) => ({ id: `ds_${at}`, name: `Other ${at}`, state: "ready" }));
  const failed = { id: "ds_failed", name: "Customers", state: "failed" };
  const ready = { id: "ds_ready", name: "Customers", state: "ready" };
  expect(await findId(clientOf({ datasets: [failed, ...others, ready] }), "dataset", "Customers")).toBe("ds_ready");
  expect(await findId(clientOf({ datasets: [failed, ...others] }), "dataset", "Customers")).toBe("ds_failed");
});

test("the beginning of a name is no name, however old the runs are", async () => {
  await expect(findId(rowmill, "run", "Nightly")).rejects.toMatchObject({ message: 'There is no run "Nightly".' });
});
