/** A server as Ollama's: what its documentation and its sources say that it responds. */
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { startTestService } from "@rowmill/server/testing/service";
import { expect, onTestFinished, test } from "vitest";
import { Problem } from "../frame/problem.ts";
import { newPlace, runCommand } from "../testing/command-process.ts";
import type { Place } from "../testing/command-process.ts";
import { requireModelServer } from "./model-server.ts";
import { findModel } from "./providers.ts";
import type { FoundModel } from "./providers.ts";

const service = await startTestService({ ROWMILL_MODE: "development" });

/** `models` are those that were pulled; a name without a tag is one with `latest`. */
async function startOllama(...models: string[]): Promise<string> {
  const server = createServer((request, response) => {
    const send = (status: number, body: unknown): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    // Its list is null where it has no model.
    const listed = models.length === 0 ? null : models.map((id) => ({ id, object: "model", owned_by: "library" }));
    if (request.url === "/v1/models") return send(200, { object: "list", data: listed });
    void text(request).then((body) => {
      const { model } = JSON.parse(body) as { model: string };
      if (!models.includes(`${model}:latest`))
        return send(404, { error: { message: `model '${model}' not found`, type: "not_found_error", code: null } });
      const message = { role: "assistant", content: '{"mood":"good"}' };
      // Of a prompt that it knows from before it counts no tokens.
      const usage = { prompt_tokens: 0, completion_tokens: 9, total_tokens: 9 };
      send(200, { object: "chat.completion", model, choices: [{ index: 0, message, finish_reason: "stop" }], usage });
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
}

async function placeFor(address: string): Promise<Place> {
  const { apiKey } = await service.newOrganization();
  const place = newPlace({ ROWMILL_URL: service.url, ROWMILL_API_KEY: apiKey, OLLAMA_HOST: address });
  writeFileSync(join(place.folder, "in.csv"), "review\nGood\nFine\n");
  return place;
}
const label = (model: string): string[] => {
  const asked = ["map", "in.csv", "--model", model, "--prompt", "{{review}}", "--out", "mood: good|bad"];
  return [...asked, "-o", "out.csv", "--yes"];
};

test("a model of Ollama labels a file and costs nothing", async () => {
  const address = await startOllama("llama3.2:latest");
  const place = await placeFor(address);
  const connected = await runCommand(place, "connect", "ollama");
  expect(connected).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`at http://${address}/v1.\nModels: llama3.2:latest.\nPrices: $0 in`) as string,
    stderr: `Using the address in OLLAMA_HOST: http://${address}/v1\n`,
  });
  expect(await runCommand(place, ...label("ollama/llama3.2"))).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("2 of 2 rows succeeded, $0.00") as string,
  });
  expect(readFileSync(join(place.folder, "out.csv"), "utf8")).toBe(
    '"review","mood","row_state","failure_code"\n"Good","good","succeeded",\n"Fine","good","succeeded",\n',
  );
});

test("without a model, Ollama can be connected, and a run says which one is missing", async () => {
  const place = await placeFor(await startOllama());
  expect(await runCommand(place, "connect", "ollama")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("lists no models. `ollama pull llama3.2` fetches one.") as string,
  });
  const ended = await runCommand(place, ...label("ollama/llama3.2"));
  expect(ended).toMatchObject({ code: 5, stdout: expect.stringMatching(/model_not_found 2\n.*llama3\.2/) as string });
});

test("where nothing listens, it says how to start Ollama, and an address that is none is named", async () => {
  const place = await placeFor("127.0.0.1:9");
  expect(await runCommand(place, "connect", "ollama")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("ollama serve") as string,
  });
  place.environment["OLLAMA_HOST"] = "not an address";
  for (const args of [["connect", "ollama"], label("ollama/llama3.2")])
    expect(await runCommand(place, ...args)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('OLLAMA_HOST is "not an address"') as string,
    });
});

test.each([
  ["llama3.2", undefined],
  ["Llama3.2:latest", undefined],
  ["library/llama3.2", undefined],
  ["big:cloud", undefined],
  ["llama3.2:70b", "Fetch it with `ollama pull llama3.2:70b`, and repeat the command. It has llama3.2:latest."],
])("before a row is processed, %j is looked for among the models that Ollama has", async (model, advice) => {
  const baseUrl = `http://${await startOllama("llama3.2:latest")}/v1`;
  const found = findModel(`ollama/${model}`, undefined, { OLLAMA_HOST: new URL(baseUrl).host });
  const problem = await requireModelServer(found as FoundModel).catch((error: unknown) => error); // the provider is named
  expect(problem instanceof Problem ? problem.advice : problem).toBe(advice);
});
