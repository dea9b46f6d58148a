/**
 * Builds the console into `dist`, and compresses what is worth it. Without a change since the last build it does nothing: the
 * installation and every start call it. It needs no network. `--force` builds in any case.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { collectForeignModules } from "./foreign-modules.ts";

const here = import.meta.dirname;
const dist = join(here, "dist");
const stamp = join(dist, "inputs.sha256");
/** Whatever changes the result: our own sources, those of the client, and the versions of the packages. */
const inputs = [
  "src",
  "index.html",
  "vite.config.ts",
  "build.ts",
  "foreign-modules.ts",
  "package.json",
  "../client/src",
  "../../package-lock.json",
];
const COMPRESSED = /\.(js|css|svg)$/;

const digest = digestOf(inputs.map((name) => join(here, name)));
const isFresh = existsSync(stamp) && readFileSync(stamp, "utf8") === digest;
if (!isFresh || process.argv.includes("--force")) await build();

async function build(): Promise<void> {
  // A test that builds has another one here, and would get the React of development, which is larger and slower.
  process.env["NODE_ENV"] = "production";
  let vite;
  try {
    vite = await import("vite");
  } catch (error) {
    // An installation without the packages that build: the API does not need the console.
    console.error(
      `The console cannot be built here${existsSync(dist) ? "; the last build is served" : ""}: ${String(error)}`,
    );
    return;
  }
  // Beside the last build, which a service may be reading.
  const next = join(here, `dist.${process.pid}`);
  const foreign = collectForeignModules();
  await vite.build({
    configFile: join(here, "vite.config.ts"),
    logLevel: "warn",
    plugins: [foreign.plugin()],
    worker: { plugins: () => [foreign.plugin()] },
    build: { outDir: next, emptyOutDir: true },
  });
  const assets = join(next, "assets");
  for (const name of readdirSync(assets).filter((name) => COMPRESSED.test(name))) {
    const bytes = readFileSync(join(assets, name));
    const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
    writeFileSync(join(assets, `${name}.br`), brotliCompressSync(bytes, quality));
    writeFileSync(join(assets, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  }
  writeFileSync(join(next, "modules.json"), JSON.stringify(foreign.list()));
  writeFileSync(join(next, "inputs.sha256"), digest);
  putInPlace(next);
  console.log("The console was built.");
}

/** Two starts in one checkout build at once, and each puts its own in place: what the other has put there is complete, too. */
function putInPlace(next: string): void {
  const last = `${next}.last`;
  // A service that starts now finds one of the two whole, but for the moment between two renames.
  moveIfThere(dist, last);
  try {
    renameSync(next, dist);
  } catch (error) {
    if (existsSync(stamp)) return;
    moveIfThere(last, dist);
    throw error;
  } finally {
    for (const folder of [next, last]) rmSync(folder, { recursive: true, force: true });
  }
}

/** The other start may have moved it a moment ago. */
function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
}

function digestOf(paths: string[]): string {
  const hash = createHash("sha256");
  for (const path of paths.flatMap(filesIn).toSorted())
    hash.update(`${relative(here, path)}\0`).update(readFileSync(path));
  return hash.digest("hex");
}

function filesIn(path: string): string[] {
  if (!existsSync(path)) return [];
  try {
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
      .map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOTDIR") return [path];
    throw error;
  }
}
