/** A provider that refuses calls: who follows the run reads why it is slow. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startModelServer } from "@rowmill/server/testing/model-server";
import { startTestService } from "@rowmill/server/testing/service";
import { expect, test } from "vitest";
import { newPlace, runInTerminal, startCommand } from "../testing/command-process.ts";

const service = await startTestService({ ROWMILL_MODE: "development" });

/** A map of four rows to a provider that refuses every call until `isOpen`, and asks to wait for a minute where `waits`. */
async function newRefused({ waits = false } = {}) {
  const state = { isOpen: false };
  const refusal = { status: 429, body: { error: { message: "Too many requests." } } };
  const server = await startModelServer(() => {
    if (state.isOpen) return {};
    return waits ? { ...refusal, headers: { "retry-after": "60" } } : refusal;
  });
  const { apiKey, api } = await service.newOrganization();
  const body = { type: "http", name: "Here", baseUrl: server.baseUrl };
  await api("POST", "/v1/connections", { body });
  const place = newPlace({ ROWMILL_URL: service.url, ROWMILL_API_KEY: apiKey });
  writeFileSync(join(place.folder, "in.csv"), "id\n1\n2\n3\n4\n");
  const args = ["map", "in.csv", "--http", "POST /jobs", "--connection", "Here", "--yes", "-o", "out.csv"];
  return { place, args, open: () => (state.isOpen = true) };
}

test("without a terminal a line names the connection, once", async () => {
  const { place, args, open } = await newRefused();
  const { ended, output } = startCommand(place, ...args);
  await expect.poll(output).toMatch(/"Here" refuses calls, or is overloaded .*: at most \d+ calls? a minute begin\./);
  open();
  const { code, stderr } = await ended;
  expect(code).toBe(0);
  expect(stderr.match(/refuses calls/g)).toHaveLength(1);
});

test("in a terminal the bar has the rate", async () => {
  const { place, args } = await newRefused();
  const { code, screen } = await runInTerminal(place, args, [["calls/min after refusals", "\u0003"]]);
  expect(code).toBe(130);
  expect(screen).toMatch(/ 0% .*at most \d+ calls\/min after refusals/);
  expect(screen).not.toContain("refuses calls");
});

test("for programs the progress has the connection, the rate and the pause that the provider asked for", async () => {
  const { place, args } = await newRefused({ waits: true });
  const { child, output } = startCommand(place, ...args, "--stream-json");
  const slowed = (): unknown =>
    output()
      .split("\n")
      .filter((line) => line.startsWith('{"type":"progress"'))
      .map((line) => (JSON.parse(line) as { slowed: unknown }).slowed)
      .find((value) => value !== null);
  await expect.poll(slowed).toMatchObject({ name: "Here", model: "" });
  expect((slowed() as { pausedSeconds: number }).pausedSeconds).toBeGreaterThan(30);
  child.kill("SIGINT");
});
