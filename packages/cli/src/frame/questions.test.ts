import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { startTestService } from "@rowmill/server/testing/service";
import { expect, test } from "vitest";
import { newPlace, runInTerminal } from "../testing/command-process.ts";
import { Interrupted } from "./problem.ts";
import { askYesNo } from "./questions.ts";
import type { Terminal } from "./terminal.ts";

const service = await startTestService({ ROWMILL_MODE: "development" });
const QUESTION = "Make this change? [Y/n] ";

/** A command that asks once, and what a person types at which text. */
async function asked(...replies: (readonly [when: string, keys: string])[]) {
  const { apiKey } = await service.newOrganization();
  const place = newPlace({ ROWMILL_URL: service.url, ROWMILL_API_KEY: apiKey });
  writeFileSync(
    join(place.folder, "one.yaml"),
    "connections: [{ name: models, type: openai_compatible, baseUrl: 'https://models.example.com/v1' }]",
  );
  return runInTerminal(place, ["apply", "one.yaml"], replies);
}

test.each([
  ["Enter is the reply in capitals", "\r", 0],
  ["a word", "Yes\r", 0],
  ["a letter", "n\r", 6],
  ["Ctrl-C", "\u0003", 130],
  ["Ctrl-D", "\u0004", 130],
] as const)("%s: %j ends with %i", async (_, keys, code) => {
  const said = await asked([QUESTION, keys]);
  expect({ code: said.code, screen: said.screen }).toMatchObject({ code });
  expect(said.screen.split(QUESTION)).toHaveLength(2);
});

test("what is no reply is asked again", async () => {
  const { code, screen } = await asked([QUESTION, "maybe\r"], ["maybe", "y\r"]);
  expect({ code, screen }).toEqual({ code: 0, screen });
  expect(screen.split(QUESTION)).toHaveLength(3);
});

test("a request to end the process ends the question", async () => {
  const ending = new AbortController();
  const [stdin, stderr] = [new PassThrough(), new PassThrough()];
  const terminal = { isInteractive: true, stdin, stderr } as unknown as Terminal; // all that a question uses
  const reply = askYesNo({ terminal, signal: ending.signal }, "Make this change?", true);
  ending.abort();
  await expect(reply).rejects.toBeInstanceOf(Interrupted);
});
