/** What goes around a call: a step of the processor, and a provider that responses as the test says. New for each test. */
import { afterEach, beforeEach } from "vitest";
import type { LlmConfig } from "./llm-config.ts";
import { completion, createBench, newConnection, startOddProvider } from "./llm-testing.ts";
import type { Bench, GivenResponse, OddProvider, SeenRequest } from "./llm-testing.ts";

export const prices = { models: { m: { inputUsdPerMillionTokens: "1", outputUsdPerMillionTokens: "1" } } };

export const config: LlmConfig = {
  type: "llm",
  connection: "conn_a",
  model: "m",
  messages: [{ role: "user", content: "{{row.text}}" }],
};
export const row = { text: "hello" };
export const schema = {
  type: "object",
  properties: { n: { type: "integer" } },
  required: ["n"],
  additionalProperties: false,
};

class Calls {
  provider!: OddProvider;
  bench!: Bench;
  /** Responds to the requests from now on. */
  respond: (request: SeenRequest, number: number) => GivenResponse | "silence" | "hang up" = () => completion("fine");

  async start(): Promise<void> {
    this.respond = () => completion("fine");
    this.provider = await startOddProvider((request, number) => this.respond(request, number));
    this.bench = createBench([this.provider.origin, "http://127.0.0.1:9"]);
    const { connections } = this.bench;
    const { origin } = this.provider;
    connections.set("conn_a", newConnection("conn_a", `${origin}/v1`, { prices }));
    connections.set("conn_claude", newConnection("conn_claude", origin, { type: "anthropic", prices }));
    connections.set("conn_http", newConnection("conn_http", origin, { type: "http" }));
    connections.set("conn_dead", newConnection("conn_dead", "http://127.0.0.1:9/v1", { prices }));
  }

  async stop(): Promise<void> {
    await this.bench.close();
    await this.provider.close();
  }
}

/** Called at the top of a test file: its members are those of the test that runs. */
export function callsOfEachTest(): Calls {
  const calls = new Calls();
  beforeEach(() => calls.start());
  afterEach(() => calls.stop());
  return calls;
}
