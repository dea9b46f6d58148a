/** What calls cost in a batch: providers take less for them, half at most of those who have batches. */
import { formatUsd, parseUsd } from "../../platform/usd.ts";
import type { Connection } from "../connection-parts.ts";
import { priceOf } from "./costs.ts";

/** The connection with the price that the model has in batches. Where no discount is named, that is the price in real time. */
export function withBatchPrices(connection: Connection, model: string): Connection {
  const price = priceOf(connection, model);
  if (price === undefined) return connection;
  const paidPercent = 100 - (price.batchDiscountPercent ?? 0);
  const reduce = (usd: string): string => formatUsd((parseUsd(usd) * BigInt(paidPercent)) / 100n);
  return {
    ...connection,
    prices: {
      models: {
        [model]: {
          inputUsdPerMillionTokens: reduce(price.inputUsdPerMillionTokens),
          outputUsdPerMillionTokens: reduce(price.outputUsdPerMillionTokens),
        },
      },
    },
  };
}
