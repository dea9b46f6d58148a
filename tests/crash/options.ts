/** The command line of `npm run test:crash`. */
import { parseArgs } from "node:util";
import { brokenBuildNames } from "./broken-builds.ts";
import type { BrokenBuildName } from "./broken-builds.ts";
import { shapes } from "./deployment.ts";
import type { Shape } from "./deployment.ts";
import { faultNames } from "./faults.ts";
import type { FaultName } from "./faults.ts";
import { phaseNames } from "./phases.ts";
import type { PhaseName } from "./phases.ts";
import { startNames } from "./starts.ts";
import type { StartName } from "./starts.ts";

export interface Options {
  seed: number;
  trials: number;
  faults: readonly FaultName[];
  phases: readonly (PhaseName | StartName)[];
  shapes: readonly Shape[];
  awaySeconds: number;
  /** A few trials of different kinds, for every run of the tests. */
  isShort: boolean;
  /** A JSON line for each trial is appended here. */
  output: string | undefined;
  /** Files that such campaigns have written: their trials are one table, and nothing is tried. */
  report: readonly string[];
  /** A build that is broken on purpose, in place of the real one. */
  broken: BrokenBuildName | undefined;
}

const DEFAULT_TRIALS = 50;
/** A cluster needs Citus. */
const DEFAULT_SHAPES: readonly Shape[] = ["many", "single"];
/** The service's own timeouts allow any length: a request that waits for a connection gets a 503 after eight seconds. */
const DEFAULT_AWAY_SECONDS = 60;

export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: "string" },
      trials: { type: "string" },
      faults: { type: "string" },
      phases: { type: "string" },
      shapes: { type: "string" },
      "away-seconds": { type: "string" },
      output: { type: "string" },
      report: { type: "string", multiple: true },
      broken: { type: "string" },
      short: { type: "boolean" },
    },
  });
  return {
    seed: readNumber("seed", values.seed, Date.now() % 2 ** 31),
    trials: readNumber("trials", values.trials, DEFAULT_TRIALS),
    faults: readNames("faults", values.faults, faultNames),
    phases: readNames("phases", values.phases, [...phaseNames, ...startNames]),
    shapes: values.shapes === undefined ? DEFAULT_SHAPES : readNames("shapes", values.shapes, shapes),
    awaySeconds: readNumber("away-seconds", values["away-seconds"], DEFAULT_AWAY_SECONDS),
    isShort: values.short ?? false,
    output: values.output,
    report: values.report ?? [],
    broken: values.broken === undefined ? undefined : readNames("broken", values.broken, brokenBuildNames)[0],
  };
}

function readNumber(name: string, text: string | undefined, fallback: number): number {
  const number = Number(text ?? fallback);
  if (!Number.isInteger(number) || number < 0) throw new Error(`--${name} must be a number from 0 on, not "${text}"`);
  return number;
}

function readNames<T extends string>(option: string, text: string | undefined, known: readonly T[]): readonly T[] {
  if (text === undefined) return known;
  return text.split(",").map((word) => {
    const name = known.find((one) => one === word);
    if (name === undefined) throw new Error(`--${option}: there is no "${word}"; there are ${known.join(", ")}`);
    return name;
  });
}
