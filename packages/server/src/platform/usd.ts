/** Money as integers: a price per token has up to twelve places, and sums over a hundred million rows must stay exact. */
const PLACES = 12;

/** 10⁻¹² US dollars. */
export type PicoUsd = bigint;

/** `decimal` as the contract writes money: digits, perhaps a point and up to twelve digits; more are cut off. */
export function parseUsd(decimal: string): PicoUsd {
  const [whole = "0", fraction = ""] = decimal.split(".");
  return BigInt(whole + fraction.padEnd(PLACES, "0").slice(0, PLACES));
}

/** Without zeros at the end. */
export function formatUsd(amount: PicoUsd): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(PLACES + 1, "0");
  const text = `${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`.replace(/\.?0+$/, "");
  return amount < 0n ? `-${text}` : text;
}

/**
 * As the API shows sums: six places, and more only where they are not zero. PostgreSQL keeps the places of the longest addend, so equal
 * sums come with different zeros at the end. `decimal` has no float in between.
 */
export function showUsd(decimal: string): string {
  const [whole = "0", fraction = ""] = decimal.split(".");
  return `${whole}.${fraction.replace(/0+$/, "").padEnd(6, "0")}`;
}

export const addUsd = (a: string, b: string): string => formatUsd(parseUsd(a) + parseUsd(b));
