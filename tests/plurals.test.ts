/** "1 rows" is nowhere: a noun behind a number that may be one comes from `plural`. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const NOUNS =
  "rows|runs|chunks|files|events|deliveries|failures|calls|attempts|times|seconds|minutes|hours|days|columns|connections|tables|exports|requests|changes|scopes|models|problems|fields|outcomes|values|types|positions|outputs|kinds|steps|keys|lines|bins|things|endpoints|members|workers|tokens";
/** Ends behind the number: `${count(n)} rows`, in a text or between the tags of a screen. */
/** A name of a kind is not a number. */
const KIND = /^type$/;
const COUNTED = new RegExp(`\\{([^{}\`]*(?:\\{[^{}]*\\}[^{}\`]*)?)\\} (?:${NOUNS})(?![\\w/=-])`, "g");
/** A limit, which is written in capitals or begins with `max`, has a value that somebody chose. */
const LIMIT = /^(?:count\()?(?:[A-Z][A-Z_]+|max[A-Z]\w*|\w+\.max[A-Z]\w*|limit|perMinute)\b/;
/** Where the text stands, there are more than one: the reason is beside the place. */
const ALWAYS_MANY: readonly string[] = [
  "packages/cli/src/commands/keys.ts: {scopes.length} scopes", // more than are shown by name
  "packages/cli/src/frame/ids.ts: {found.length} things", // an id that is ambiguous
  "packages/cli/src/frame/option-names.ts: {values.length} types", // more than fit the sentence
  "packages/cli/src/frame/option-names.ts: {values.length} values",
  "packages/cli/src/map/definition.ts: {columns.length} columns", // more than are shown by name
  "packages/client/src/webhooks.ts: {-age} seconds", // more than the tolerance
  "packages/client/src/webhooks.ts: {age} seconds",
  "packages/console/src/lib/format.ts: {Math.floor(hours / 24)} days", // two at least
  "packages/console/src/lib/keys.ts: {levels.length} kinds",
  "packages/console/src/screens/datasets/columns.tsx: {count(dataset.columns.length)} columns", // more than are shown
  "packages/console/src/screens/run/resolved.tsx: {runs} runs", // two at least
  "packages/server/src/engine/policies/run-policies.ts: {rows} rows", // as many as the breaker waits for
  "packages/server/src/intake/readers/csv-table.ts: {fieldCount} columns", // more than the limit
  "packages/server/src/intake/readers/parquet.ts: {references.length} columns",
  "packages/server/src/intake/readers/parquet.ts: {rowCount} rows",
  "packages/server/src/platform/database/database-clock.ts: {seconds} seconds",
  "packages/server/src/platform/database/embedded/owned-server.ts: {count} times", // five at least
  "packages/server/src/resources/connections/connections.ts: {count} connections", // as many as the limit
  "packages/server/src/resources/runs/filter-scope.ts: {rowCount} rows", // more than one evaluation can do in its time
  "packages/server/src/resources/usage/usage.ts: {days} days", // more than the limit
  "clients/python/src/rowmill/_map/models.py: {len(matches)} connections", // none, or several of one name
  "clients/python/src/rowmill/_wait.py: {timeout} seconds", // a limit of the caller
  "clients/python/src/rowmill/webhooks.py: {-age} seconds", // more than the tolerance
  "clients/python/src/rowmill/webhooks.py: {age} seconds",
];
/** A text that a condition shows for more than one has the condition before it. */
const FOR_MANY = /(?:=== 1 \?|> 1 (?:\?|&&)|Count > 1)[^\n]{0,80}$/;
/** Only developers read it: an invariant that does not hold. */
const INTERNAL = /throw new (?:Aggregate)?Error\([^\n]*$/;

test("no text puts a plural behind a number that may be one", () => {
  const files = globSync(["packages/*/src/**/*.{ts,tsx}", "clients/python/src/**/*.py"], {
    cwd: root,
    exclude: ["**/*.test.ts", "**/*.test.tsx", "**/testing/**", "**/testing.ts"],
  });
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    return [...text.matchAll(COUNTED)]
      .filter(({ 1: value = "", index }) => {
        const before = text.slice(text.lastIndexOf("\n", index) + 1, index);
        return !KIND.test(value) && !LIMIT.test(value.trim()) && !FOR_MANY.test(before) && !INTERNAL.test(before);
      })
      .map(([whole]) => `${file}: ${whole}`);
  });
  expect([...new Set(found)].toSorted()).toEqual(ALWAYS_MANY.toSorted());
});

/** `plural` chooses the noun, and not what follows it: "1 row are". In "1 of 1 row are" and "1 output and 1 failure are" it is another's. */
const VERB_OF_MANY =
  /(?<!(?:of|and) \$?\{)\bplural\((?:[^()\n]|\([^()\n]*\))*\)\}? (?:are|were|have|do|need|match|wait|fail)\b/g;

test("no verb of many follows a number that may be one", () => {
  const files = globSync("packages/*/src/**/*.{ts,tsx}", { cwd: root, exclude: ["**/*.test.ts", "**/*.test.tsx"] });
  const found = files.flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(VERB_OF_MANY)].map(([whole]) => `${file}: ${whole}`),
  );
  expect(found).toEqual([]);
});
