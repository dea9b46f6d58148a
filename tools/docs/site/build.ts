/**
 * Builds the guide that the service serves at `/guide` from the Markdown of this repository into `packages/server/guide`: pages, their
 * Markdown, an index for the search, texts for language models. Without a change since the last build it does nothing: the installation,
 * every start and the packing of the server call it. It needs no network. `--force` builds in any case.
 *
 * Files lie there under the digest of their content; `manifest.json` says what is served where.
 */
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../pages.ts";
import { listSitePages } from "./site-pages.ts";

const FOLDER = join(ROOT, "packages", "server", "guide");
const STAMP = join(FOLDER, "inputs.sha256");

const digest = digestOfInputs();
const isFresh = existsSync(STAMP) && readFileSync(STAMP, "utf8") === digest;
if (!isFresh || process.argv.includes("--force")) await build();

async function build(): Promise<void> {
  let site;
  try {
    site = await import("./write-site.ts");
  } catch (error) {
    // An installation without the packages that build: the API does not need the guide.
    console.error(
      `The guide cannot be built here${existsSync(FOLDER) ? "; the last build is served" : ""}: ${String(error)}`,
    );
    return;
  }
  // Beside the last build, which a service may be reading.
  const next = `${FOLDER}.${process.pid}`;
  rmSync(next, { recursive: true, force: true });
  mkdirSync(next, { recursive: true });
  try {
    const count = await site.writeSite(next);
    writeFileSync(join(next, "inputs.sha256"), digest);
    rmSync(FOLDER, { recursive: true, force: true });
    renameSync(next, FOLDER);
    console.log(`The guide was built: ${count} pages.`);
  } finally {
    rmSync(next, { recursive: true, force: true });
  }
}

/** Whatever changes the result. By content, also of the files that pages lead to: the times of a copy differ. */
function digestOfInputs(): string {
  const hash = createHash("sha256");
  const read = [
    ...listSitePages(ROOT).map(({ source }) => source),
    ...globSync(["tools/docs/**/*.ts", "tools/docs/**/*.css"], { cwd: ROOT }),
    ...globSync(["docs/images/*", "examples/**/*.*", "deploy/*"], { cwd: ROOT }).filter(isFile),
    "package-lock.json",
  ];
  for (const path of read.toSorted()) hash.update(`${path}\0`).update(readFileSync(join(ROOT, path)));
  return hash.digest("hex");
}

function isFile(path: string): boolean {
  return statSync(join(ROOT, path)).isFile();
}
