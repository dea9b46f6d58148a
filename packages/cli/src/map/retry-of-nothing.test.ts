import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestService } from "@rowmill/server/testing/service";
import { beforeAll, expect, test } from "vitest";
import { newPlace } from "../testing/command-process.ts";
import { typeCommand } from "../testing/in-process.ts";

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ ROWMILL_MODE: "development" });
});

/** A table of three rows, of which the code cannot process the second. */
async function newTable() {
  const { apiKey } = await service.newOrganization();
  const { environment, folder } = newPlace({ ROWMILL_URL: service.url, ROWMILL_API_KEY: apiKey });
  const at = (name: string): string => join(folder, name);
  writeFileSync(at("in.csv"), "id\n1\n2\n3\n");
  const writeCode = (text: string): void => writeFileSync(at("code.js"), `export default (row) => (${text})`);
  writeCode("{ by: row.id === 2 ? missing : 'old' }");
  const type = (...args: string[]) => typeCommand({ environment, directory: folder }, ...args);
  const map = (...more: string[]) =>
    type("map", at("in.csv"), "--transform", at("code.js"), "-o", at("out.csv"), ...more);
  return { at, writeCode, type, map };
}

test("--retry with other code than before is refused before a row is processed, and names the commands for the rows that failed", async () => {
  const { at, writeCode, type, map } = await newTable();
  expect((await map()).code).toBe(3);
  writeCode("{ by: 'new' }");
  const refused = await map("--retry", "--force");
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("1 row of it did not succeed") as string });
  const commands =
    /`rowmill specs show (?<made>spec_\w+) --json \| rowmill specs new - --to (?<old>spec_\w+)`, then `rowmill (?<retry>retry run_\w+ --version 2 -o \S+ --force)`/;
  const { made = "", old = "", retry = "" } = commands.exec(refused.stderr)?.groups ?? {};
  expect(JSON.parse((await type("runs", "--json")).stdout)).toMatchObject({ data: [{ jobSpecId: old }] });

  writeFileSync(at("spec.json"), (await type("specs", "show", made, "--json")).stdout);
  expect((await type("specs", "new", at("spec.json"), "--to", old)).code).toBe(0);
  expect(await type(...retry.split(" "))).toMatchObject({ code: 0 });
  expect(readFileSync(at("out.csv"), "utf8")).toMatch(/\n1,"old",.*\n2,"new",.*\n3,"old",/);
});

test("--retry is no obstacle where no row has failed before, and where there was no run", async () => {
  const { writeCode, map } = await newTable();
  writeCode("{ by: 'old' }");
  expect((await map("--retry")).code).toBe(0);
  writeCode("{ by: 'new' }");
  expect((await map("--retry", "--force")).code).toBe(0);
});
