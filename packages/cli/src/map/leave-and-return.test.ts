/** What the last lines, and for programs the last event, say of the next command: how to come back, and what can help. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startModelServer } from "@rowmill/server/testing/model-server";
import type { ModelServer } from "@rowmill/server/testing/model-server";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestService } from "@rowmill/server/testing/service";
import { waitFor } from "@rowmill/server/testing/wait";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { newPlace, runCommand, startCommand } from "../testing/command-process.ts";
import type { Place } from "../testing/command-process.ts";

let service: TestService;
let model: ModelServer;
/** Of the rows of the present test: a run of an earlier one goes on in the service. */
let marker = "";
let tables = 0;

beforeAll(async () => {
  model = await startModelServer();
  service = await startTestService({ ROWMILL_MODE: "development" });
});

/** The service is not named by the environment. */
async function newTable(rows: number): Promise<Place> {
  const { apiKey } = await service.newOrganization();
  const place = newPlace({ ROWMILL_API_KEY: apiKey });
  marker = `Company of table ${++tables}: row`;
  const lines = Array.from({ length: rows }, (_, at) => `${at},${marker} ${at}`);
  writeFileSync(join(place.folder, "in.csv"), `id,company\n${lines.join("\n")}\n`);
  model.respond = ({ prompt }) => ({ text: JSON.stringify({ industry: prompt }) });
  return place;
}

const ask = (...more: string[]): string[] => {
  const named = ["map", "in.csv", "--prompt", "{{company}}", "--model", "small", "--base-url", model.baseUrl];
  return [...named, "--url", service.url, "--out", "industry", "-o", "out.csv", ...more];
};

const isAsked = (): boolean => model.calls.some(({ prompt }) => prompt.startsWith(marker));

/** The model responds to nothing until the test has ended. */
function holdModel(): void {
  const isOpen = Promise.withResolvers<undefined>();
  onTestFinished(() => isOpen.resolve(undefined));
  model.respond = async ({ prompt }) => {
    await isOpen.promise;
    return { text: JSON.stringify({ industry: prompt }) };
  };
}

test.each([
  ["SIGINT", "--stream-json"],
  ["SIGTERM", "--stream-json"],
  ["SIGINT", "--json"],
] as const)("after %s with %s the last event says how to come back", async (signal, mode) => {
  const place = await newTable(20);
  holdModel();
  const left = startCommand(place, ...ask(mode));
  await waitFor(isAsked, { what: "a row was asked for" });
  left.child.kill(signal);
  const { code, stdout } = await left.ended;
  expect(code).toBe(130);
  const last: unknown = JSON.parse(mode === "--json" ? stdout : (stdout.trim().split("\n").at(-1) ?? ""));
  expect(last).toMatchObject({
    ...(mode === "--json" ? {} : { type: "error" }),
    error: {
      code: "interrupted",
      exitCode: 130,
      advice: expect.stringMatching(/come back with `rowmill map in\.csv --prompt .*-o out\.csv.*`\.$/) as string,
    },
  });
});

test("the command that comes back to a watched run names the service as it was named", async () => {
  const place = await newTable(20);
  holdModel();
  const first = startCommand(place, ...ask("--quiet"));
  await waitFor(isAsked, { what: "a row was asked for" });
  first.child.kill("SIGTERM");
  await first.ended;
  const watching = startCommand(place, "watch", "@last", "--url", service.url, "--stream-json");
  await waitFor(() => watching.output().includes('"type":"progress"'), { what: "the run is watched" });
  watching.child.kill("SIGTERM");
  const { stdout, stderr } = await watching.ended;
  const command = `rowmill watch run_\\w+ --url ${service.url}`;
  expect(stderr).toMatch(new RegExp(`come back with:\\n {2}${command}\\n`));
  expect(stdout.trim().split("\n").at(-1)).toMatch(new RegExp(`"type":"error".*\`${command}\``));
});

test("after a model that does not exist the next command names another, and a retry follows a correction of the key", async () => {
  const place = await newTable(3);
  model.respond = () => ({ status: 404 });
  const missing = await runCommand(place, ...ask());
  expect(missing.stdout).toMatch(/Check the name of the model\.\n(.*\n)?Next: rowmill map in\.csv .*--model NAME /);
  expect(missing.stdout).not.toContain("--retry");
  // The table of the failed rows is there already.
  expect(missing.stdout).toMatch(/Next: .*-o out\.csv .*--force\n/);
  model.respond = () => ({ status: 401 });
  const wrongKey = await runCommand(place, ...ask("--system", "Be brief.", "--force"));
  expect(wrongKey.stdout).toMatch(
    /Check the key of the provider.*\n(.*\n)?Next, after that: rowmill map .*--url http\S+ .*--retry\n/,
  );
});

test("where nobody gave the price of a model on this machine, it is not known, and the command says how to give it", async () => {
  const place = await newTable(3);
  const assumed = await runCommand(place, ...ask());
  expect(assumed).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/3 of 3 rows succeeded, price not known \(--price IN\/OUT gives it\), /) as string,
    stderr: expect.stringContaining("The price of small is not known: it counts as zero") as string,
  });
  expect(assumed.stdout + assumed.stderr).not.toContain("$0.00");
  const free = await runCommand(place, ...ask("--price", "0/0", "--system", "Be brief.", "--force"));
  expect(free).toMatchObject({ code: 0, stdout: expect.stringContaining("3 of 3 rows succeeded, $0.00, ") as string });
  expect(free.stderr).not.toContain("not known");
  // A connection has prices of its own: another one would be ignored.
  const both = ["map", "in.csv", "--url", service.url, "--prompt", "a", "--model", "m", "--out", "industry"];
  expect(await runCommand(place, ...both, "--connection", "models", "--price", "1/2")).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^rowmill: --connection and --price exclude each other\.\n {2}.+\n$/) as string,
  });
});

test("after a part of the rows the next command is for all of them, and after all of them for the results", async () => {
  const place = await newTable(3);
  const part = await runCommand(
    place,
    "map",
    "in.csv",
    "--mock",
    "--sample",
    "2",
    "-o",
    "out.csv",
    "--url",
    service.url,
  );
  const [, next = ""] = /Next: rowmill (.*)\n/.exec(part.stdout) ?? [];
  expect(part.stdout).toMatch(/\nout\.csv: 2 rows, SHA-256 /);
  expect(next).toMatch(/^map in\.csv .*-o out\.csv .*--force$/);
  const whole = await runCommand(place, ...next.split(" "));
  expect(whole).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/3 of 3 rows.*\n.*\nNext: rowmill results /) as string,
  });
  const all = ["map", "in.csv", "--mock", "--sample", "30", "-o", "all.csv", "--url", service.url];
  expect((await runCommand(place, ...all)).stdout).toMatch(/3 of 3 rows.*\n.*\nNext: rowmill results /);
});

test("after failures that a retry cannot cure, the last lines say what to change before the command that goes on", async () => {
  const place = await newTable(3);
  const refuse = (message: string, code?: string): void => {
    model.respond = () => ({ status: 400, body: { error: { message, ...(code === undefined ? {} : { code }) } } });
  };
  refuse("Your request was rejected.", "content_policy_violation");
  const rejected = await runCommand(place, ...ask());
  expect(rejected.stdout).toMatch(/content_rejected 3\n.*\n {2}Use another model, .*\n(.*\n)?Next: .*--model NAME /);
  expect(rejected.stdout).not.toContain("--retry");
  refuse("Invalid schema for response_format.");
  const schema = await runCommand(place, ...ask("--system", "Be brief.", "--force"));
  expect(schema.stdout).toMatch(
    /provider_error 3\n.*\n {2}The provider refuses the request: .*\n(.*\n)?Next, with the change: rowmill map in\.csv /,
  );
  expect(schema.stdout).not.toContain("--retry");
});
