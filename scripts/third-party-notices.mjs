// @ts-check
/**
 * What must go with code of others that a package contains: their licenses and notices for people, and a list of names and versions
 * in the form of CycloneDX for programs that look for known vulnerabilities. `npm audit` does not see what is bundled.
 */
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export const NOTICE_FILES = ["THIRD-PARTY-LICENSES.txt", "bom.cdx.json"];
/** They allow what we do when their text is passed on. Somebody must read any other one first. */
const KNOWN_LICENSES = [
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "ISC",
  "MIT",
  "MIT-0",
  "OFL-1.1",
];
/** Of them only some lines that hold modules together are contained: what is found in the rest of them concerns nobody. */
const BUNDLERS = ["rolldown", "vite"];
/** A bundler's file goes on with what the bundler itself contains. */
const OF_BUNDLERS = /^# Licenses of bundled dependencies$[\s\S]*/m;
const RULE = `\n${"-".repeat(80)}\n\n`;

/** Files of texts by their names, or in a folder of licenses, in any folder of a package. */
const NOTICES = /(^|[\\/])((un)?licen[cs]e|notice|copying|third.?party)[^\\/]*$|(^|[\\/])licen[cs]es[\\/]/i;
const CODE = /\.([cm]?[jt]sx?|json|map|css|wasm|node)$/i;
/** Comments on lines of their own: blocks, and lines that follow each other. */
const COMMENTS = /^[ \t]*\/\*[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n?)+/gm;

/** @typedef {{ folder: string, name: string, version: string, license: string, author: string | undefined }} Package */
/** @typedef {Package & { modules: string[] }} Part */

/** @param {string} folder of the package @param {readonly string[]} modules paths of the files that it contains */
export function writeNotices(folder, modules) {
  const parts = partsOf(modules);
  for (const { name, license } of parts)
    for (const id of license.split(/[() ]+|AND/))
      if (id !== "" && !KNOWN_LICENSES.includes(id))
        throw new Error(`${name} has the license ${id}, which nobody has read`);
  const own = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const listed = parts.filter(({ name }) => !BUNDLERS.includes(name));
  writeFileSync(join(folder, "THIRD-PARTY-LICENSES.txt"), licenseTexts(own.name, parts));
  writeFileSync(join(folder, "bom.cdx.json"), `${JSON.stringify(billOfMaterials(own, listed), null, 1)}\n`);
}

/** In the order of their names. @param {readonly string[]} modules */
function partsOf(modules) {
  /** @type {Map<string, Part>} */
  const parts = new Map();
  for (const path of new Set(modules)) {
    const found = packageOf(path);
    const key = `${found.name}@${found.version}`;
    const part = parts.get(key) ?? { ...found, modules: [] };
    part.modules.push(path);
    parts.set(key, part);
  }
  return [...parts.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, part]) => part);
}

/**
 * Folders within a package have manifests without a name, which say of what form its modules are.
 * @param {string} path
 * @returns {Package}
 */
export function packageOf(path) {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, "package.json");
    if (!existsSync(manifest)) continue;
    const { name, version, license, author } = JSON.parse(readFileSync(manifest, "utf8"));
    if (name !== undefined && version !== undefined)
      return { folder, name, version, license: license ?? "unknown", author: author?.name ?? author };
  }
  throw new Error(`${path} belongs to no package`);
}

/** Each text once, below the packages that have it. @param {string} name @param {readonly Part[]} parts */
function licenseTexts(name, parts) {
  const owners = Map.groupBy(parts, noticesOf);
  const texts = [...owners].map(([text, parts]) => {
    const titles = parts.map(
      ({ name, version, license }) => `${name} ${version} (${license.replaceAll(/[()]/g, "")})\n`,
    );
    return `${titles.join("")}\n${text}`;
  });
  return [`${name} contains code of these packages, under their licenses.\n`, ...texts].join(RULE);
}

/** The texts of a package's files, and what single modules say of other authors in their comments. @param {Part} part */
function noticesOf(part) {
  const files = noticeFilesOf(part.folder);
  const rest = BUNDLERS.includes(part.name) ? OF_BUNDLERS : "";
  const texts = files.map((file) => textOf(join(part.folder, file)).replace(rest, "").trim());
  // Those in folders below are of code that the package itself has of others.
  if (!files.some((file) => dirname(file) === ".")) texts.unshift(statementOf(part));
  for (const comment of part.modules.flatMap(commentsOfAuthors))
    if (!texts.some((text) => withoutSpaces(text).includes(withoutSpaces(comment)))) texts.push(comment);
  return `${texts.join("\n\n")}\n`;
}

/** @param {string} folder of a package */
function noticeFilesOf(folder) {
  const found = globSync("**", { cwd: folder, withFileTypes: true, exclude: ({ name }) => name === "node_modules" });
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((path) => NOTICES.test(path) && !CODE.test(path))
    .toSorted((a, b) => a.split(/[\\/]/).length - b.split(/[\\/]/).length || (a < b ? -1 : 1));
}

/** @param {string} path */
const textOf = (path) => readFileSync(path, "utf8").replaceAll("\r\n", "\n").trim();

/** @param {string} text */
const withoutSpaces = (text) => text.replaceAll(/\s+/g, "");

/** What the README says, or the manifest. @param {Package} part */
function statementOf({ folder, license, author }) {
  const [readme] = globSync("{README,Readme,readme}*", { cwd: folder });
  const text = readme === undefined ? "" : textOf(join(folder, readme));
  const [, section] = /^(?:#+ *)?licen[cs]e *\n([\s\S]*?)(?=^#|(?![\s\S]))/im.exec(text) ?? [];
  if (section !== undefined && /copyright/i.test(section)) return section.trim();
  const by = author === undefined ? "" : `Author: ${author}\n`;
  return `${by}The package has no file with its license, which is ${license}: its text stands with others here.`;
}

/** @param {string} path of a module */
function commentsOfAuthors(path) {
  if (!/\.([cm]?[jt]sx?|css)$/.test(path)) return [];
  const comments = readFileSync(path, "utf8").replaceAll("\r\n", "\n").match(COMMENTS) ?? [];
  return comments
    .filter((comment) => /copyright|@licen[cs]e|\(c\) *\d{4}/i.test(comment))
    .map((comment) =>
      comment
        .replaceAll(/^[ \t]*(\/\/+|\/\*+!?|\*+\/|\*)?|\*+\/$/gm, "")
        .replaceAll(/^ /gm, "")
        .trim(),
    );
}

/** @param {{ name: string, version: string, license: string }} own @param {readonly Part[]} parts */
const billOfMaterials = (own, parts) => ({
  bomFormat: "CycloneDX",
  specVersion: "1.5",
  version: 1,
  metadata: { component: componentOf("application", own) },
  components: parts.map((part) => componentOf("library", part)),
});

/** @param {string} type @param {{ name: string, version: string, license: string }} part */
function componentOf(type, { name, version, license }) {
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  return {
    type,
    "bom-ref": purl,
    name,
    version,
    purl,
    licenses: [license.includes(" ") ? { expression: license } : { license: { id: license } }],
  };
}
