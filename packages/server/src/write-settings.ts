/** Writes the table of settings into `docs/operations.md`; with `--check` it only says whether it is current. */
import { readFileSync, writeFileSync } from "node:fs";
import { settings } from "./config.ts";

const file = new URL("../../../docs/operations.md", import.meta.url);
const BEGIN = "<!-- settings: written by `npm run generate` -->";
const END = "<!-- end of settings -->";

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "&lt;");
const rows = Object.entries(settings).map(
  ([name, setting]) => `| \`${name}\` | ${cell(setting.defaultText)} | ${cell(setting.meaning)} |`,
);
const table = [BEGIN, "", "| setting | default | meaning |", "|---|---|---|", ...rows, "", END].join("\n");

const before = readFileSync(file, "utf8");
const begin = before.indexOf(BEGIN);
const end = before.indexOf(END);
if (begin === -1 || end === -1) throw new Error("docs/operations.md has lost the marks around its table of settings");
const after = before.slice(0, begin) + table + before.slice(end + END.length);

if (!process.argv.includes("--check")) writeFileSync(file, after);
else if (after !== before) {
  process.stderr.write("docs/operations.md is stale: run `npm run generate`\n");
  process.exit(1);
}
