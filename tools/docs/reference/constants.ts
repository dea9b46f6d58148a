/** Values of named constants, read from the sources: a limit in the reference is the one that holds. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../pages.ts";

/** `path` is from `packages/`. Products, powers and shifts of integers, as our constants are written. */
export function constantOf(path: string, name: string): number {
  const source = readFileSync(join(ROOT, "packages", path), "utf8");
  const expression = new RegExp(`^(?:export )?const ${name} = ([\\d_ *<]+);$`, "m").exec(source)?.[1];
  if (expression === undefined) throw new Error(`packages/${path} has no constant ${name}`);
  return evaluate(expression.replaceAll("_", "").trim());
}

function evaluate(expression: string): number {
  const [base = "", shift] = expression.split("<<");
  const product = base
    .replaceAll("**", "^")
    .split("*")
    .map((factor) => {
      const [root = "", power] = factor.split("^");
      return Number(root) ** (power === undefined ? 1 : Number(power));
    })
    .reduce((all, factor) => all * factor, 1);
  const value = product * 2 ** Number(shift ?? 0);
  if (!Number.isSafeInteger(value)) throw new Error(`${expression} is not an integer`);
  return value;
}

const UNITS = [
  { name: "TiB", bytes: 2 ** 40 },
  { name: "GiB", bytes: 2 ** 30 },
  { name: "MiB", bytes: 2 ** 20 },
  { name: "KiB", bytes: 2 ** 10 },
];

export function inBytes(bytes: number): string {
  const unit = UNITS.find((candidate) => bytes >= candidate.bytes && bytes % candidate.bytes === 0);
  return unit === undefined
    ? `${bytes.toLocaleString("en")} bytes`
    : `${(bytes / unit.bytes).toLocaleString("en")} ${unit.name}`;
}

const TIMES = [
  { name: "day", seconds: 86_400 },
  { name: "hour", seconds: 3_600 },
  { name: "minute", seconds: 60 },
  { name: "second", seconds: 1 },
];

export function inTime(seconds: number): string {
  const unit = TIMES.find((candidate) => seconds >= candidate.seconds && seconds % candidate.seconds === 0);
  if (unit === undefined) return `${seconds} seconds`;
  const count = seconds / unit.seconds;
  return `${count.toLocaleString("en")} ${unit.name}${count === 1 ? "" : "s"}`;
}
