/** How runs look in tables. */
import type { Run } from "@rowmill/client";
import { count, usd } from "../frame/numbers.ts";
import type { Column } from "../frame/lists.ts";
import { ago } from "../frame/lists.ts";

export const costOf = ({ usage }: Pick<Run, "usage">): string =>
  usage.requests === 0 ? "" : usage.costUsd === null ? "?" : usd(usage.costUsd);

/** `starterOf`: where the runs are of several keys. */
export const runColumns = (starterOf: ((run: Run) => string | null) | undefined): readonly Column<Run>[] => [
  ["run", ({ id }) => id],
  ["state", ({ state }) => state],
  ["rows", ({ rows }) => count(rows.total)],
  ["failed", ({ rows }) => (rows.failed === 0 ? "" : count(rows.failed))],
  ["cost", costOf],
  ["started", ({ createdAt }) => ago(createdAt)],
  ...(starterOf === undefined ? [] : [["started by", starterOf] as const]),
  ["name", ({ name }) => name],
];
