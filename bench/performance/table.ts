/** What was measured, as a table of Markdown: medians with their spread, beside the goals. */
import { execFileSync } from "node:child_process";
import { cpus, loadavg, totalmem } from "node:os";
import { quantile } from "../support/measure.ts";

export interface Measured {
  what: string;
  samples: readonly number[];
  show: (value: number) => string;
  /** The bound that the median should keep. */
  goal?: { least: number } | { most: number };
}

export interface Table {
  section(title: string, note?: string): void;
  add(row: Measured): void;
  /** What could not be measured, and why. */
  skip(what: string, why: string): void;
  toMarkdown(): string;
  rows(): readonly MeasuredRow[];
}

export interface MeasuredRow {
  section: string;
  what: string;
  median: string;
  spread: string;
}

export const times = (value: number): string => `× ${value.toFixed(value < 10 ? 2 : 0)}`;
export const milliseconds = (value: number): string => `${value.toFixed(1)} ms`;
export const seconds = (value: number): string => `${value.toFixed(2)} s`;
export const perSecond = (value: number): string => `${Math.round(value).toLocaleString("en")}/s`;
export const bytes = (value: number): string => `${Math.round(value).toLocaleString("en")} B`;
export const percent = (share: number): string => `${Math.round(share * 100)} %`;
export const microseconds = (value: number): string => `${value.toFixed(1)} µs`;

/** Each row is printed as it is measured, since the whole takes minutes. */
export function createTable(print: (line: string) => void, { hasGoals }: { hasGoals: boolean }): Table {
  const lines: string[] = [];
  const skipped: string[] = [];
  const rows: MeasuredRow[] = [];
  let section = "";
  const emit = (line: string): void => {
    lines.push(line);
    print(line);
  };
  return {
    section(title, note) {
      section = title;
      for (const line of ["", `### ${title}`, "", ...(note === undefined ? [] : [note, ""])]) emit(line);
      emit("| measured | median | lowest – highest | rounds | goal |");
      emit("|---|---|---|---|---|");
    },
    add({ what, samples, show, goal }) {
      const median = quantile(samples, 0.5);
      const spread = `${show(quantile(samples, 0))} – ${show(quantile(samples, 1))}`;
      rows.push({ section, what, median: show(median), spread });
      emit(
        `| ${what} | **${show(median)}** | ${spread} | ${samples.length} | ${describeGoal(median, show, hasGoals ? goal : undefined)} |`,
      );
    },
    skip(what, why) {
      skipped.push(`- ${what}: ${why}`);
      print(`| ${what} | not measured: ${why} | | | |`);
    },
    rows: () => rows,
    toMarkdown: () => [...lines, ...(skipped.length === 0 ? [] : ["", "Not measured:", "", ...skipped])].join("\n"),
  };
}

function describeGoal(median: number, show: (value: number) => string, goal: Measured["goal"]): string {
  if (goal === undefined) return "";
  const [isMet, bound] =
    "least" in goal ? [median >= goal.least, `≥ ${show(goal.least)}`] : [median <= goal.most, `≤ ${show(goal.most)}`];
  return `${bound}: ${isMet ? "met" : "missed"}`;
}

/** Date, machine, versions and load, without names. */
export function describeMachine(postgres: string): string {
  const model = cpus()[0]?.model.trim() ?? "processor unknown";
  const load = loadavg()
    .map((value) => value.toFixed(1))
    .join(", ");
  return [
    `- Date: ${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC`,
    `- Machine: ${cpus().length} × ${model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${execFileSync("uname", ["-r"], { encoding: "utf8" }).trim()}`,
    `- Load average at the start (1, 5, 15 minutes): ${load}`,
    `- Node ${process.version}, ${postgres}`,
  ].join("\n");
}
