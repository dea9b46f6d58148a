/** What calls over a connection cost: prices of models, or of each request. */
import { Type } from "typebox";
import type { Static } from "typebox";
import { Closed, Nullable, Usd } from "./schemas.ts";

/** A price list that a person keeps; whole catalogues have fewer. */
const MAX_PRICED_MODELS = 500;

const ModelPriceSchema = Closed({
  inputUsdPerMillionTokens: Usd("US dollars for a million input tokens."),
  outputUsdPerMillionTokens: Usd("US dollars for a million output tokens."),
  batchDiscountPercent: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 100, description: "How much less rows cost in provider batches (0)." }),
  ),
});
export type ModelPrice = Static<typeof ModelPriceSchema>;

/** Not `Type.Record`: see `Metadata`. */
const ModelPrices = Type.Unsafe<Record<string, ModelPrice>>({
  type: "object",
  additionalProperties: ModelPriceSchema,
  propertyNames: { minLength: 1, maxLength: 200 },
  maxProperties: MAX_PRICED_MODELS,
  description: "By the model's name, as job specs ask for it; `*` is the price of every other one.",
  examples: [{ "gpt-5-mini": { inputUsdPerMillionTokens: "0.25", outputUsdPerMillionTokens: "2.00" } }],
});
const requestUsd = Usd("US dollars for one request.");

export interface ConnectionPrices {
  models?: Record<string, ModelPrice>;
  requestUsd?: string;
}
/** In place of prices: those of the list that comes with the service. */
export const LIST_PRICES = "list";
const ListPrices = Type.Literal(LIST_PRICES, {
  description:
    "The list prices of the provider at this address (`GET /v1/model-prices`), in the version of the running service.",
});
export const pricesOfModels = Type.Optional(
  Type.Unsafe<{ models: Record<string, ModelPrice> } | typeof LIST_PRICES | null>({
    anyOf: [Closed({ models: ModelPrices }), ListPrices, { type: "null" }],
  }),
);
export const pricesOfRequests = Type.Optional(Nullable(Closed({ requestUsd })));
const anyPrices = Closed({ models: Type.Optional(ModelPrices), requestUsd: Type.Optional(requestUsd) });
export const pricesInChanges = Type.Optional(
  Type.Unsafe<Static<typeof anyPrices> | typeof LIST_PRICES | null>({
    anyOf: [anyPrices, ListPrices, { type: "null" }],
  }),
);

/** As they are shown. */
export const ShownPrices = Type.Object({ models: Type.Optional(ModelPrices), requestUsd: Type.Optional(requestUsd) });
