// @ts-check
/**
 * What a built program imports and its manifest does not have under `dependencies` becomes a part of it, below `dist/vendor`: an
 * install then has no declarations, source maps and second builds of it, which were half of its files. The program's own modules stay
 * as `tsc` wrote them, but for the names of what they import. Decision 0026 has the reasons.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { rolldown } from "rolldown";
import { parseAst } from "rolldown/parseAst";
import { writeNotices } from "./third-party-notices.mjs";

/** How Rollup's plugins mark a module that is no file. */
const ENTRY = "\0entry:";
/** `pg` takes it where a user has installed it, and does without. */
const NOT_NEEDED = ["pg-native"];

/** @typedef {{ specifier: string, start: number, end: number, names: string[] }} Import */

/** @param {string} folder of the package, with its `dist` */
export async function bundleDependencies(folder) {
  const dist = join(folder, "dist");
  const isInstalled = installedPackages(folder);
  /** @type {Map<string, Set<string>>} */
  const wanted = new Map();
  for (const path of globSync("**/*.js", { cwd: dist })) {
    const file = join(dist, path);
    const text = readFileSync(file, "utf8");
    const imports = importsOf(text).filter(({ specifier }) => !isInstalled(specifier));
    for (const { specifier, names } of imports)
      wanted.set(specifier, new Set([...(wanted.get(specifier) ?? []), ...names]));
    if (imports.length > 0) writeFileSync(file, withVendor(text, imports, relative(dirname(path), "vendor")));
  }
  const modules = await writeBundle(folder, wanted, isInstalled);
  writeNotices(folder, modules);
}

/** @param {string} folder */
function installedPackages(folder) {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const names = [...Object.keys({ ...dependencies, ...optionalDependencies }), ...NOT_NEEDED, ...builtinModules];
  /** @param {string} specifier */
  return (specifier) =>
    specifier.startsWith("node:") || names.some((name) => specifier === name || specifier.startsWith(`${name}/`));
}

/**
 * Imports of other packages.
 * @param {string} text
 */
function importsOf(text) {
  /** @type {Import[]} */
  const found = [];
  /** @param {any} node */
  const visit = (node) => {
    if (node === null || typeof node !== "object") return;
    const { source } = node;
    if (typeof source?.value === "string" && !/^[./#]/.test(source.value))
      found.push({ specifier: source.value, start: source.start, end: source.end, names: namesOf(node) });
    for (const value of Object.values(node)) visit(value);
  };
  visit(parseAst(text));
  return found;
}

/**
 * Of `import()`, of `* as` and of `export *` everything is wanted.
 * @param {any} node
 * @returns {string[]}
 */
function namesOf({ type, specifiers = [] }) {
  if (type !== "ImportDeclaration" && type !== "ExportNamedDeclaration") return ["*"];
  return specifiers.map((/** @type {any} */ { type, imported, local }) => {
    if (type === "ImportNamespaceSpecifier") return "*";
    return type === "ImportDefaultSpecifier" ? "default" : (imported ?? local).name;
  });
}

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
  return output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : [])).filter((id) => isAbsolute(id));
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
