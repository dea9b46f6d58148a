import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspectProcess } from "@rowmill/server/platform/database/embedded/postmaster-pid";
import { startModelServer } from "@rowmill/server/testing/model-server";
import type { ModelServer } from "@rowmill/server/testing/model-server";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestService } from "@rowmill/server/testing/service";
import { killEmbeddedDatabase } from "@rowmill/server/testing/service-process";
import { waitFor } from "@rowmill/server/testing/wait";
import { Client } from "pg";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { localDirectory } from "../local/directories.ts";
import type { Control } from "../local/protocol.ts";
import { newPlace, runCommand, runInTerminal, startCommand } from "../testing/command.ts";
import type { Place } from "../testing/command.ts";

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
  model.answer = ({ prompt }) => ({ text: JSON.stringify({ industry: `of ${prompt}` }) });
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
  const { screen, code } = await runInTerminal(place, ask("--price", "1/2", "-v"), [["Continue?", "n"]]);
  expect(code).toBe(6);
  expect(screen).toMatch(/row 1, user: Say Company 0\s/);
  expect(model.calls.map(({ prompt }) => prompt)).toContain("Say Company 4");
  expect(screen).toContain("row 5, user: Say Company 4");
});

test("a model that does not exist stops after the first rows, with its name and what to do", async () => {
  const place = await onService(20);
  model.answer = () => ({ status: 404 });
  const { screen, code } = await runInTerminal(place, ask("--price", "1/2"), []);
  expect(code).toBe(5);
  expect(screen).toMatch(/Every row would fail: .*\(model_not_found\)\s+Check the name of the model/);
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

describe("on the command's own service", () => {
  function localPlace(rows: number): { place: Place; control: () => Control } {
    const place = withRows(newPlace(), rows);
    const directory = localDirectory(place.environment);
    onTestFinished(async () => {
      await runCommand(place, "stop");
      await killEmbeddedDatabase(directory.data);
    });
    return { place, control: () => JSON.parse(readFileSync(directory.control, "utf8")) as Control }; // written by the supervisor
  }

  test("one that runs in another version is named, with the command that ends it", async () => {
    const { place, control } = localPlace(2);
    expect((await runCommand(place, "map", "in.csv", "--mock", "-o", "out.csv", "--keep")).code).toBe(0);
    const { control: file } = localDirectory(place.environment);
    writeFileSync(file, JSON.stringify({ ...control(), version: "0.0.1" }));
    const refused = await runCommand(place, "runs");
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/version 0\.0\.1.*\n.*rowmill stop/) as string,
    });
  });

  test("after kill -9 of the command and its service the same command continues; only calls in flight are repeated", async () => {
    const { place, control } = localPlace(60);
    let isOpen = false;
    model.answer = async ({ prompt }, number) => {
      if (number > 20) await waitFor(() => isOpen, { what: "the model continues" });
      return { text: JSON.stringify({ industry: prompt }) };
    };
    const killed = startCommand(place, ...ask("--concurrency", "4"));
    await waitFor(() => model.calls.length >= 24, { what: "24 rows were asked for" });
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
