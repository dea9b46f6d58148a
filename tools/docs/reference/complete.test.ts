/**
 * Nothing of the contract and of the code is missing in the reference, and the reference has nothing else. Read from the pages as they
 * stand.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { operationIds, operations } from "@rowmill/contract";
import { errorCodeNames } from "@rowmill/contract/errors";
import { eventTypeNames } from "@rowmill/contract/events";
import { failureCodeNames } from "@rowmill/contract/failures";
import { intakeErrorCodes } from "@rowmill/contract/intake-errors";
import type { Operation } from "@rowmill/contract/operation";
import { runErrors, stateReasonNames } from "@rowmill/contract/run-reasons";
import { scopes } from "@rowmill/contract/scopes";
import { settings } from "@rowmill/server/config";
import { metricNames } from "@rowmill/server/metric-definitions";
import { expect, test } from "vitest";
import { commands } from "../../../packages/cli/src/commands.ts";
import type { Cli } from "../../../packages/cli/src/frame/command.ts";
import { ROOT } from "../pages.ts";

const read = (page: string): string => readFileSync(join(ROOT, "docs/reference", page), "utf8");
/** What stands behind a mark at the beginning of a line. */
const after = (page: string, mark: RegExp): string[] => Array.from(read(page).matchAll(mark), ([, name = ""]) => name);
const sorted = (names: readonly string[]): string[] => [...names].toSorted();

/** The text of each operation, by `METHOD /path`. */
const sections = new Map<string, string>();
for (const page of globSync("api/*.md", { cwd: join(ROOT, "docs/reference") }))
  for (const section of read(page).split("\n## ")) {
    const [, line] = /^[^\n]+\n\n`([A-Z]+ \/[^`]*)`\n/.exec(section) ?? [];
    if (line !== undefined) sections.set(line, section);
  }
const byLine = new Map(operationIds.map((id) => [`${operations[id].method} ${operations[id].path}`, operations[id]]));

test("each operation has a section, and each section is an operation", () => {
  expect(sorted([...sections.keys()])).toEqual(sorted([...byLine.keys()]));
});

test.each([...byLine])("%s: scopes, idempotency, filters, paging, an example, errors", (line, operation: Operation) => {
  const section = sections.get(line) ?? "";
  const [described = "", example = ""] = section.split("**Example**");
  const [access = ""] = /\*\*Access\*\*:.*/.exec(described) ?? [];
  const needed = "scopes" in operation.access ? operation.access.scopes : [];
  expect(Array.from(access.matchAll(/`([a-z_]+:[a-z]+)`/g), ([, scope]) => scope)).toEqual(needed);
  for (const scope of (operation.bodyScopes ?? []).flatMap((more) => more.scopes))
    expect(described).toContain(`**Also needs** \`${scope}\``);
  expect(described.includes("**Idempotency-Key**: required")).toBe(operation.idempotency === "required");
  const parameters = Array.from(described.matchAll(/^\| `([\w[\]]+)` \| (?:path|query) \|/gm), ([, name = ""]) => name);
  const filters = Object.entries(operation.filters ?? {}).map(([name, { kind }]) =>
    kind === "metadata" ? `${name}[key]` : name,
  );
  expect(sorted(parameters)).toEqual(
    sorted([
      ...Object.keys(operation.params ?? {}),
      ...Object.keys(operation.query?.properties ?? {}),
      ...filters,
      ...(operation.filters === undefined ? [] : ["limit", "cursor"]),
    ]),
  );
  expect(described.includes("**Paging**")).toBe(operation.filters !== undefined);
  expect(example).toMatch(/```sh\ncurl /);
  const errors = Array.from(example.matchAll(/^\| \[`(\w+)`\]\(\.\.\/errors\.md#/gm), ([, code]) => code);
  expect(errors).toEqual([...operation.errors]);
});

test.each([
  ["errors.md", /^## (\w+)$/gm, errorCodeNames],
  ["failures.md", /^## (\w+)$/gm, failureCodeNames],
  ["upload-errors.md", /^## (\w+)$/gm, intakeErrorCodes],
  ["run-reasons.md", /^## (\w+)$/gm, [...new Set([...stateReasonNames, ...Object.keys(runErrors)])]],
  ["settings.md", /^\| `((?:ROWMILL|OTEL)_\w+)`/gm, Object.keys(settings)],
  ["metrics.md", /^\| `(rowmill_\w+)`/gm, metricNames],
  ["cli.md", /^### rowmill (\S+)$/gm, commands.map(({ name }) => name)],
] as const)("%s has everything, and nothing else", (page, mark, names) => {
  expect(sorted(after(page, mark))).toEqual(sorted(names));
});

test("each event has a section with its payload", () => {
  const parts = read("events.md")
    .split(/^## (?=\w+\.\w+$)/m)
    .slice(1);
  const types = parts.map((part) => part.split("\n")[0] ?? "");
  expect(sorted(types)).toEqual(sorted([...eventTypeNames, "alert.triggered"]));
  for (const part of parts) expect(part).toMatch(/^\| `(?:object|\w+)` \| .*$/m);
});

test("where a table leaves out the values of a member, they are below it", () => {
  for (const page of ["events.md", ...globSync("api/*.md", { cwd: join(ROOT, "docs/reference") })])
    for (const section of read(page).split("\n## "))
      for (const [, member = ""] of section.matchAll(/^\| `([^`]+)`[^|]* \| [^|]*words, see below/gm))
        expect(section).toContain(`\nValues of \`${member.replaceAll("[]", "")}\`: `);
});

interface MadeCommand {
  options: { flags: string; argChoices?: string[] }[];
  commands: MadeCommand[];
}

test("each command has its options with what may be chosen, and what holds without them", async () => {
  for (const entry of commands) {
    const [, section = ""] =
      new RegExp(`^### rowmill ${entry.name}\n([^]*?)(?=\n##|$(?![^]))`, "m").exec(read("cli.md")) ?? [];
    const file = await entry.load();
    const made = file.create({} as Cli) as unknown as MadeCommand; // only names and texts are read
    for (const command of [made, ...made.commands])
      for (const option of command.options) {
        const line = section
          .split("\n")
          .find((each) => each.startsWith(`| \`${option.flags.replaceAll("|", "\\|")}\``));
        for (const choice of option.argChoices ?? []) expect(line).toContain(choice);
      }
  }
});

test("the index of decisions has the title and the status of each", () => {
  const folder = join(ROOT, "docs/decisions");
  const index = readFileSync(join(folder, "README.md"), "utf8");
  const lines = globSync("0*.md", { cwd: folder }).map((file) => {
    const text = readFileSync(join(folder, file), "utf8");
    const [, number = "", title = ""] = /^# (\d{4})\. (.+)$/m.exec(text) ?? [];
    const [, status = ""] = /^Status: (accepted|replaced by \[\d{4}\])/m.exec(text) ?? [];
    return `| [${number}](${file}) | ${title} | ${status.replaceAll(/[[\]]/g, "")} |`;
  });
  expect(index.split("\n").filter((line) => /^\| \[\d/.test(line))).toEqual(sorted(lines));
});

test("each scope is explained once", () => {
  const [, table = ""] = /## Scopes\n([^#]*)/.exec(read("api.md")) ?? [];
  for (const scope of scopes) expect(table).toContain(`\`${scope}\``);
});
