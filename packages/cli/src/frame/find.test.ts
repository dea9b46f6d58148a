import type { Rowmill } from "@rowmill/client";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { checkInput } from "../map/input.ts";
import { findId } from "./find.ts";
import type { FindableKind } from "./find.ts";

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

const folder = mkdtempSync(join(tmpdir(), "rowmill-find-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each<[string, FindableKind, (file: string) => string]>([
  [
    "in.csv",
    "dataset",
    (file) =>
      `\`rowmill upload ${file}\` makes a dataset of this file; \`rowmill map ${file} …\` does so and starts a run.`,
  ],
  ["in.csv", "run", (file) => `\`rowmill map ${file} …\` starts a run over this file.`],
  ["spec.json", "spec", (file) => `\`rowmill specs new ${file}\` makes a job spec of this file.`],
  ["clean.js", "spec", (file) => `\`rowmill map FILE --transform ${file}\` processes the rows of a file by this code.`],
])("a file %s in place of a %s is named with what takes it", async (name, kind, advice) => {
  const file = join(folder, name);
  writeFileSync(file, "a\n1\n");
  const none = clientOf({ runs: [], datasets: [], jobSpecs: [] });
  await expect(findId(none, kind, file)).rejects.toMatchObject({ advice: advice(file) });
  await expect(findId(none, kind, `${file}.x`)).rejects.toMatchObject({
    advice: "Use its id, the beginning of it, or its name.",
  });
});

test("a URL in place of a dataset, and a dataset or a URL in place of a file, are named with what takes them", async () => {
  const url = "https://example.com/in.csv";
  await expect(findId(clientOf({ datasets: [] }), "dataset", url)).rejects.toMatchObject({
    advice: `\`rowmill upload ${url}\` makes one.`,
  });
  expect(() => checkInput(url)).toThrow(`${url} is a URL, not a file.`);
  const id = "ds_01jd3v8m7qe6t9yb4c2xk5w0hz";
  expect(() => checkInput(id)).toThrow(`${id} is a dataset of the service, not a file.`);
});
