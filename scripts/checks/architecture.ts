/**
 * Checks the direction of imports with dependency-cruiser, and dependency-cruiser itself: a checker that has lost its
 * parser reports no violations in no modules. So every TypeScript file has to be among the modules it saw, every
 * resource has to have its place in the written order, no two files of a package the same name, and planted violations have to be found.
 * Folders that import each other are no matter of single imports: `folder-pairs.ts` finds them in what dependency-cruiser saw.
 */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { resources, tests } from "../../.dependency-cruiser.mjs";
import { checkFolderPairs } from "./folder-pairs.ts";
import { PAIR, PLANTED } from "./planted-violations.ts";

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

/** Tabs of an editor show names of files without their folders. Two packages may have a file for one noun of the API: `runs.ts`. */
function sameNames(): string[] {
  return [...globSync("packages/*/src"), "bench", "scripts", "tests", "tools"].flatMap((folder) => {
    const files = globSync(`${folder}/**/*.{ts,tsx,mjs}`, { exclude: ["**/{node_modules,dist,generated}/**"] });
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
  const folder = mkdtempSync(join(tmpdir(), "rowmill-architecture-"));
  try {
    for (const { path, content } of [...PLANTED, ...PAIR]) {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    const { modules, summary } = cruise(folder, ["packages"]);
    const found = new Set(summary.violations.map(({ rule }) => rule.name));
    const folders = checkFolderPairs(modules, SERVER, new RegExp(tests));
    return [
      ...PLANTED.filter(({ rule }) => !found.has(rule)).map(
        ({ rule, path }) => `the checker did not find the violation of ${rule} planted in ${path}`,
      ),
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
