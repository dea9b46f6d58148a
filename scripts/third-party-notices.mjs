// @ts-check
/**
 * What must go with code of others that a package contains: their licenses and notices for people, and a list of names and versions
 * in the form of CycloneDX for programs that look for known vulnerabilities. `npm audit` does not see what is bundled.
 */
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export const NOTICE_FILES = ["THIRD-PARTY-LICENSES.txt", "bom.cdx.json"];
/** They allow what we do when their text is passed on. Somebody must read any other one first. */
const KNOWN_LICENSES = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BlueOak-1.0.0", "ISC", "MIT", "MIT-0"];
const RULE = `\n${"-".repeat(80)}\n\n`;

/** @typedef {{ folder: string, name: string, version: string, license: string, author: string }} Part */

/** @param {string} folder of the package @param {readonly string[]} modules paths of the files that it contains */
export function writeNotices(folder, modules) {
  const parts = new Map(modules.map((path) => packageOf(path)).map((part) => [`${part.name}@${part.version}`, part]));
  const sorted = [...parts.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, part]) => part);
  for (const { name, license } of sorted)
    for (const id of license.split(/[() ]+|AND/))
      if (id !== "" && !KNOWN_LICENSES.includes(id))
        throw new Error(`${name} has the license ${id}, which nobody has read`);
  const { name } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  writeFileSync(join(folder, "THIRD-PARTY-LICENSES.txt"), licenseTexts(name, sorted));
  writeFileSync(join(folder, "bom.cdx.json"), `${JSON.stringify(billOfMaterials(sorted), null, 1)}\n`);
}

/**
 * Folders within a package have manifests without a name, which say of what form its modules are.
 * @param {string} path
 * @returns {Part}
 */
function packageOf(path) {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, "package.json");
    if (!existsSync(manifest)) continue;
    const { name, version, license, author } = JSON.parse(readFileSync(manifest, "utf8"));
    if (name !== undefined && version !== undefined)
      return { folder, name, version, license, author: author?.name ?? author ?? `the authors of ${name}` };
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

/** @param {Part} part */
function noticesOf({ folder, license, author }) {
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  const texts = files
    .toSorted()
    .map((file) => readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n").trim());
  const withoutFile = `Copyright (c) ${author}\nThe package has no file with its license, which is ${license}: its text stands with others here.`;
  return `${texts.join("\n\n") || withoutFile}\n`;
}

/** @param {readonly Part[]} parts */
const billOfMaterials = (parts) => ({
  bomFormat: "CycloneDX",
  specVersion: "1.5",
  version: 1,
  components: parts.map(({ name, version, license }) => ({
    type: "library",
    name,
    version,
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    licenses: [license.includes(" ") ? { expression: license } : { license: { id: license } }],
  })),
});
