/** Writes `docs/reference/` from the contract and the service; with `--check` it only reports which pages are stale. */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { apiOverviewPage } from "./reference/api-overview.ts";
import { apiResourcePages } from "./reference/api.ts";
import { codePages } from "./reference/codes.ts";
import { dataTypesPage } from "./reference/data-types.ts";
import { eventsPage } from "./reference/events.ts";
import { expressionsPage } from "./reference/expressions.ts";
import { indexPage } from "./reference/index-page.ts";
import { limitsPage } from "./reference/limits.ts";
import { metricsPage } from "./reference/metrics.ts";
import { GENERATED } from "./reference/generated-page.ts";
import { transformPage } from "./reference/transform.ts";
import type { Page } from "./reference/generated-page.ts";

const folder = join(import.meta.dirname, "..", "..", "docs", "reference");
const pages: Page[] = [
  indexPage(),
  apiOverviewPage(),
  ...apiResourcePages(),
  ...codePages(),
  eventsPage(),
  dataTypesPage(),
  expressionsPage(),
  transformPage(),
  limitsPage(),
  metricsPage(),
];

const read = (path: string): string | undefined => {
  try {
    return readFileSync(join(folder, path), "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
};
const stale = pages.filter(({ path, text }) => read(path) !== text).map(({ path }) => path);
/** Pages of resources that are no more; those without the mark are written by hand, or by another generator. */
const left = globSync("**/*.md", { cwd: folder })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => !pages.some((page) => page.path === path) && read(path)?.includes(GENERATED) === true);

if (!process.argv.includes("--check")) {
  for (const { path, text } of pages) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  for (const path of left) rmSync(join(folder, path));
} else if (stale.length + left.length > 0) {
  for (const path of [...stale, ...left])
    process.stderr.write(`docs/reference/${path} is stale: run \`npm run generate\`\n`);
  process.exitCode = 1;
}
process.stdout.write(`${pages.length} pages of the reference\n`);
