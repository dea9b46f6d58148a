/** Numbers that README and "Why" quote are those of the last measurement, which `npm run bench` writes into a page. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { operationIds, operations } from "@rowmill/contract";
import { expect, test } from "vitest";
import { ROOT } from "./pages.ts";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const measured = read("docs/performance.md");

/** The median of a row of the table below a heading. */
function median(heading: string, row: string): string {
  const section = measured.split(`\n### ${heading}\n`)[1]?.split("\n### ")[0] ?? "";
  const value = section.split("\n").find((line) => line.startsWith(`| ${row} |`));
  const [, bold] = /\*\*(?:× )?([^*]+)\*\*/.exec(value ?? "") ?? [];
  if (bold === undefined) throw new Error(`docs/performance.md has no "${row}" below "${heading}"`);
  return bold;
}
const thousands = (rate: string): string => `${Math.round(Number(rate.replaceAll(/\D/g, "")) / 1000)},000`;

const small = "A run of 200,000 rows, `mock`";
const large = "A run of 1,000,000 rows, `mock`";
const queues = ["graphile-worker", "pg-boss", "BullMQ"]
  .map((queue) => `${median(small, `run ÷ ${queue}, tuned`)} × ${queue}`)
  .join(", ");

test.each(["README.md", "docs/why.md"])("%s quotes what was measured", (page) => {
  const text = read(page);
  expect(text).toContain(`${queues}, all tuned`);
  expect(text).toContain(thousands(median(large, "run, API to API")));
  expect(text).toContain(`${median(large, "run ÷ `COPY`")} of PostgreSQL's \`COPY\``);
});

test("README.md quotes how many operations `tests/strangers.test.ts` calls with the ids of another organization", () => {
  const called = operationIds
    .map((id) => operations[id])
    .filter(
      ({ access, ...o }) => access.by.startsWith("organization") && "params" in o && Object.keys(o.params).length > 0,
    );
  expect(read("README.md")).toContain(`${called.length} operations with the ids of another organization`);
});
