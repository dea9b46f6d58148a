import type { Handlers } from "../../platform/http/handlers.ts";
import { listModelPrices } from "./model-prices.ts";

export const modelPriceRoutes = () =>
  ({ listModelPrices: async () => listModelPrices(new Date()) }) satisfies Partial<Handlers>;
