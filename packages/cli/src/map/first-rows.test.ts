/** The first rows of `rowmill map`, which are processed before the price is agreed to, and runs of the command that somebody has deleted. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { startModelServer } from "@rowmill/server/testing/model-server";
import type { ModelServer } from "@rowmill/server/testing/model-server";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestService } from "@rowmill/server/testing/service";
import { waitFor } from "@rowmill/server/testing/wait";
import { newPlace, runCommand, runInTerminal } from "../testing/command-process.ts";
import type { Place } from "../testing/command-process.ts";

let service: TestService;
let model: ModelServer;

beforeAll(async () => {
  model = await startModelServer();
  service = await startTestService({ ROWMILL_MODE: "development" });
});

async function place(rows: number): Promise<Place> {
  const { apiKey } = await service.newOrganization();
  const made = newPlace({ ROWMILL_URL: service.url, ROWMILL_API_KEY: apiKey });
  const lines = Array.from({ length: rows }, (_, at) => `${at},Company ${at}`);
  writeFileSync(join(made.folder, "in.csv"), `id,company\n${lines.join("\n")}\n`);
  model.calls.length = 0;
  return made;
}

const ask = (...more: string[]): string[] => {
  const named = ["map", "in.csv", "--prompt", "{{company}}", "--model", "small", "--base-url", model.baseUrl];
  return [...named, "--out", "industry", "-o", "out.csv", ...more];
};

const priced = (...more: string[]): string[] => ask("--price", "1000/1000", "--max-output-tokens", "10", ...more);

interface ListedRun {
  id: string;
  state: string;
  rows: { total: number; succeeded: number };
  usage: { costUsd: string };
  budget: { maxCostUsd: string };
}

/** As the API lists them, the newest first. */
const runsOf = async (made: Place): Promise<ListedRun[]> =>
  (JSON.parse((await runCommand(made, "runs", "--json")).stdout) as { data: ListedRun[] }).data;

/** The model responds to nothing but `prompt` until then. */
function holdModel(prompt?: string): () => void {
  const isOpen = Promise.withResolvers<undefined>();
  const open = (): void => isOpen.resolve(undefined);
  onTestFinished(open);
  model.respond = async (call) => {
    if (call.prompt !== prompt) await isOpen.promise;
    return { text: JSON.stringify({ industry: call.prompt }) };
  };
  return open;
}

test("who waits for the first rows of a slow model sees how many are done, and can leave", async () => {
  const made = await place(20);
  holdModel("Company 0");
  const left = await runInTerminal(made, ask("--price", "1/2"), [["1 of the first 5 rows done (", "\u0003"]]);
  expect(left).toMatchObject({ code: 130, screen: expect.stringContaining("come back with:") as string });
});

test("first rows whose run is paused end the wait for them, and those whose run was deleted are processed again", async () => {
  const made = await place(20);
  const openModel = holdModel();
  const waiting = runInTerminal(made, ask("--price", "1/2"), []);
  await waitFor(() => model.calls.length > 0, { what: "a row was asked for" });
  expect(await runCommand(made, "pause")).toMatchObject({ code: 0 });
  openModel();
  expect(await waiting).toMatchObject({
    code: 5,
    screen: expect.stringMatching(/is paused.*`rowmill resume run_/s) as string,
  });
  expect(await runCommand(made, "cancel")).toMatchObject({ code: 0 });
  await waitFor(async () => (await runCommand(made, "runs", "delete", "in.csv: first rows")).code === 0, {
    what: "the run of the first rows is deleted",
  });
  const again = await runInTerminal(made, ask("--price", "1/2"), [["Continue? [Y/n]", "n\r"]]);
  expect(again).toMatchObject({
    code: 6,
    screen: expect.stringContaining("15 more rows (the cache has 5 of 20 looked up): $") as string,
  });
});

test("--max-cost is the budget of the first rows, too, and what they cost is taken off the budget of the others", async () => {
  const made = await place(20);
  model.respond = ({ prompt }) => ({ text: JSON.stringify({ industry: prompt }) });
  const refused = await runInTerminal(made, priced("--max-cost", "0.000001"), []);
  // A larger amount for their run alone would be refused by the same command later.
  expect(refused).toMatchObject({
    code: 6,
    screen: expect.stringMatching(/is used up.*`rowmill map in\.csv .* --max-cost AMOUNT`/s) as string,
  });
  expect(model.calls).toHaveLength(0);

  const agreed = await runInTerminal(made, priced("--max-cost", "5"), [["Continue? [Y/n]", "\r"]]);
  expect(agreed).toMatchObject({ code: 0 });
  const [whole, first] = await runsOf(made);
  expect(first).toMatchObject({ rows: { total: 5 }, budget: { maxCostUsd: "5" } });
  const left = Number(whole?.budget.maxCostUsd);
  expect(Number(first?.usage.costUsd)).toBeGreaterThan(0);
  expect(left).toBeCloseTo(5 - Number(first?.usage.costUsd), 9);
  // The same command finds what it has done, and changes no budget.
  expect(await runInTerminal(made, priced("--max-cost", "5"), [])).toMatchObject({ code: 0 });
  expect(Number((await runsOf(made))[0]?.budget.maxCostUsd)).toBe(left);
});

test("first rows that are tried again have as their budget what those before them have left of --max-cost", async () => {
  const made = await place(20);
  // The follow-up message, which asks for a repair, comes with those before it.
  model.respond = ({ body }) => ({
    text: JSON.stringify(body["messages"]).includes("Company 3") ? "not JSON" : '{"industry":"x"}',
  });
  const declined = () => runInTerminal(made, priced("--max-cost", "5"), [["Continue? [Y/n]", "n\r"]]);
  expect(await declined()).toMatchObject({ code: 6 });
  expect(await declined()).toMatchObject({ code: 6 });
  const [second, first, ...others] = await runsOf(made);
  expect(others).toEqual([]);
  expect(first).toMatchObject({ rows: { total: 5, succeeded: 4 }, budget: { maxCostUsd: "5" } });
  const spent = Number(first?.usage.costUsd);
  expect(spent).toBeGreaterThan(0);
  expect(Number(second?.budget.maxCostUsd)).toBeCloseTo(5 - spent, 9);

  const refused = await runInTerminal(made, priced("--max-cost", String(first?.usage.costUsd)), []);
  expect(refused).toMatchObject({ code: 6, screen: expect.stringContaining("have used up --max-cost") as string });
  expect(await runsOf(made)).toHaveLength(2);
});

test("a run in progress spends no more where its first rows have cost what --max-cost allows now", async () => {
  const made = await place(60);
  const isOpen = Promise.withResolvers<undefined>();
  onTestFinished(() => isOpen.resolve(undefined));
  model.respond = async ({ prompt }) => {
    if (!/^Company [0-4]$/.test(prompt)) await isOpen.promise;
    return { text: '{"industry":"x"}' };
  };
  const command = (cap: string): string[] => priced("--concurrency", "1", "--max-cost", cap);
  const left = await runInTerminal(made, command("50"), [
    ["Continue? [Y/n]", "\r"],
    ["░", "\u0003"],
  ]);
  expect(left).toMatchObject({ code: 130 });
  const [whole] = await runsOf(made);
  expect(await runCommand(made, ...command("0.000001"))).toMatchObject({
    code: 6,
    stderr: expect.stringMatching(/have used up --max-cost: .*\. run_\w+ makes no further call\./) as string,
  });
  isOpen.resolve(undefined);
  await waitFor(async () => !["queued", "running"].includes((await runsOf(made))[0]?.state ?? ""), {
    what: "the run has stopped",
  });
  const [stopped] = await runsOf(made);
  expect(stopped).toMatchObject({ id: whole?.id, state: "paused" });
  expect(stopped?.rows.succeeded).toBeLessThan(60);
  // A larger amount goes on with it.
  expect(await runCommand(made, ...command("50"))).toMatchObject({ code: 0 });
});

test("a retry whose run was deleted is made again", async () => {
  const made = await place(8);
  model.respond = ({ prompt }) => (prompt === "Company 3" ? { status: 400 } : { text: '{"industry":"x"}' });
  expect(await runCommand(made, ...ask())).toMatchObject({ code: 3 });
  expect(await runCommand(made, ...ask("--retry"))).toMatchObject({ code: 3 });
  const { data } = JSON.parse((await runCommand(made, "runs", "--json")).stdout) as { data: { id: string }[] };
  expect(data).toHaveLength(2);
  expect(await runCommand(made, "runs", "delete", data[0]?.id ?? "")).toMatchObject({ code: 0 });
  model.respond = () => ({ text: '{"industry":"retried"}' });
  expect(await runCommand(made, ...ask("--retry"))).toMatchObject({ code: 0 });
  expect(readFileSync(join(made.folder, "out.csv"), "utf8")).toContain('3,"Company 3","retried","succeeded",');
});

test("Ctrl-C at the question about the price says how to come back, also to a retry", async () => {
  const made = await place(20);
  model.respond = ({ prompt }) => (prompt === "Company 7" ? { status: 400 } : { text: '{"industry":"x"}' });
  const atQuestion: readonly [string, string][] = [["Continue? [Y/n]", "\u0003"]];
  const comeBack = (end: string) =>
    new RegExp(`Stopped\\..*come back with:\\s+rowmill map in\\.csv [^\\r\\n]*${end}\\r`, "s");
  const left = await runInTerminal(made, priced(), atQuestion);
  expect(left).toMatchObject({
    code: 130,
    screen: expect.stringMatching(comeBack("--max-output-tokens 10")) as string,
  });
  expect(await runInTerminal(made, priced(), [["Continue? [Y/n]", "\r"]])).toMatchObject({ code: 3 });
  const leftAgain = await runInTerminal(made, priced("--retry"), atQuestion);
  expect(leftAgain).toMatchObject({ code: 130, screen: expect.stringMatching(comeBack("--retry")) as string });
});
