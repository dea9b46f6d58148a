/** The pages of the reference are complete, and name what is there. */
import { globSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { Rowmill } from "@rowmill/client";
import { operationIds } from "@rowmill/contract";
import { errorCodeNames } from "@rowmill/contract/errors";
import { failureCodeNames } from "@rowmill/contract/failures";
import { intakeErrorCodes } from "@rowmill/contract/intake-errors";
import { components } from "@rowmill/contract/schemas";
import { expect, test } from "vitest";
import { commands } from "../../../packages/cli/src/commands.ts";
import { ROOT } from "../pages.ts";
import { apiPages } from "./api-pages.ts";
import { clientMethods, commandOf, inPython } from "./client-methods.ts";
import { limitsOfOutput } from "./limit-table-output.ts";
import { limitsOfWork } from "./limit-table-work.ts";
import { limitsOfInput } from "./limit-table.ts";
import { anchorOf } from "./markdown-text.ts";

const folder = join(ROOT, "docs/reference");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const pages = globSync("**/*.md", { cwd: folder }).map((path) => `docs/reference/${path.replaceAll("\\", "/")}`);

function anchorsOf(path: string): Set<string> {
  const text = read(path).replaceAll(/^```.*?^```$/gms, "");
  return new Set(Array.from(text.matchAll(/^#{1,4} (.+)$/gm), ([, heading = ""]) => anchorOf(heading)));
}

test("every operation is on one page, and every object that is described exists", () => {
  expect(apiPages.flatMap((page) => page.operations).toSorted()).toEqual([...operationIds].toSorted());
  const objects = apiPages.flatMap((page) => page.objects).filter((name) => name !== "Processor");
  expect(objects.filter((name) => !components.has(name))).toEqual([]);
  expect(new Set(objects).size).toBe(objects.length);
});

test.each(pages)("the links of %s lead to pages and headings that are there", (page) => {
  const text = read(page)
    .replaceAll(/^```.*?^```$/gms, "")
    .replaceAll(/`[^`]*`/g, (code) => code.replaceAll(/[()[\]]/g, ""));
  const broken = Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, target = ""]) => target)
    .filter((target) => !/^https?:/.test(target))
    .filter((target) => {
      const [path = "", anchor] = target.split("#");
      const file = path === "" ? page : posix.normalize(posix.join(dirname(page), path));
      try {
        return anchor !== undefined && !anchorsOf(file).has(anchor);
      } catch {
        return true;
      }
    });
  expect(broken).toEqual([]);
});

test.each([
  ["errors.md", errorCodeNames],
  ["failures.md", failureCodeNames],
  ["upload-errors.md", intakeErrorCodes],
] as const)("%s has an anchor for each code", (file, names) => {
  const anchors = anchorsOf(`docs/reference/${file}`);
  expect(names.filter((name) => !anchors.has(name))).toEqual([]);
});

test("codes that the limits name exist", () => {
  const known = new Set<string>([...errorCodeNames, ...failureCodeNames, ...intakeErrorCodes]);
  for (const { beyond } of [...limitsOfInput, ...limitsOfWork, ...limitsOfOutput].flatMap(({ limits }) => limits))
    for (const [, name = ""] of beyond.matchAll(/(?:\d{3}|upload error|failure|or) `([a-z_]+)`/g))
      expect(known).toContain(name);
});

test.each(Object.entries(clientMethods))("%s has the methods that the reference names", (_id, method) => {
  const client: unknown = new Rowmill({ apiKey: "rmk_1", baseUrl: "http://127.0.0.1:1" });
  const found = method.split(".").reduce<unknown>((holder, name) => Reflect.get(holder as object, name), client);
  expect(typeof found).toBe("function");
  expect(pythonSources).toMatch(new RegExp(`def ${inPython(method).split(".").at(-1)}\\(`));
});

test.each(Object.values(commandOf))("there is a command %s", (line) => {
  expect(commands.map(({ name }) => name)).toContain(line.split(" ")[0]);
  // What stands below a command is on its page alone.
  expect(read("docs/reference/cli.md")).toContain(
    line.includes(" ") ? `**\`rowmill ${line}\`**` : `### rowmill ${line}`,
  );
});

const pythonSources = globSync(["clients/python/src/rowmill/client.py", "clients/python/src/rowmill/_resources/*.py"], {
  cwd: ROOT,
})
  .map(read)
  .join("\n");
