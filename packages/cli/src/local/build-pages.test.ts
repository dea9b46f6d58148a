import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { BUILDERS, buildPages } from "./build-pages.ts";

const checkout = join(import.meta.dirname, "../../../..");

function newCheckout(programs: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), "rowmill-checkout-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(programs)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

test("every start of a checkout builds the same pages", () => {
  const { scripts } = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  expect(scripts["start"]?.match(/\S+\/build\.ts/g)).toEqual(BUILDERS);
  const dev = readFileSync(join(checkout, "packages/cli/src/local/dev-service.ts"), "utf8");
  const server = readFileSync(join(checkout, "packages/cli/src/local/service-process.ts"), "utf8");
  for (const start of [dev, server]) expect(start).toContain("await buildPages();");
});

test("a start builds one after the other, and an installed package builds nothing", async () => {
  const append = 'import { appendFileSync } from "node:fs"; appendFileSync("built", process.argv[1] + "\\n");';
  const root = newCheckout(Object.fromEntries(BUILDERS.map((path) => [path, append])));
  await buildPages(root);
  const built = readFileSync(join(root, "built"), "utf8").trim().split("\n");
  expect(built.map((path) => path.slice(-16))).toEqual(BUILDERS.map((path) => path.slice(-16)));
  await buildPages(null);
});

test("pages that cannot be built end the start with the name of the builder", async () => {
  const root = newCheckout(Object.fromEntries(BUILDERS.map((path) => [path, "process.exit(3);"])));
  await expect(buildPages(root)).rejects.toMatchObject({
    message: expect.stringContaining(`${BUILDERS[0]} ended with code 3`) as string,
  });
});
