/** `rowmill map` with a server that imitates a provider and was not written by us: what is sent is what such servers understand. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectStatus } from "@rowmill/server/testing/api";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestService } from "@rowmill/server/testing/service";
import { newPlace, runCommand } from "../testing/command-process.ts";
import type { Place } from "../testing/command-process.ts";

const provider = new LLMock({ port: 0, logLevel: "silent" });
let service: TestService;
beforeAll(async () => {
  await provider.start();
  service = await startTestService({ ROWMILL_MODE: "development" });
});
afterAll(() => provider.stop());

async function place(csv: string): Promise<Place> {
  provider.reset();
  const { api, apiKey } = await service.newOrganization();
  const price = { inputUsdPerMillionTokens: "0.25", outputUsdPerMillionTokens: "2.00" };
  const body = {
    type: "openai_compatible",
    name: "imitation",
    baseUrl: `${provider.url}/v1`,
    secret: "sk-never-printed-0123456789",
    prices: { models: { "gpt-5-mini": price } },
  };
  expectStatus(await api("POST", "/v1/connections", { body }), 201);
  const made = newPlace({ ROWMILL_URL: service.url, ROWMILL_API_KEY: apiKey });
  writeFileSync(join(made.folder, "in.csv"), csv);
  return made;
}

const ask = [
  "map",
  "in.csv",
  "--connection",
  "imitation",
  "--model",
  "gpt-5-mini",
  "--out",
  "industry, confidence number",
  "-o",
  "out.csv",
  "--yes",
];
const read = (made: Place): string[] => readFileSync(join(made.folder, "out.csv"), "utf8").trim().split("\n");

test("rows that the model completes badly fail by name, and --retry asks for them alone", async () => {
  const made = await place("company\nAlpha\nBeta\nGamma\n");
  const right = { content: '{"industry":"steel","confidence":0.9}' };
  // Also where the model gets a follow-up message that says what was wrong.
  provider.onMessage(/./, (request) =>
    JSON.stringify(request).includes("Beta") ? { content: '{"industry":7}' } : right,
  );
  const first = await runCommand(made, ...ask, "--prompt", "Industry of {{company}}?");
  expect(first).toMatchObject({ code: 3 });
  expect(first.stdout + first.stderr).not.toContain("sk-never-printed");
  expect(read(made)).toEqual([
    '"company","industry","confidence","row_state","failure_code"',
    '"Alpha","steel",0.9,"succeeded",',
    '"Beta",,,"failed","output_schema_invalid"',
    '"Gamma","steel",0.9,"succeeded",',
  ]);

  provider.reset();
  provider.onMessage(/./, right);
  const again = await runCommand(made, ...ask, "--prompt", "Industry of {{company}}?", "--retry", "--force");
  expect(again.code).toBe(0);
  expect(read(made)[2]).toBe('"Beta","steel",0.9,"succeeded",');
  expect(provider.getRequests()).toHaveLength(1);
});

test("--image sends the image that a column names beside the prompt", async () => {
  const photo = `${provider.url}/photo.png`;
  const made = await place(`company,photo\nAlpha,${photo}\n`);
  provider.onMessage(/./, { content: '{"industry":"steel","confidence":1}' });
  const { code } = await runCommand(made, ...ask, "--prompt", "What does {{company}} make?", "--image", "photo");
  expect(code).toBe(0);
  const sent = JSON.stringify(provider.getLastRequest()?.body);
  expect(sent).toContain(JSON.stringify({ url: photo }).slice(1, -1));
  expect(sent).toContain("What does Alpha make?");
});

test("where no key may be stored, the connections to the same address are named, or the command that makes one", async () => {
  const made = await place("company\nAlpha\n");
  const run = ["map", "in.csv", "--model", "gpt-5-mini", "--prompt", "Industry of {{company}}?"];
  const runAt = (path: string) => {
    const environment = { OPENAI_API_KEY: "sk-of-nobody", OPENAI_BASE_URL: `${provider.url}${path}` };
    return runCommand({ ...made, environment: { ...made.environment, ...environment } }, ...run);
  };
  const known = await runAt("/v1");
  expect([known.code, known.stderr]).toEqual([
    6,
    expect.stringContaining(`It has "imitation" at ${provider.url}/v1: add --connection imitation, without --price.`),
  ]);
  const unknown = await runAt("/v2");
  expect([unknown.code, unknown.stderr]).toEqual([6, expect.stringContaining("`rowmill connect openai` makes one")]);
  expect(unknown.stderr).toContain("The service has no connection for openai.");
});

test("usage is added up by model, and what has no price is not taken for free", async () => {
  const made = await place("company\nAlpha\n");
  provider.onMessage(/./, { content: '{"industry":"steel","confidence":0.9}' });
  expect((await runCommand(made, ...ask, "--prompt", "Industry of {{company}}?")).code).toBe(0);
  const unpriced = ask.map((word) => (word === "gpt-5-mini" ? "no-price-1" : word));
  expect((await runCommand(made, ...unpriced, "--force", "--prompt", "Industry of {{company}}?")).code).toBe(0);
  const { stdout } = await runCommand(made, "usage", "--by", "model");
  expect(stdout).toMatch(/^gpt-5-mini .+\$0\.0\d+$/m);
  expect(stdout).toMatch(/^no-price-1 .+ \?$/m);
  expect((await runCommand(made, "usage")).stdout).toMatch(/ \$0\.0\d+ or more$/m);
});
