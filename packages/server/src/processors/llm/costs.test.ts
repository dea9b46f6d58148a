import { describe, expect, test } from "vitest";
import { costOf, createExpectation, estimateInputTokens, estimateOutputTokens, priceOf } from "./costs.ts";

const price = { inputUsdPerMillionTokens: "0.0375", outputUsdPerMillionTokens: "10" };

test.each([
  [0, 0, 0n],
  [1, 0, 37_500n],
  [1_000_000, 1_000_000, 10_037_500_000_000n],
  [999_999_999, 999_999_999, 10_037_499_989_962_500n],
])("%i and %i tokens cost exactly", (input, output, cost) => {
  expect(costOf(price, input, output)).toBe(cost);
});

test("a part of 10⁻¹² dollars is rounded up", () => {
  expect(costOf({ inputUsdPerMillionTokens: "0.0000005", outputUsdPerMillionTokens: "0" }, 1, 0)).toBe(1n);
});

describe("the price of a model", () => {
  const connection = { prices: { models: { known: price, "*": { ...price, outputUsdPerMillionTokens: "1" } } } };
  test("is its own, that of every other model, or unknown", () => {
    expect(priceOf(connection, "known")?.outputUsdPerMillionTokens).toBe("10");
    expect(priceOf(connection, "other")?.outputUsdPerMillionTokens).toBe("1");
    expect(priceOf(connection, "constructor")?.outputUsdPerMillionTokens).toBe("1");
    expect(priceOf({ prices: { models: {} } }, "constructor")).toBeUndefined();
    expect(priceOf({ prices: null }, "known")).toBeUndefined();
  });
});

describe("tokens are estimated from both sides", () => {
  const message = (text: string) => [{ role: "user" as const, parts: [{ type: "text" as const, text }] }];
  test("four bytes of text lie between, in whatever script", () => {
    const bytes = 4_000;
    for (const text of ["text ".repeat(bytes / 5), "é".repeat(bytes / 2), "😀".repeat(bytes / 4)]) {
      const { low, high } = estimateInputTokens(message(text), undefined);
      expect(low).toBe(800);
      expect(high).toBe(2_008);
    }
  });

  test("an image counts whatever its size, a schema as text", () => {
    const image = { type: "image" as const, mediaType: "image/png", base64: "A".repeat(1_000_000) };
    expect(estimateInputTokens([{ role: "user", parts: [image] }], undefined).high).toBeLessThan(2_000);
    expect(estimateInputTokens(message(""), { type: "object" }).high).toBeGreaterThan(
      estimateInputTokens(message(""), undefined).high,
    );
  });

  test("a response has at most what the job spec allows", () => {
    expect(estimateOutputTokens({ maxOutputTokens: 50 }).high).toBe(50);
    expect(estimateOutputTokens(undefined).high).toBe(4_096);
  });
});

test("what is expected of a call follows what calls have taken", () => {
  const expectation = createExpectation();
  const input = { low: 60, high: 100 };
  const output = { low: 1, high: 4_096 };
  const first = expectation.tokens(input, output);
  for (let i = 0; i < 200; i++) expectation.learn(input, 70, 10);
  expect(first).toBe(50 + 256);
  expect(expectation.tokens(input, output)).toBeLessThanOrEqual(82);
  expect(expectation.tokens(input, output)).toBeGreaterThanOrEqual(80);
});
