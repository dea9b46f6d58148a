import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestService } from "@rowmill/server/testing/service";
import { beforeAll, expect, test } from "vitest";
import { newPlace } from "../testing/command-process.ts";
import { typeCommand } from "../testing/in-process.ts";
import type { Said } from "../testing/in-process.ts";

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ ROWMILL_MODE: "development" });
});

interface Shown {
  id: string;
  version?: number;
  metadata: Record<string, unknown>;
  processor: { code: string };
}

async function newTerminal() {
  const { apiKey } = await service.newOrganization();
  const { environment, folder } = newPlace({ ROWMILL_URL: service.url, ROWMILL_API_KEY: apiKey });
  const type = (...args: string[]): Promise<Said> => typeCommand({ environment, directory: folder }, ...args);
  const at = (name: string): string => join(folder, name);
  const show = async (...args: string[]): Promise<string> => (await type("specs", "show", ...args, "--json")).stdout;
  return { type, at, show };
}
const parsed = (text: string): Shown => JSON.parse(text) as Shown; // what the command prints

test("what `specs show --json` prints, with a change, is a new version, and another job spec", async () => {
  const { type, at, show } = await newTerminal();
  const code = "export default (row) => ({ n: row.id })";
  const body = {
    name: "Numbers",
    description: "ours",
    metadata: { team: "a" },
    processor: { type: "transform", code },
  };
  writeFileSync(at("spec.json"), JSON.stringify(body));
  await type("specs", "new", at("spec.json"));

  writeFileSync(at("shown.json"), (await show("Numbers")).replace("row.id", "row.id * 2"));
  expect(await type("specs", "new", at("shown.json"), "--to", "Numbers")).toMatchObject({ code: 0, stderr: "" });
  const newest = await show("Numbers");
  expect(parsed(newest)).toMatchObject({ latestVersion: 2, processor: { code: code.replace("row.id", "row.id * 2") } });

  writeFileSync(at("first.json"), await show("Numbers", "--version", "1"));
  expect(await type("specs", "new", at("first.json"), "--name", "Old numbers")).toMatchObject({ code: 0, stderr: "" });
  expect(parsed(await show("Old numbers"))).toMatchObject({ latestVersion: 1, processor: { code } });

  writeFileSync(at("newest.json"), newest);
  expect(await type("specs", "new", at("newest.json"), "--name", "Copy")).toMatchObject({ code: 0, stderr: "" });
  expect(parsed(await show("Copy"))).toMatchObject({ description: "ours", metadata: { team: "a" } });
});

test("the schemas of a job spec keep every digit of their integers, in a file, in what is shown, and in a copy", async () => {
  const { type, at, show } = await newTerminal();
  const body = (maximum: string): string =>
    `{"name":"Ids","processor":{"type":"mock"},"outputSchema":{"maximum":${maximum}}}`;
  writeFileSync(at("spec.json"), body("9223372036854775807"));
  expect(await type("specs", "new", at("spec.json"))).toMatchObject({ code: 0, stderr: "" });
  writeFileSync(at("changed.json"), body("9223372036854775806"));
  expect(await type("specs", "new", at("changed.json"), "--to", "Ids")).toMatchObject({ code: 0, stderr: "" });

  expect(await show("Ids", "--version", "1")).toContain('"maximum": 9223372036854775807');
  expect((await type("specs", "show", "Ids")).stdout).toContain('"maximum": 9223372036854775806');
  const { stdout } = await type("specs", "diff", "Ids");
  expect(stdout).toMatch(/^- .*9223372036854775807$/m);
  expect(stdout).toMatch(/^\+ .*9223372036854775806$/m);
  expect(await type("specs", "new", "--from", "Ids", "--name", "Copy")).toMatchObject({ code: 0, stderr: "" });
  expect(await show("Copy")).toContain('"maximum": 9223372036854775806');
});

test("`specs new --from` takes the body of another job spec, and no file beside it", async () => {
  const { type, at, show } = await newTerminal();
  const codeOf = (n: number): string => `export default (row) => ({ n: row.id * ${n} })`;
  for (const n of [1, 2]) {
    writeFileSync(
      at("spec.json"),
      JSON.stringify({ name: `n${n}`, processor: { type: "transform", code: codeOf(n) } }),
    );
    await type("specs", "new", at("spec.json"));
  }
  expect(await type("specs", "new", "--from", "n2", "--to", "n1")).toMatchObject({ code: 0, stderr: "" });
  expect(parsed(await show("n1"))).toMatchObject({ latestVersion: 2, processor: { code: codeOf(2) } });
  for (const wrong of [[], [at("spec.json"), "--from", "n2"]])
    expect(await type("specs", "new", ...wrong)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Name a file, or a job spec with --from.") as string,
    });
});

test("a changed copy of a job spec of `map` is not what `map` finds again", async () => {
  const { type, at, show } = await newTerminal();
  writeFileSync(at("in.csv"), "id\n1\n2\n");
  writeFileSync(at("code.js"), "export default (row) => ({ n: row.id })");
  const map = ["map", at("in.csv"), "--transform", at("code.js")];
  await type(...map, "-o", at("one.csv"));
  const original = await show("@last");
  expect(Object.keys(parsed(original).metadata)).toEqual(["rowmill.map"]);

  writeFileSync(at("copy.json"), original.replace("row.id", "row.id * 100"));
  expect((await type("specs", "new", at("copy.json"), "--name", "Copy")).code).toBe(0);
  await type(...map, "--limit", "1", "-o", at("two.csv"));
  expect(readFileSync(at("two.csv"), "utf8")).toContain("\n1,1,");
});
