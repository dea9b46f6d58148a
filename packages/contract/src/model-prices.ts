/** List prices of model providers, as a convenience: checked in, dated, and no promise. */
import { Type } from "typebox";
import type { Static } from "typebox";
import { connectionTypes } from "./connections.ts";
import { operation } from "./operation.ts";
import { Enum, Integer, Nullable, Usd, component } from "./schemas.ts";

const Day = (description: string) => Type.String({ format: "date", description, examples: ["2025-10-01"] });

export const ModelListPriceSchema = component(
  "ModelListPrice",
  Type.Object({
    provider: Type.String({ examples: ["openai"] }),
    model: Type.String({ description: "As job specs name it.", examples: ["gpt-5-mini"] }),
    inputUsdPerMillionTokens: Usd("US dollars for a million input tokens."),
    outputUsdPerMillionTokens: Usd("US dollars for a million output tokens."),
    cachedInputUsdPerMillionTokens: Nullable(
      Usd(
        "US dollars for a million input tokens that the provider had cached; null where the list has none. Not used for costs.",
      ),
    ),
    batchDiscountPercent: Nullable(Integer({ maximum: 100, description: "Null: no price for batches in the list." })),
    sourceDate: Day("When the price was read off the source."),
  }),
);
export type ModelListPrice = Static<typeof ModelListPriceSchema>;

export const PriceListSchema = component(
  "ModelPriceList",
  Type.Object({
    asOf: Day("The date of the newest price in the list."),
    ageDays: Integer({ description: "Days since then." }),
    note: Type.String({ description: "What the list is, as a sentence." }),
    providers: Type.Array(
      Type.Object({
        provider: Type.String({ examples: ["openai"] }),
        connectionType: Enum(connectionTypes),
        host: Type.String({
          description: 'Connections with an address at this host may say `prices: "list"`.',
          examples: ["api.openai.com"],
        }),
        source: Type.String({
          description: "Where the provider publishes its prices.",
          examples: ["https://openai.com/api/pricing/"],
        }),
      }),
    ),
    data: Type.Array(ModelListPriceSchema),
  }),
);
export type PriceList = Static<typeof PriceListSchema>;

export const modelPriceOperations = {
  listModelPrices: operation({
    method: "GET",
    path: "/v1/model-prices",
    tag: "Connections",
    summary: "List prices of models, with their date",
    description:
      "A list that comes with this version of the service: prices for standard processing as providers have published them, without " +
      'tiers, discounts and taxes. It may be outdated: `asOf` and `ageDays` say how old it is. A connection with `prices: "list"` uses it.',
    access: { by: "any" },
    idempotency: "none",
    response: { status: 200, schema: PriceListSchema },
    errors: [],
  }),
};
