import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Rowmill } from "@rowmill/client";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestService } from "@rowmill/server/testing/service";
import { beforeAll, expect, test } from "vitest";
import { newPlace } from "../testing/command-process.ts";
import { typeCommand } from "../testing/in-process.ts";
import { MAP_KEY, runKeyOf } from "./things.ts";

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ ROWMILL_MODE: "development" });
});

const FAILING = "{ by: row.id === 2 ? missing : 'old' }";
const NO_SETTINGS = { maxCostUsd: undefined, concurrency: undefined };

/** A table of three rows, of which the code cannot process the second. */
async function newTable() {
  const { apiKey } = await service.newOrganization();
  const { environment, folder } = newPlace({ ROWMILL_URL: service.url, ROWMILL_API_KEY: apiKey });
  const at = (name: string): string => join(folder, name);
  writeFileSync(at("in.csv"), "id\n1\n2\n3\n");
  const writeCode = (text: string): void => writeFileSync(at("code.js"), `export default (row) => (${text})`);
  writeCode(FAILING);
  const type = (...args: string[]) => typeCommand({ environment, directory: folder }, ...args);
  const map = (...more: string[]) =>
    type("map", at("in.csv"), "--transform", at("code.js"), "-o", at("out.csv"), ...more);
  return { at, writeCode, type, map, client: new Rowmill({ baseUrl: service.url, apiKey }) };
}

/** What is printed for the rows that did not succeed, without the names of the files. */
const COMMANDS =
  /`rowmill (?<make>specs new --from spec_\w+ --to (?<old>spec_\w+)[^`]*)`, then `rowmill (?<retry>retry run_\w+ --version 2[^`]*)`/;

test("--retry with other code than before is refused before a row is processed, and names the commands for the rows that failed", async () => {
  const { at, writeCode, type, map } = await newTable();
  expect((await map()).code).toBe(3);
  writeCode("{ by: 'new' }");
  const refused = await map("--retry", "--force", "--url", service.url);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("1 row of it did not succeed") as string });
  const { make = "", old = "", retry = "" } = COMMANDS.exec(refused.stderr)?.groups ?? {};
  expect(JSON.parse((await type("runs", "--json")).stdout)).toMatchObject({ data: [{ jobSpecId: old }] });
  expect(make).toContain(` --url ${service.url}`);
  expect(retry).toContain(` --force --url ${service.url}`);

  expect(await type(...make.split(" "))).toMatchObject({ code: 0 });
  expect(await type(...retry.split(" "))).toMatchObject({ code: 0 });
  expect(readFileSync(at("out.csv"), "utf8")).toMatch(/\n1,"old",.*\n2,"new",.*\n3,"old",/);

  // Nothing is left of the run before.
  expect((await map("--retry", "--force")).code).toBe(0);
  expect(readFileSync(at("out.csv"), "utf8")).toMatch(/\n1,"new",.*\n2,"new",.*\n3,"new",/);
});

test("the old code is run by the old command also after its job spec has got the version of a correction", async () => {
  const { at, writeCode, type, map } = await newTable();
  await map();
  writeCode("{ by: 'new' }");
  const { make = "" } = COMMANDS.exec((await map("--retry", "--force")).stderr)?.groups ?? {};
  expect((await type(...make.split(" "))).code).toBe(0);
  writeCode(FAILING);
  expect((await map("--limit", "1", "--force")).code).toBe(0);
  expect(readFileSync(at("out.csv"), "utf8")).toContain('\n1,"old",');
});

test("the commands name no file where rows are printed, and there are none where the job spec is archived", async () => {
  const { writeCode, type, map } = await newTable();
  await map();
  writeCode("{ by: 'new' }");
  const { old = "", retry } = COMMANDS.exec((await map("--retry", "-o", "-")).stderr)?.groups ?? {};
  expect(retry).toMatch(/^retry run_\w+ --version 2$/);
  expect((await type("specs", "archive", old)).code).toBe(0);
  const { code, stderr } = await map("--retry", "--force");
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("is archived. For every row:") as string,
  });
  expect(stderr).not.toContain("specs new");
});

test("--retry is refused while an earlier run of the same rows has not ended", async () => {
  const { client, writeCode, map } = await newTable();
  await map();
  const { datasetId } = (await client.runs.list()).data[0] ?? { datasetId: "" };
  const slow = { type: "mock" as const, delayMs: 60_000 };
  const { id: jobSpecId } = await client.jobSpecs.create({ name: "slow", processor: slow });
  const scope = { type: "all" as const };
  const metadata = { [MAP_KEY]: runKeyOf({ datasetId, jobSpecId, scope, name: "", settings: NO_SETTINGS }) };
  const { id } = await client.runs.create({ datasetId, jobSpecId, scope, metadata });
  writeCode("{ by: 'new' }");
  const advice = new RegExp(
    `${id} is of another job spec, and has not ended.\\s+Let it end \\(\`rowmill watch ${id}\`\\) or cancel it \\(\`rowmill cancel ${id}\``,
  );
  expect(await map("--retry", "--force")).toMatchObject({ code: 2, stderr: expect.stringMatching(advice) as string });
  await client.runs.cancel(id);
  await client.runs.waitFor(id);
  const ended = await map("--retry", "--force");
  expect(ended).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`${id} is of another job spec, and 3 rows`) as string,
  });
});

test("--retry is no obstacle where no row has failed before, and where there was no run", async () => {
  const { writeCode, map } = await newTable();
  writeCode("{ by: 'old' }");
  expect((await map("--retry")).code).toBe(0);
  writeCode("{ by: 'new' }");
  expect((await map("--retry", "--force")).code).toBe(0);
});

test("--retry of another choice of rows is refused, and names the command for the rows that failed", async () => {
  const { at, writeCode, type, map } = await newTable();
  expect((await map("--limit", "2")).code).toBe(3);
  const refused = await map("--retry", "--force");
  const message =
    /run_\w+ is of another choice of rows, and 1 row of it did not succeed.\s+For these alone: `rowmill (?<retry>retry run_\w+[^`]*)`\./;
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(message) as string });
  expect((JSON.parse((await type("runs", "--json")).stdout) as { data: unknown[] }).data).toHaveLength(1);
  const { retry = "" } = message.exec(refused.stderr)?.groups ?? {};
  expect((await type(...retry.split(" "))).code).toBe(3);
  expect(readFileSync(at("out.csv"), "utf8").split("\n")).toHaveLength(4);
  // Other code for other rows: the version of the correction is named.
  writeCode("{ by: 'new' }");
  expect((await map("--retry", "--force")).stderr).toMatch(COMMANDS);
});
