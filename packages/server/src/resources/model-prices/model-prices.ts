/** The price list of this version, and what it means for a connection. */
import type { ConnectionType } from "@rowmill/contract/connections";
import type { ConnectionPrices, ModelPrice } from "@rowmill/contract/connection-prices";
import type { ModelListPrice, PriceList } from "@rowmill/contract/model-prices";
import type { OperationFunction } from "../../platform/http/handlers.ts";
import { listedPrices, listedProviders } from "./price-list.ts";
import type { ListedProvider, ListedProviderName } from "./price-list.ts";
import { notNull } from "../../platform/present.ts";
import { sharedNow } from "../../platform/shared-time.ts";

const DAY_MS = 24 * 3_600_000;
const NOTE =
  "List prices for standard processing, without tiers, discounts and taxes, as providers had published them at `sourceDate`. They may be outdated: compare them with your provider's before you rely on a budget.";

const names = Object.keys(listedProviders) as ListedProviderName[]; // of the table

export const priceListAsOf =
  names
    .map((name) => listedPrices[name].sourceDate)
    .toSorted()
    .at(-1) ?? "";
export const priceListAgeDays = (now: Date): number =>
  Math.max(0, Math.floor((now.getTime() - Date.parse(priceListAsOf)) / DAY_MS));

export const listModelPrices: OperationFunction<"listModelPrices"> = async () => priceListAt(sharedNow());

export const priceListAt = (now: Date): PriceList => ({
  asOf: priceListAsOf,
  ageDays: priceListAgeDays(now),
  note: NOTE,
  providers: names.map((name) => listedProviders[name]),
  data: names.flatMap(pricesOfProvider),
});

function pricesOfProvider(provider: ListedProviderName): ModelListPrice[] {
  const { sourceDate, batchDiscountPercent, prices } = listedPrices[provider];
  return prices.flatMap(({ models, input, output, cachedInput = null }) =>
    models.map((model) => ({
      provider,
      model,
      inputUsdPerMillionTokens: input,
      outputUsdPerMillionTokens: output,
      cachedInputUsdPerMillionTokens: cachedInput,
      batchDiscountPercent,
      sourceDate,
    })),
  );
}

/** Undefined where the list has no provider at this address. */
export function listPricesFor(type: ConnectionType, baseUrl: string): ConnectionPrices | undefined {
  const { hostname } = new URL(baseUrl);
  const name = names.find((one) => {
    const { host, connectionType }: ListedProvider = listedProviders[one];
    return host === hostname && connectionType === type;
  });
  if (name === undefined) return undefined;
  const models = pricesOfProvider(name).map(({ model, ...price }): [string, ModelPrice] => [
    model,
    {
      inputUsdPerMillionTokens: price.inputUsdPerMillionTokens,
      outputUsdPerMillionTokens: price.outputUsdPerMillionTokens,
      ...notNull({ batchDiscountPercent: price.batchDiscountPercent }),
    },
  ]);
  return { models: Object.fromEntries(models) };
}

export const listedHosts = (): string[] => names.map((name) => listedProviders[name].host);

/** What stands in the table: prices of the connection's own, or that it uses the list. */
export type StoredPrices = ConnectionPrices | { list: true };

export const usesList = (prices: StoredPrices | null): boolean => prices !== null && "list" in prices;

/** The prices that hold now; a new version of the service may bring a newer list. */
export function pricesOf(row: {
  type: ConnectionType;
  baseUrl: string;
  prices: StoredPrices | null;
}): ConnectionPrices | null {
  if (row.prices === null || !("list" in row.prices)) return row.prices;
  return listPricesFor(row.type, row.baseUrl) ?? null;
}
