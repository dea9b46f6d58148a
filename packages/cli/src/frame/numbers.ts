/** Numbers for people. */
const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
/** Below it, cents say nothing. */
const SMALL_USD = 0.1;
const LEAST_WITHOUT_EXPONENT = 1e-6;

export const count = (value: number): string => grouped.format(value);

export function usd(value: number | string): string {
  const number = Number(value);
  if (number === 0) return "$0.00";
  if (number >= SMALL_USD) return `$${number.toFixed(2)}`;
  const rounded = Number(number.toPrecision(2));
  // Two digits that say something, also of a sum for which JavaScript would write an exponent.
  return `$${rounded < LEAST_WITHOUT_EXPONENT ? rounded.toFixed(1 - Math.floor(Math.log10(rounded))) : number.toPrecision(2)}`;
}

export function usdRange(low: number, high: number): string {
  const [from, to] = [usd(low), usd(high)];
  return from === to ? from : `${from}–${to.slice(1)}`;
}

/** Below it, a number without a fraction says little. */
const SMALL_RATE = 10;

/** Of slow rows by the minute: a model may need longer than a second for each. */
export function rowRate(rowsPerSecond: number): string {
  if (rowsPerSecond === 0 || rowsPerSecond >= SMALL_RATE) return `${count(rowsPerSecond)} rows/s`;
  if (rowsPerSecond >= 1) return `${rowsPerSecond.toFixed(1)} rows/s`;
  return `${plural(Math.max(1, Math.round(rowsPerSecond * 60)), "row")}/min`;
}

export function duration(seconds: number): string {
  if (seconds < 1) return "1 s";
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

export function durationRange(low: number, high: number): string {
  const [from, to] = [duration(low), duration(high)];
  if (from === to) return from;
  const [fromNumber, fromUnit] = from.split(" ");
  return fromUnit === to.split(" ")[1] ? `${fromNumber}–${to}` : `${from}–${to}`;
}

export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

const MIB = 1024 ** 2;

export const mebibytes = (bytes: number): string => (bytes / MIB).toFixed(1);
