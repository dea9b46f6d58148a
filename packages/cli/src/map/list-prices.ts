/** Prices of the list that the service has, for providers at their own addresses. */
import type { Connection, Rowmill } from "@rowmill/client";
import { plural } from "../frame/numbers.ts";

export async function isListed(
  rowmill: Pick<Rowmill, "modelPrices">,
  { type, baseUrl }: Pick<Connection, "type" | "baseUrl">,
  signal: AbortSignal,
): Promise<boolean> {
  const { providers } = await rowmill.modelPrices({ signal });
  const { hostname } = new URL(baseUrl);
  return providers.some(({ host, connectionType }) => host === hostname && connectionType === type);
}

/** Beside a price that a person is to agree to. */
export const describePriceList = ({ asOf, ageDays }: NonNullable<Connection["priceList"]>): string =>
  `Prices are those of the list of ${asOf}, ${plural(ageDays, "day")} old: compare them with your provider's, or give yours with --price IN/OUT.`;

/** Beside a price of zero that nobody gave. */
export const describeAssumption = (model = "the model"): string =>
  `The price of ${model} is not known: it counts as zero, since its address is on this machine. --price IN/OUT gives another.`;
