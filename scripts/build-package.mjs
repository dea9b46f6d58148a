// @ts-check
/**
 * `prepack` and, with `--clean`, `postpack`: builds the package in whose directory it runs. `tsc` removes the types; `npm run check`
 * validates them. This script does the rest: `.ts` in the URLs of threads and child processes, files that are not code, and the
 * dependencies of the server.
 */
import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { bundleDependencies } from "./bundle-dependencies.mjs";
import { NOTICE_FILES } from "./third-party-notices.mjs";

const root = resolve(import.meta.dirname, "..");
const PICTURES = join("docs", "images");
const packages = ["contract", "client", "server", "cli"];
const name = relative(join(root, "packages"), process.cwd());
if (!packages.includes(name)) throw new Error(`there is no package ${name} to build`);

// In the checkout everything reads sources: a build that stays would only grow old.
if (process.argv.includes("--clean")) {
  rmSync(distOf(name), { recursive: true, force: true });
  if (name === "server")
    for (const path of [packedConsole(), ...NOTICE_FILES]) rmSync(path, { recursive: true, force: true });
} else await build(name);

/** @param {string} name */
function distOf(name) {
  return join(root, "packages", name, "dist");
}

/** In the package the console lies beside `dist`; a checkout serves it from the folder that builds it. */
function packedConsole() {
  return join(root, "packages", "server", "console");
}

/** @param {string} name */
async function build(name) {
  const folder = join(root, "packages", name);
  const dist = distOf(name);
  rmSync(dist, { recursive: true, force: true });
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const config = join(root, "scripts", "build-configs", `${name}.json`);
  run(tsc, "-p", config);
  copyAssets(join(folder, "src"), dist);
  // `rowmill docs` searches them without a network. It shows no pictures.
  if (name === "cli")
    cpSync(join(root, "docs"), join(dist, "pages"), { recursive: true, filter: (path) => !path.includes(PICTURES) });
  // It is served from beside `dist`, and stays: a checkout serves the same.
  if (name === "server") run(join(root, "tools", "docs", "site", "build.ts"));
  if (name === "server") packConsole();
  for (const file of globSync(`${dist}/**/*.js`)) rewriteUrls(file);
  // The others have few dependencies, and small ones.
  if (name === "server") await bundleDependencies(folder, modulesOfPages());
}

/** What the console and the guide contain of other packages, as their builds list it. */
function modulesOfPages() {
  const pages = join(root, "packages", "console");
  return [
    ...readPaths(join(pages, "dist", "modules.json"), pages),
    ...readPaths(join(root, "packages", "server", "guide", "modules.json"), root),
  ];
}

/**
 * @param {string} list @param {string} base of its paths
 * @returns {string[]}
 */
function readPaths(list, base) {
  return JSON.parse(readFileSync(list, "utf8")).map((/** @type {string} */ path) => join(base, path));
}

function packConsole() {
  const folder = join(root, "packages", "console");
  run(join(folder, "build.ts"));
  rmSync(packedConsole(), { recursive: true, force: true });
  // Throws where there is none: a package without it would be incomplete.
  cpSync(join(folder, "dist"), packedConsole(), {
    recursive: true,
    filter: (path) => basename(path) !== "modules.json",
  });
}

/** @param {...string} args */
function run(...args) {
  const { status } = spawnSync(process.execPath, args, { stdio: ["ignore", process.stderr, "inherit"] });
  if (status !== 0) process.exit(status ?? 1);
}

/** @param {string} from @param {string} to */
function copyAssets(from, to) {
  for (const path of globSync("**/*.*", { cwd: from })) {
    if (path.endsWith(".ts") || path.split(sep).includes("testing")) continue;
    mkdirSync(dirname(join(to, path)), { recursive: true });
    cpSync(join(from, path), join(to, path));
  }
}

/** @param {string} file */
function rewriteUrls(file) {
  const text = readFileSync(file, "utf8");
  const rewritten = text.replaceAll(
    /new URL\("(\.[^"]*)\.ts", import\.meta\.url\)/g,
    'new URL("$1.js", import.meta.url)',
  );
  if (rewritten !== text) writeFileSync(file, rewritten);
  const left = /import\.meta\.url\)|import\(/.test(rewritten) && /["'`]\.[^"'`\n]*\.ts["'`]/.exec(rewritten);
  if (left) throw new Error(`${relative(root, file)} still names ${left[0]}, which the package does not contain`);
}
