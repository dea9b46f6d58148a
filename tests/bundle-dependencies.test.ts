/** How a package takes in what it imports, with packages made up for each case: what a build refuses, and whose licenses it passes on. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { bundleDependencies } from "../scripts/bundle-dependencies.mjs";

const MIT = { "package.json": JSON.stringify({ name: "left", version: "1.2.3", license: "MIT", author: "Ada L." }) };
const left = { "index.js": "export const left = 1;", LICENSE: "Copyright (c) Ada L.", ...MIT };

/** A package whose program is `code`, with the packages that are installed for it. */
function makePackage(code: string, installed: Record<string, Record<string, string>>, listed = Object.keys(installed)) {
  const folder = mkdtempSync(join(tmpdir(), "rowmill-bundle-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const devDependencies = Object.fromEntries(listed.map((name) => [name, "*"]));
  const manifest = { name: "own", version: "0.1.0", license: "Apache-2.0", type: "module", devDependencies };
  write("package.json", JSON.stringify(manifest));
  write("dist/main.js", code);
  for (const [name, files] of Object.entries(installed))
    for (const [path, text] of Object.entries(files)) write(`node_modules/${name}/${path}`, text);
  return { folder, read: (path: string) => readFileSync(join(folder, path), "utf8") };
}

const packageNamed = (name: string, code: string): Record<string, string> => ({
  "package.json": JSON.stringify({ name, version: "1.0.0", license: "MIT", main: "index.js" }),
  "index.js": code,
  LICENSE: `Copyright (c) the people of ${name}`,
});

test.each([
  ["a package that is not there", 'import "missing";', {}, ["missing"], /missing/],
  ["a package of which a package lacks another", 'import "a";', { a: 'require("missing");' }, ["a"], /missing/],
  ["a name that a package does not have", 'import { b } from "a";', { a: "export const a = 1;" }, ["a"], /"b"/],
  ["a package that the manifest does not list", 'import "a";', { a: "" }, [], /imports a, which its manifest/],
  ["what is only for tests", 'import "smtp-server";', { "smtp-server": "" }, ["smtp-server"], /only for tests/],
  [
    "a package that needs what is only for tests",
    'export { default } from "a";',
    { a: 'module.exports = require("smtp-server").a;', "smtp-server": "exports.a = 1;" },
    ["a"],
    /only for tests/,
  ],
  ["a lookup of what is bundled", 'require.resolve("a/b.js");', { a: "" }, ["a"], /main\.js looks for a\/b\.js/],
  ["a lookup by a function made for it", 'createRequire("/")("a");', { a: "" }, ["a"], /main\.js looks for a/],
  ["another lookup of it", 'import.meta.resolve("a");', { a: "" }, ["a"], /main\.js looks for a/],
])("a build refuses %s", async (_name, code, installed, listed, message) => {
  const packages = Object.fromEntries(
    Object.entries(installed).map(([name, text]: [string, string]) => [name, packageNamed(name, text)]),
  );
  await expect(bundleDependencies(makePackage(code, packages, listed).folder)).rejects.toThrow(message);
});

test.each([
  "require(name);",
  "import.meta.resolve(`${name}/b.js`);",
  "await import(name);",
  'const load = createRequire("/");',
  'const { resolve } = createRequire("/").resolve;',
  "const { resolve } = import.meta;",
  'import.meta["resolve"]("a");',
  "const find = import.meta.resolve;",
  "const find = require.resolve;",
  "call(require);",
  "call(createRequire);",
  'import { createRequire as make } from "node:module";',
  'import { findPackageJSON } from "node:module";',
  'import * as modules from "module";',
  'export { createRequire } from "node:module";',
  'require("node:module").createRequire("/");',
  'process.getBuiltinModule("module");',
  "const { getBuiltinModule: find } = process;",
  'const { "getBuiltinModule": find } = process;',
  "const { ...all } = process;",
  "const { [name]: find } = process;",
  'process["getBuiltinModule"]("module");',
  "process[`getBuiltinModule`];",
  "process[name];",
  "const it = process;",
  "find(process);",
  'import { getBuiltinModule as find } from "node:process";',
  'import { "getBuiltinModule" as find } from "process";',
  'import { default as it } from "node:process";',
  'import it from "process";',
  'import process from "node:process"; process[name];',
  'import * as it from "node:process";',
  'export { getBuiltinModule as find } from "node:process";',
  'export * from "node:process";',
  'const it = await import("node:process");',
  'require("process")[name];',
  "globalThis.process[name];",
  'globalThis["process"][name];',
  "const it = globalThis.process;",
  "const { process: it } = globalThis;",
  "globalThis[name];",
  "const all = globalThis;",
])("a build refuses `%s`: what is looked for there is not known", async (code) => {
  await expect(bundleDependencies(makePackage(code, {}).folder)).rejects.toThrow(/main\.js may look for any package: /);
});

test("a build takes lookups of what is installed, and of files by their paths", async () => {
  const { folder } = makePackage(
    `import { createRequire, isBuiltin } from "node:module";
    export { left } from "left";
    const require = createRequire(import.meta.url);
    export const found = () => [require("./x.json"), require.resolve("node:fs"), import.meta.resolve("fs"), isBuiltin("fs")];
    export const { version } = createRequire(import.meta.url)("../package.json");`,
    { left },
  );
  await expect(bundleDependencies(folder)).resolves.toBeUndefined();
});

test("a build takes what uses the process by the names of its members", async () => {
  const { folder } = makePackage(
    `import process, { env } from "node:process";
    export { left } from "left";
    const { argv, pid: own } = process;
    class Chunk { process(rows) { return this.process(rows.process); } }
    Object.defineProperty(globalThis, "x", { value: [typeof process, "process" in globalThis, globalThis.process.env] });
    export const found = [env.HOME, process.env[argv[0]], process?.stdout.isTTY, process["exit"], globalThis.fetch, own, Chunk];`,
    { left },
  );
  await expect(bundleDependencies(folder)).resolves.toBeUndefined();
});

test.each([
  "export const end = (process, name) => call(process[name]);",
  "export const end = ({ process }) => call(process);",
  "async function process() {} export const parts = { process };",
])("a build takes `%s`, which calls something else `process`", async (code) => {
  const { folder } = makePackage(`export { left } from "left"; ${code}`, { left });
  await expect(bundleDependencies(folder)).resolves.toBeUndefined();
});

test("a package that is named as a part of Node, with a slash behind it, is bundled", async () => {
  const code =
    'import { Any } from "a"; import { join } from "node:path"; import fs from "fs/promises"; export { Any, join, fs };';
  const a = packageNamed("a", 'exports.Any = require("string_decoder/").Any;');
  const decoder = packageNamed("string_decoder", "exports.Any = 'the package';");
  const { folder, read } = makePackage(code, { a, string_decoder: decoder });
  await bundleDependencies(folder);
  expect(((await import(join(folder, "dist/main.js"))) as { Any: string }).Any).toBe("the package");
  expect(read("bom.cdx.json")).toContain('"pkg:npm/string_decoder@1.0.0"');
});

test("licenses are found in each folder of a package, in comments and in a README", async () => {
  const { folder, read } = makePackage('import { left } from "left"; import b from "b"; export { left, b };', {
    left: {
      ...left,
      "lib/foreign/LICENSE.md": "Copyright Grace",
      "licenses/other.txt": "Copyright Katherine",
      "lib/license.js": "no text",
      "node_modules/unused/LICENSE": "not contained",
    },
    b: {
      "package.json": JSON.stringify({ name: "b", version: "1.0.0", license: "ISC", author: "Edsger" }),
      "index.js": "/*!\n * Copyright (c) 1999 Barbara\n */\nmodule.exports = 1; // Copyright of nobody",
      "README.md": "# b\n\n## License\n\nCopyright (c) Frances\n\n## More\n\nnot this",
    },
  });
  await bundleDependencies(folder);
  const licenses = read("THIRD-PARTY-LICENSES.txt");
  expect(licenses).toContain("left 1.2.3 (MIT)\n\nCopyright (c) Ada L.\n\nCopyright Katherine\n\nCopyright Grace\n");
  expect(licenses).toContain("b 1.0.0 (ISC)\n\nCopyright (c) Frances\n\nCopyright (c) 1999 Barbara\n");
  expect(licenses).not.toMatch(/no text|not contained|nobody|not this|Edsger/);
});

test("a package without a text of its license has that of its manifest, with its author", async () => {
  const { folder, read } = makePackage('export { left } from "left";', {
    left: { "index.js": left["index.js"], ...MIT },
  });
  await bundleDependencies(folder);
  expect(read("THIRD-PARTY-LICENSES.txt")).toContain(
    "left 1.2.3 (MIT)\n\nAuthor: Ada L.\nThe package has no file with its license, which is MIT:",
  );
});

test("a license that nobody has read ends the build", async () => {
  const files = {
    "package.json": '{"name":"a","version":"1.0.0","license":"GPL-3.0-only"}',
    "index.js": "exports.a = 1;",
  };
  const { folder } = makePackage('export { a } from "a";', { a: files });
  await expect(bundleDependencies(folder)).rejects.toThrow("a has the license GPL-3.0-only, which nobody has read");
});
