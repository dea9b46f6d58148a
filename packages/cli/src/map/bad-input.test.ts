import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, linkSync, openSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Rowmill } from "@rowmill/client";
import { inspectProcess } from "@rowmill/server/platform/database/embedded/postmaster-pid";
import { startModelServer } from "@rowmill/server/testing/model-server";
import type { ModelServer } from "@rowmill/server/testing/model-server";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestService } from "@rowmill/server/testing/service";
import { waitFor } from "@rowmill/server/testing/wait";
import { Client } from "pg";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { localDirectory } from "../local/directories.ts";
import type { Control } from "../local/protocol.ts";
import { typeCommand } from "../testing/in-process.ts";
import {
  COMMAND,
  giveDatabase,
  newLocalPlace,
  newPlace,
  runCommand,
  runInTerminal,
  startCommand,
} from "../testing/command-process.ts";
import type { Place } from "../testing/command-process.ts";

/** One sentence what is wrong, one what to do, and no stack. */
const WHAT_AND_WHAT_TO_DO = /^rowmill: .+\n {2}.+\n$/;

const linesOf = ({ folder }: Place): string[] => readFileSync(join(folder, "out.csv"), "utf8").trim().split("\n");

const inFolder = ({ folder, environment }: Place) => ({
  cwd: folder,
  env: { ...environment, NODE_DISABLE_COMPILE_CACHE: "1" },
});

async function ended(child: ChildProcess): Promise<{ code: number | null; stderr: string }> {
  let stderr = "";
  child.stdout?.resume();
  child.stderr?.on("data", (text: Buffer) => (stderr += text.toString()));
  const [code] = (await once(child, "close")) as [number | null]; // as Node documents it
  return { code, stderr };
}

let service: TestService;
let model: ModelServer;

beforeAll(async () => {
  model = await startModelServer();
  service = await startTestService({ ROWMILL_MODE: "development" });
});

function withRows(place: Place, rows: number): Place {
  const lines = Array.from({ length: rows }, (_, at) => `${at},Company ${at}`);
  writeFileSync(join(place.folder, "in.csv"), `id,company\n${lines.join("\n")}\n`);
  model.calls.length = 0;
  model.respond = ({ prompt }) => ({ text: JSON.stringify({ industry: `of ${prompt}` }) });
  return place;
}

async function onService(rows: number): Promise<Place> {
  const { apiKey } = await service.newOrganization();
  return withRows(newPlace({ ROWMILL_URL: service.url, ROWMILL_API_KEY: apiKey }), rows);
}

/** A model at `model`, for each row. */
const ask = (...more: string[]): string[] => {
  const asked = ["map", "in.csv", "--prompt", "Say {{company}}", "--model", "small", "--base-url", model.baseUrl];
  return [...asked, "--out", "industry", "-o", "out.csv", ...more];
};

test("-v shows the prompt of each of the first rows as the model gets it", async () => {
  const place = await onService(6);
  const { screen, code } = await runInTerminal(place, ask("--price", "1/2", "-v"), [["Continue? [Y/n]", "n\r"]]);
  expect(code).toBe(6);
  expect(screen).toMatch(/row 1, user: Say Company 0\s/);
  expect(model.calls.map(({ prompt }) => prompt)).toContain("Say Company 4");
  expect(screen).toContain("row 5, user: Say Company 4");
});

test("a model that does not exist stops after the first rows, with its name and what to do", async () => {
  const place = await onService(20);
  model.respond = () => ({ status: 404 });
  const { screen, code } = await runInTerminal(place, ask("--price", "1/2"), []);
  expect(code).toBe(5);
  expect(screen).toMatch(/Every row would fail: .*\(model_not_found\)\s+Check the name of the model/);
  // The model is there now: the first rows are tried again.
  model.respond = ({ prompt }) => ({ text: JSON.stringify({ industry: prompt }) });
  const again = await runInTerminal(place, ask("--price", "1/2"), [["Continue? [Y/n]", "y\r"]]);
  expect(again).toMatchObject({ code: 0, screen: expect.stringContaining("20 of 20 rows succeeded") as string });
  expect(again.screen).toMatch(/20 of 20 rows succeeded, \$\S+ and \$\S+ for the first rows, \d+ s/);
});

test("without a terminal, a wrong key fails the rows, and the last lines say what to do", async () => {
  const place = await onService(3);
  model.respond = () => ({ status: 401 });
  const ended = await runCommand(place, ...ask("--yes"));
  expect(ended).toMatchObject({
    code: 5,
    stdout: expect.stringMatching(
      /provider_auth_failed 3\n {2}row \d: .+\n {2}Check the key of the provider/,
    ) as string,
  });
});

test("where all of the first rows fail, the others are processed only if that is agreed to", async () => {
  const place = await onService(20);
  model.respond = () => ({ text: "not JSON" });
  const { screen, code } = await runInTerminal(place, ask("--price", "1/2"), [
    ["Continue with the others? [y/N]", "n\r"],
  ]);
  expect({ code, screen }).toMatchObject({ code: 6, screen: expect.stringContaining("Correct the cause") as string });
});

test("the same command continues when the service has forgotten its idempotency keys", async () => {
  const place = await onService(4);
  expect((await runCommand(place, ...ask())).code).toBe(0);
  const database = new Client({ connectionString: service.settings["ROWMILL_DATABASE_URL"] });
  await database.connect();
  await database.query("delete from idempotency_keys");
  await database.end();
  rmSync(join(place.folder, "out.csv"));
  expect((await runCommand(place, ...ask())).code).toBe(0);
  expect(model.calls).toHaveLength(4);
  expect(readFileSync(join(place.folder, "out.csv"), "utf8")).toContain('"of Say Company 3"');
});

test("a disk that is full on the service: what it is, what to do, and 1", async () => {
  const full = await startTestService({ ROWMILL_MIN_FREE_BYTES: String(9_000 * 1024 ** 3) });
  onTestFinished(() => full.stop());
  const { apiKey } = await full.newOrganization();
  const place = withRows(newPlace({ ROWMILL_URL: full.url, ROWMILL_API_KEY: apiKey }), 2);
  const refused = await runCommand(place, "map", "in.csv", "--mock", "-o", "out.csv");
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/rowmill: .+\n {2}Free some space.+\n/) as string,
  });
  expect(refused.stderr).not.toMatch(/\n {4}at /);
});

test("a file that cannot be read: what is wrong with it, by its name or its line, and 2 from every command", async () => {
  const { folder, environment } = await onService(1);
  const files = {
    "empty.csv": ["", 2, "empty.csv is empty"],
    "sheet.xlsx": ["PK", 2, "spreadsheet"],
    "ragged.csv": ["a,b\n1,2\n3\n", 2, "line 3: "],
    "head.csv": ["a,b\n", 2, "no rows"],
    "bad.jsonl": ['{"a":1}\n{"a":\n', 2, "line 2: "],
  } as const;
  for (const [name, [content, code, what]] of Object.entries(files)) {
    writeFileSync(join(folder, name), content);
    const said = { code, stdout: "", stderr: expect.stringContaining(what) as string };
    for (const command of [["map", "--mock"], ["upload"]]) {
      const refused = await typeCommand({ environment, directory: folder }, ...command, join(folder, name));
      expect({ name, ...refused }).toMatchObject({ name, ...said });
      expect(refused.stderr).toMatch(WHAT_AND_WHAT_TO_DO);
      expect(refused.stderr).not.toContain("upl_");
    }
  }
  const latin = join(folder, "latin.csv");
  writeFileSync(latin, Buffer.from("name\nM\u00FCller\n", "latin1"));
  expect(await typeCommand({ environment, directory: folder }, "upload", latin)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^rowmill: .+\n.+--encoding windows-1252.+\n$/) as string,
  });
  const read = ["map", latin, "--encoding", "windows-1252", "--mock"];
  expect(await typeCommand({ environment, directory: folder }, ...read)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("Müller") as string,
  });
  const input = join(folder, "in.csv");
  linkSync(input, join(folder, "same.csv"));
  const overItself = ["map", input, "--mock", "--force", "-o", join(folder, "same.csv")];
  expect(await typeCommand({ environment, directory: folder }, ...overItself)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/is the input and the output/) as string,
  });
  const code = await typeCommand(
    { environment, directory: folder },
    "map",
    join(folder, "in.csv"),
    "--transform",
    "none.js",
  );
  expect(code).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/There is no file none\.js\.\n {2}Check/) as string,
  });
  writeFileSync(join(folder, "wrong.js"), "export const nothing = 1;");
  const wrong = ["map", join(folder, "in.csv"), "--transform", join(folder, "wrong.js")];
  const { stderr } = await typeCommand({ environment, directory: folder }, ...wrong);
  expect(stderr.match(/no default export/g)).toHaveLength(1);
  expect(stderr).toMatch(/\n {2}Correct .*the code/);
});

test("a disk that is full where the command runs: one sentence, 1, and the same command ends the work", async () => {
  const place = await onService(400);
  const map = ["map", "in.csv", "--mock", "-o", "out.csv"];
  // No file may grow beyond a block of 1,024 bytes; the input is only read.
  const limit = ["-c", 'ulimit -f 1; exec "$0" "$@"', process.execPath, ...COMMAND, ...map];
  const limited = await ended(spawn("bash", limit, { ...inFolder(place), stdio: ["ignore", "pipe", "pipe"] }));
  expect(limited).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/rowmill: A file may not grow further\.\n {2}.+\n$/) as string,
  });
  expect(readdirSync(place.folder).filter((name) => name.startsWith("out.csv"))).toEqual([]);
  expect((await runCommand(place, ...map)).code).toBe(0);
  expect(linesOf(place)).toHaveLength(401);
  const full = openSync("/dev/full", "w");
  const results = [...COMMAND, "results", "@last"];
  const printed = await ended(
    spawn(process.execPath, results, { ...inFolder(place), stdio: ["ignore", full, "pipe"] }),
  );
  closeSync(full);
  expect(printed).toMatchObject({ code: 1, stderr: expect.stringMatching(WHAT_AND_WHAT_TO_DO) as string });
});

test("after kill -9 of the command at any moment, the same command makes the same table", async () => {
  const place = await onService(2_000);
  const map = ["map", "in.csv", "--mock", "-o", "out.csv"];
  // Some moments lie before its first request, some in the upload, the run or the export; which is which depends on the machine.
  for (const afterMs of [200, 400, 600, 800]) {
    const killed = startCommand(place, ...map);
    await Promise.race([pause(afterMs), killed.ended]);
    killed.child.kill("SIGKILL");
    await killed.ended;
  }
  expect((await runCommand(place, ...map)).code).toBe(0);
  const ids = linesOf(place)
    .slice(1)
    .map((line) => line.split(",")[0]);
  expect(ids).toEqual(Array.from({ length: 2_000 }, (_, at) => String(at)));
  const rowmill = new Rowmill({ apiKey: place.environment["ROWMILL_API_KEY"] ?? "", baseUrl: service.url });
  expect((await rowmill.runs.list()).data).toHaveLength(1);
});

describe("on the command's own service", () => {
  async function localPlace(rows: number): Promise<{ place: Place; control: () => Control }> {
    const { place, directory } = await newLocalPlace();
    withRows(place, rows);
    return { place, control: () => JSON.parse(readFileSync(directory.control, "utf8")) as Control }; // written by the supervisor
  }

  test("a file that does not exist ends the command at once, also while a service runs, which is named if its version is another", async () => {
    const { place, control } = await localPlace(1);
    expect(await runCommand(place, "map", "none.csv", "--mock")).toMatchObject({ code: 2 });
    expect(() => control()).toThrow("ENOENT");
    expect((await runCommand(place, "map", "in.csv", "--mock", "-o", "out.csv", "--keep")).code).toBe(0);
    // The command has joined the service when the transform turns out not to compile.
    writeFileSync(join(place.folder, "wrong.js"), "const f = (");
    for (const args of [
      ["none.csv", "--mock"],
      ["in.csv", "--transform", "wrong.js"],
    ])
      expect((await runCommand(place, "map", ...args)).code).toBeGreaterThan(0);
    const running = control();
    const { control: file } = localDirectory(place.environment);
    writeFileSync(file, JSON.stringify({ ...running, version: "0.0.1" }));
    expect(await runCommand(place, "runs")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/version 0\.0\.1.*\n.*rowmill stop/) as string,
    });
    writeFileSync(file, JSON.stringify(running));
    await giveDatabase(join(place.folder, "twice"));
    const other = startCommand(place, "dev", "--port", "0", "--data", join(place.folder, "twice"));
    await waitFor(() => other.output().includes("http://"), { what: "the service for development runs" });
    const twice = await runCommand(place, "dev", "--port", "0", "--data", join(place.folder, "twice"));
    expect(twice).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^rowmill: Another Rowmill is running on \S+twice\.\n {2}.+--data\.\n$/) as string,
    });
    other.child.kill("SIGTERM");
    await other.ended;
    expect(control().pid).toBe(running.pid);
  });

  test("after kill -9 of the command and its service the same command continues; only calls in flight are repeated", async () => {
    const { place, control } = await localPlace(60);
    let isOpen = false;
    model.respond = async ({ prompt }, number) => {
      if (number > 20) await waitFor(() => isOpen, { what: "the model continues" });
      return { text: JSON.stringify({ industry: prompt }) };
    };
    const killed = startCommand(place, ...ask("--concurrency", "4"));
    await waitFor(() => model.calls.length >= 24, { what: "24 rows were asked for" });
    // What ends in the moment before a kill may not be recorded yet, and would be asked again, too.
    const succeeded = async (): Promise<number> => {
      const { stdout } = await runCommand(place, "runs", "--json");
      const { data } = JSON.parse(stdout) as { data: { rows: { succeeded: number } }[] }; // what the command prints
      return data.reduce((sum, { rows }) => sum + rows.succeeded, 0);
    };
    await waitFor(async () => (await succeeded()) === 20, { what: "twenty rows are recorded" });
    const { pid } = control();
    killed.child.kill("SIGKILL");
    process.kill(pid, "SIGKILL");
    await killed.ended;
    await waitFor(async () => (await inspectProcess(pid)) === "gone", { what: "the supervisor is gone" });
    isOpen = true;
    expect((await runCommand(place, ...ask("--concurrency", "4"))).code).toBe(0);
    expect(model.calls.length).toBeLessThanOrEqual(64);
    expect(new Set(model.calls.map(({ prompt }) => prompt)).size).toBe(60);
    expect(readFileSync(join(place.folder, "out.csv"), "utf8").trim().split("\n")).toHaveLength(61);
  });
});
