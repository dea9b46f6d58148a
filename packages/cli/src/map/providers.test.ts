import { expect, test } from "vitest";
import { findModel } from "./providers.ts";

const key = { OPENAI_API_KEY: "sk-test", ANTHROPIC_API_KEY: "sk-ant-test" };

test.each([
  [
    "gpt-5-mini",
    key,
    { provider: "openai", baseUrl: "https://api.openai.com/v1", model: "gpt-5-mini", apiKey: "sk-test" },
  ],
  ["claude-haiku-4", key, { provider: "anthropic", type: "anthropic", apiKey: "sk-ant-test" }],
  [
    "ollama/llama3.2",
    {},
    { provider: "ollama", baseUrl: "http://127.0.0.1:11434/v1", model: "llama3.2", missingKey: undefined },
  ],
  ["ollama/llama3.2", { OLLAMA_HOST: "0.0.0.0:9999" }, { baseUrl: "http://127.0.0.1:9999/v1" }],
  ["ollama/llama3.2", { OLLAMA_HOST: "gpu.example.com" }, { baseUrl: "http://gpu.example.com:11434/v1" }],
  ["ollama/llama3.2", { OLLAMA_HOST: ":9999" }, { baseUrl: "http://127.0.0.1:9999/v1" }],
  ["ollama/llama3.2", { OLLAMA_HOST: "https://gpu.example.com/" }, { baseUrl: "https://gpu.example.com/v1" }],
  ["claude-haiku-4", { ...key, ANTHROPIC_BASE_URL: "https://a.example" }, { baseUrl: "https://a.example/v1" }],
  ["claude-haiku-4", { ...key, ANTHROPIC_BASE_URL: "https://a.example/v1/" }, { baseUrl: "https://a.example/v1" }],
  ["openrouter/meta-llama/llama-3", { OPENROUTER_API_KEY: "or" }, { model: "meta-llama/llama-3", apiKey: "or" }],
  [
    "my-model",
    { OPENAI_BASE_URL: "http://127.0.0.1:9/v1/" },
    { provider: "openai", baseUrl: "http://127.0.0.1:9/v1", missingKey: undefined },
  ],
  ["gpt-5-mini", {}, { missingKey: "OPENAI_API_KEY" }],
  ["meta-llama/llama-3", { OPENAI_BASE_URL: "https://models.example.com/v1" }, { model: "meta-llama/llama-3" }],
])("%s", (name, environment, expected) => {
  expect(findModel(name, undefined, environment)).toMatchObject(expected);
});

test("an address of one's own wins over the environment's", () => {
  const found = findModel("gpt-5-mini", "http://127.0.0.1:9/v1", {
    ...key,
    OPENAI_BASE_URL: "https://other.example.com",
  });
  expect(found).toMatchObject({ provider: "custom", baseUrl: "http://127.0.0.1:9/v1", type: "openai_compatible" });
});

test("nothing is guessed for a name that nobody knows", () => {
  expect(findModel("my-model", undefined, key)).toBeUndefined();
});
