/** The table of a campaign: a line for each fault and phase. */
import type { Deployment } from "./deployment.ts";
import { findingKinds } from "./findings.ts";
import type { Trial } from "./trial.ts";

export function printTable(trials: readonly Trial[]): void {
  const lines = [
    ["fault", "phases", "trials", ...findingKinds, "slowest recovery", "slowest takeover", "most calls repeated"],
  ];
  for (const fault of new Set(trials.map((trial) => trial.fault))) {
    const own = trials.filter((trial) => trial.fault === fault);
    const takeovers = own.flatMap(({ takeoverMs }) => takeoverMs ?? []);
    const repeated = own.flatMap(({ repeatedCalls }) => repeatedCalls ?? []);
    lines.push([
      fault,
      [...new Set(own.map(({ phase }) => phase))].toSorted().join(" "),
      String(own.length),
      ...findingKinds.map((kind) =>
        String(own.flatMap((trial) => trial.findings).filter((one) => one.kind === kind).length),
      ),
      seconds(Math.max(...own.map(({ recoveryMs }) => recoveryMs))),
      takeovers.length === 0 ? "" : seconds(Math.max(...takeovers)),
      repeated.length === 0 ? "" : String(Math.max(...repeated)),
    ]);
  }
  const widths = (lines[0] ?? []).map((_head, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  for (const line of lines)
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
}

const LINES_SHOWN = 25;

export function printLogs({ members }: Deployment): void {
  for (const { process } of members) console.log(`-- ${process.name}\n${process.log().slice(-LINES_SHOWN).join("\n")}`);
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
