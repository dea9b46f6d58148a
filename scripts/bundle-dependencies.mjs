// @ts-check
/**
 * What a built program imports and its manifest does not have under `dependencies` becomes a part of it, below `dist/vendor`: an
 * install then has no declarations, source maps and second builds of it, which were half of its files. The program's own modules stay
 * as `tsc` wrote them, but for the names of what they import. Decision 0026 has the reasons.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { findPackageJSON, isBuiltin } from "node:module";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { rolldown } from "rolldown";
import { referencesOf } from "./module-references.mjs";
import { packageOf, writeNotices } from "./third-party-notices.mjs";

/** How Rollup's plugins mark a module that is no file. */
const ENTRY = "\0entry:";
/** `pg` takes it where a user has installed it, and does without. */
const NOT_NEEDED = ["pg-native"];
/** They are development dependencies as those are that are bundled, and no program of users needs them. */
const ONLY_FOR_TESTS = ["@copilotkit/aimock", "@rowmill/client", "@types/pg", "smtp-server"];
/**
 * Modules that look for packages by names that they compute: those of PostgreSQL's programs, which are installed. In any other module it is
 * an error.
 */
const COMPUTES_NAMES = ["platform/database/embedded/binaries.js"];

/**
 * @param {string} folder of the package, with its `dist`
 * @param {readonly string[]} others paths of modules that the package contains beside `dist`
 */
export async function bundleDependencies(folder, others = []) {
  const dist = join(folder, "dist");
  const isInstalled = installedPackages(folder);
  /** @type {Map<string, Set<string>>} */
  const wanted = new Map();
  for (const path of globSync("**/*.js", { cwd: dist })) {
    const file = join(dist, path);
    const text = readFileSync(file, "utf8");
    const { imports: all, resolved, unknown } = referencesOf(text);
    const [first] = COMPUTES_NAMES.includes(path.replaceAll(sep, "/")) ? [] : unknown;
    if (first !== undefined) throw new Error(`${path} may look for any package: ${first}`);
    const missing = resolved.find((specifier) => !isInstalled(specifier));
    if (missing !== undefined) throw new Error(`${path} looks for ${missing}, which is not installed with the package`);
    const imports = all.filter(({ specifier }) => !isInstalled(specifier));
    for (const { specifier, names } of imports)
      wanted.set(specifier, new Set([...(wanted.get(specifier) ?? []), ...names]));
    if (imports.length > 0) writeFileSync(file, withVendor(text, imports, relative(dirname(path), "vendor")));
  }
  refuseUnlisted(folder, [...wanted.keys()]);
  const modules = await writeBundle(folder, wanted, isInstalled);
  refuseOnlyForTests(modules.map((path) => packageOf(path).name));
  writeNotices(folder, [...modules, ...others]);
}

/**
 * A checkout finds packages of its other parts, too, with whatever versions those need.
 * @param {string} folder @param {readonly string[]} specifiers
 */
function refuseUnlisted(folder, specifiers) {
  refuseOnlyForTests(specifiers);
  const listed = Object.keys(manifestOf(folder).devDependencies ?? {});
  for (const specifier of specifiers)
    if (!listed.some((name) => isWithin(specifier, name)))
      throw new Error(`the program imports ${specifier}, which its manifest does not list`);
}

/** @param {readonly string[]} specifiers */
function refuseOnlyForTests(specifiers) {
  const found = specifiers.find((specifier) => ONLY_FOR_TESTS.some((name) => isWithin(specifier, name)));
  if (found !== undefined) throw new Error(`the program imports ${found}, which is only for tests`);
}

/** @param {string} folder */
const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

/** @param {string} specifier @param {string} name of a package */
const isWithin = (specifier, name) => specifier === name || specifier.startsWith(`${name}/`);

/** @param {string} folder */
function installedPackages(folder) {
  const { dependencies, optionalDependencies } = manifestOf(folder);
  const names = [...Object.keys({ ...dependencies, ...optionalDependencies }), ...NOT_NEEDED];
  /** `string_decoder/` is a package: only the name without the slash is a part of Node. @param {string} specifier */
  return (specifier) => isBuiltin(specifier) || names.some((name) => isWithin(specifier, name));
}

/** @typedef {import("./module-references.mjs").Import} Import */

/** @param {string} text @param {Import[]} imports @param {string} vendor relative to the module */
function withVendor(text, imports, vendor) {
  const folder = vendor.replaceAll(sep, "/");
  let result = text;
  // From the end, so that the places of those before stay right.
  for (const { specifier, start, end } of imports.toSorted((a, b) => b.start - a.start)) {
    const path = `${folder.startsWith(".") ? "" : "./"}${folder}/${fileOf(specifier)}.js`;
    result = result.slice(0, start) + JSON.stringify(path) + result.slice(end);
  }
  return result;
}

/** `ajv-dist-2020` for `ajv/dist/2020.js`. @param {string} specifier */
const fileOf = (specifier) =>
  specifier
    .replace(/\.js$/, "")
    .replaceAll(/[^\w.]+/g, "-")
    .replace(/^-/, "");

/**
 * Returns the files that the bundle is made of.
 * @param {string} folder @param {Map<string, Set<string>>} wanted @param {(specifier: string) => boolean} isInstalled
 */
async function writeBundle(folder, wanted, isInstalled) {
  const build = await rolldown({
    input: Object.fromEntries([...wanted.keys()].map((specifier) => [fileOf(specifier), ENTRY + specifier])),
    platform: "node",
    external: isInstalled,
    plugins: [entries(folder, wanted)],
    onLog: (_level, { code, message }) => {
      // Packages import in a circle, and use `eval` where their users ask for it. Anything else would be missing at run time.
      if (code !== "CIRCULAR_DEPENDENCY" && code !== "EVAL") throw new Error(`${code}: ${message}`);
    },
  });
  const { output } = await build.write({
    dir: join(folder, "dist", "vendor"),
    format: "esm",
    entryFileNames: "[name].js",
    // Stack traces name it: by a package and not by one of its files.
    chunkFileNames: ({ moduleIds }) => `chunks/${packageNameIn(moduleIds.at(-1) ?? "")}-[hash].js`,
  });
  await build.close();
  const ids = output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []));
  const bundler = ids.some((id) => id.startsWith("\0rolldown/"))
    ? findPackageJSON("rolldown", import.meta.url)
    : undefined;
  return [...ids.filter((id) => isAbsolute(id)), ...(bundler === undefined ? [] : [bundler])];
}

/** `fastify` of `…/node_modules/fastify/lib/reply.js`. @param {string} path */
const packageNameIn = (path) =>
  fileOf(/.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(path)?.[1] ?? "shared");

/**
 * A module for each package that re-exports what is wanted of it, found as the program would find it.
 * @param {string} folder @param {Map<string, Set<string>>} wanted
 * @returns {import("rolldown").Plugin}
 */
const entries = (folder, wanted) => ({
  name: "entries",
  resolveId(source, importer) {
    if (source.startsWith(ENTRY)) return source;
    return importer?.startsWith(ENTRY) ? this.resolve(source, join(folder, "package.json")) : null;
  },
  load(id) {
    if (!id.startsWith(ENTRY)) return null;
    const specifier = id.slice(ENTRY.length);
    const names = [...(wanted.get(specifier) ?? [])];
    const from = `from ${JSON.stringify(specifier)};`;
    if (!names.includes("*")) return `export { ${names.join(", ")} } ${from}`;
    return `export * ${from}${names.includes("default") ? ` export { default } ${from}` : ""}`;
  },
});
