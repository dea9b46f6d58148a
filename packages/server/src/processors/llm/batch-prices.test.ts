import { expect, test } from "vitest";
import type { Connection } from "../connection-parts.ts";
import { withBatchPrices } from "./batch-prices.ts";

const connection = (models: NonNullable<NonNullable<Connection["prices"]>["models"]>): Connection => ({
  id: "conn_test",
  organizationId: "org_test",
  type: "openai_compatible",
  baseUrl: "https://api.example.com/v1",
  secret: null,
  rateLimit: { requestsPerMinute: null, tokensPerMinute: null },
  prices: { models },
});
const usd = (input: string, output: string) => ({ inputUsdPerMillionTokens: input, outputUsdPerMillionTokens: output });

test.each([
  [50, "0.125", "1"],
  [0, "0.25", "2"],
  [undefined, "0.25", "2"],
  [100, "0", "0"],
  [33, "0.1675", "1.34"],
])("a discount of %s percent", (percent, input, output) => {
  const price = { ...usd("0.25", "2.00"), ...(percent === undefined ? {} : { batchDiscountPercent: percent }) };
  expect(withBatchPrices(connection({ m: price }), "m").prices?.models?.["m"]).toEqual(usd(input, output));
});

test("the price of every other model holds in batches, too; without any, the price stays unknown", () => {
  const starred = connection({ "*": { ...usd("4", "8"), batchDiscountPercent: 50 } });
  expect(withBatchPrices(starred, "m").prices?.models?.["m"]).toEqual(usd("2", "4"));
  expect(withBatchPrices(connection({}), "m").prices?.models).toEqual({});
});
