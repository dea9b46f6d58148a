/**
 * Checks the direction of imports with dependency-cruiser, and dependency-cruiser itself: a checker that has lost its
 * parser reports no violations in no modules. So every TypeScript file has to be among the modules it saw, every
 * resource has to have its place in the written order, no two files of a package the same name, and planted violations have to be found. Folders that import each other
 * are no matter of single imports: `folder-pairs.ts` finds them in what dependency-cruiser saw.
 */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { resources, tests } from "../../.dependency-cruiser.mjs";
import { checkFolderPairs } from "./folder-pairs.ts";

/** A report is about a kilobyte a module; this is far from any size the project may reach. */
const MAX_REPORT_BYTES = 512 * 1024 * 1024;

const SERVER = "packages/server/src/";
const roots = ["packages", "bench", "examples", "scripts", "tests", "tools"];

interface Report {
  modules: { source: string; dependencies: { resolved: string }[] }[];
  summary: { violations: { rule: { name: string }; from: string; to: string; cycle?: { name: string }[] }[] };
}

const problems = [...unplacedResources(), ...sameNames(), ...undetectedViolations()];
const report = cruise(process.cwd(), roots.filter(existsSync));
problems.push(
  ...violations(report),
  ...unseenFiles(report),
  ...checkFolderPairs(report.modules, SERVER, new RegExp(tests)),
);

for (const problem of problems) console.error(problem);
const imports = report.modules.reduce((sum, module) => sum + module.dependencies.length, 0);
console.log(`the checker saw ${report.modules.length} modules and ${imports} imports, and each planted violation`);
process.exitCode = problems.length > 0 || report.modules.length === 0 ? 1 : 0;

function unplacedResources(): string[] {
  return globSync("packages/server/src/resources/*/")
    .map((folder) => basename(folder))
    .filter((name) => !resources.includes(name))
    .map((name) => `resources/${name} has no place in the order of .dependency-cruiser.mjs`);
}

/** Tabs of an editor show names of files without their folders. */
function sameNames(): string[] {
  return ["server", "cli"].flatMap((name) => {
    const files = globSync(`packages/${name}/src/**/*.ts`);
    const byName = Map.groupBy(files, (path) => basename(path));
    return [...byName.values()]
      .filter((same) => same.length > 1)
      .map((same) => `these files have one name: ${same.join(", ")}`);
  });
}

function unseenFiles(seen: Report): string[] {
  const sources = new Set(seen.modules.map((module) => module.source));
  return globSync(
    roots.map((root) => `${root}/**/*.{ts,tsx}`),
    { exclude: (path) => /(^|[\\/])(node_modules|dist|generated)([\\/]|$)|\.d\.ts$/.test(path) },
  )
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !sources.has(path))
    .map((path) => `the checker did not see ${path}`);
}

/** Runs the rules on a few files that break them, in a folder of their own. */
function undetectedViolations(): string[] {
  const server = "packages/server/src";
  const planted: { rule: string; path: string; content: string }[] = [
    { rule: "no-circular", path: `${server}/a.ts`, content: 'export { b } from "./b.ts";' },
    { rule: "no-circular", path: `${server}/b.ts`, content: 'import { a } from "./a.ts"; export const b = a;' },
    { rule: "unresolvable", path: `${server}/c.ts`, content: 'import "./missing.ts";' },
    {
      rule: "datasets-imports-downward-only",
      path: `${server}/resources/datasets/datasets.ts`,
      content: 'import type { Run } from "../runs/runs.ts"; export type Rows = Run[];',
    },
    {
      rule: "runs-imports-downward-only",
      path: `${server}/resources/runs/runs.ts`,
      content: 'import { toCsv } from "../exports/exports.ts"; export type Run = typeof toCsv;',
    },
    {
      rule: "exports-imports-downward-only",
      path: `${server}/resources/exports/exports.ts`,
      content: 'export { send as toCsv } from "../alert-rules/alert-rules.ts";',
    },
    {
      rule: "platform-imports-no-resource",
      path: `${server}/platform/pool.ts`,
      content: 'import { send } from "../resources/alert-rules/alert-rules.ts"; send();',
    },
    {
      rule: "resources-import-no-room-or-role",
      path: `${server}/resources/alert-rules/alert-rules.ts`,
      content: 'import { start } from "../../worker.ts"; export const send = start;',
    },
    {
      rule: "rooms-import-no-other-room",
      path: `${server}/engine/rows/rows.ts`,
      content: 'export { deliver } from "../../delivery/deliver.ts";',
    },
    {
      rule: "rooms-import-no-role",
      path: `${server}/delivery/deliver.ts`,
      content: 'import { start } from "../worker.ts"; export const deliver = start;',
    },
    {
      rule: "engine-rows-imports-downward-only",
      path: `${server}/engine/rows/row.ts`,
      content: 'export { lane } from "../lanes/lane.ts";',
    },
    {
      rule: "services-know-no-user",
      path: `${server}/services.ts`,
      content: 'export * from "./engine/lanes/lane.ts";',
    },
    { rule: "unresolvable", path: `${server}/engine/lanes/lane.ts`, content: 'export { lane } from "./missing.ts";' },
    {
      rule: "server-uses-no-client",
      path: `${server}/worker.ts`,
      content: 'export * from "../../client/src/index.ts";',
    },
    {
      rule: "not-into-server",
      path: "packages/client/src/index.ts",
      content: 'export const load = () => import("../../server/src/c.ts");',
    },
    {
      rule: "contract-is-leaf",
      path: "packages/contract/src/runs.ts",
      content: 'import type { load } from "../../client/src/index.ts"; export type Load = typeof load;',
    },
  ];
  // Of two folders that import each other, without a circle of files.
  const pair = [
    { path: `${server}/platform/auth/keys.ts`, content: 'export { refuse } from "../http/errors.ts";' },
    { path: `${server}/platform/http/errors.ts`, content: "export const refuse = 1;" },
    { path: `${server}/platform/http/serve.ts`, content: 'export { caller } from "../auth/caller.ts";' },
    { path: `${server}/platform/auth/caller.ts`, content: "export const caller = 1;" },
  ];
  const folder = mkdtempSync(join(tmpdir(), "rowmill-architecture-"));
  try {
    for (const { path, content } of [...planted, ...pair]) {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    const { modules, summary } = cruise(folder, ["packages"]);
    const found = new Set(summary.violations.map(({ rule }) => rule.name));
    const folders = checkFolderPairs(modules, SERVER, new RegExp(tests));
    return [
      ...planted
        .filter(({ rule }) => !found.has(rule))
        .map(({ rule, path }) => `the checker did not find the violation of ${rule} planted in ${path}`),
      ...(folders.some((problem) => problem.startsWith("platform/auth/ and platform/http/ import each other"))
        ? []
        : ["the checker did not find the two planted folders that import each other"]),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function violations(of: Report): string[] {
  return of.summary.violations.map(({ rule, from, to, cycle }) => {
    const path = cycle === undefined ? [to] : cycle.map(({ name }) => name);
    return `${rule.name}: ${[from, ...path].join(" → ")}`;
  });
}

function cruise(folder: string, paths: string[]): Report {
  const config = resolve(".dependency-cruiser.mjs");
  const script = resolve("node_modules/dependency-cruiser/bin/dependency-cruiser.mjs");
  const { stdout, stderr, error } = spawnSync(
    process.execPath,
    [script, "--config", config, "--output-type", "json", ...paths],
    { cwd: folder, encoding: "utf8", maxBuffer: MAX_REPORT_BYTES },
  );
  if (error) throw error;
  // It exits with the number of violations, so whether it worked shows only in what it printed.
  if (!stdout.startsWith("{")) throw new Error(`dependency-cruiser printed no report: ${stderr || stdout}`);
  return JSON.parse(stdout) as Report;
}
