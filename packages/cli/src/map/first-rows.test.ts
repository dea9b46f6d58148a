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
  expect(again).toMatchObject({ code: 6, screen: expect.stringContaining("15 more rows: $") as string });
});

test("--max-cost is the budget of the first rows, too, and what they cost is taken off the budget of the others", async () => {
  const made = await place(20);
  model.respond = ({ prompt }) => ({ text: JSON.stringify({ industry: prompt }) });
  const priced = (...more: string[]): string[] => ask("--price", "1000/1000", "--max-output-tokens", "10", ...more);
  const runs = async (): Promise<
    { rows: { total: number }; usage: { costUsd: string }; budget: { maxCostUsd: string } }[]
  > =>
    // As the API lists them, the newest first.
    (JSON.parse((await runCommand(made, "runs", "--json")).stdout) as { data: never[] }).data;
  const refused = await runInTerminal(made, priced("--max-cost", "0.000001"), []);
  expect(refused).toMatchObject({ code: 6, screen: expect.stringContaining("is used up") as string });
  expect(model.calls).toHaveLength(0);

  const agreed = await runInTerminal(made, priced("--max-cost", "5"), [["Continue? [Y/n]", "\r"]]);
  expect(agreed).toMatchObject({ code: 0 });
  const [whole, first] = await runs();
  expect(first).toMatchObject({ rows: { total: 5 }, budget: { maxCostUsd: "5" } });
  const left = Number(whole?.budget.maxCostUsd);
  expect(Number(first?.usage.costUsd)).toBeGreaterThan(0);
  expect(left).toBeCloseTo(5 - Number(first?.usage.costUsd), 9);
  // The same command finds what it has done, and changes no budget.
  expect(await runInTerminal(made, priced("--max-cost", "5"), [])).toMatchObject({ code: 0 });
  expect(Number((await runs())[0]?.budget.maxCostUsd)).toBe(left);
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
