/** Everything that the list of runs shows is in its address: filters, columns, order, how far it was read. */
import { serviceNow } from "../../lib/clock.ts";
import type { Body, ListQuery, Run } from "@rowmill/client";
import { ANY, NUMBER, someOf } from "../../lib/address.ts";
import { titleOf } from "../../lib/names.ts";

export interface RunsSearch {
  state?: string;
  name?: string;
  datasetId?: string;
  jobSpecId?: string;
  /** The key that has started them. */
  apiKeyId?: string;
  /** A span of time up to now, as in `SINCE`. */
  since?: string;
  /** A column, with `-` before it for the other direction. */
  sort?: string;
  /** Names of columns, separated by commas. */
  columns?: string;
  /** Pages that were read. */
  pages?: string;
  /** The bulk action that is shown. */
  bulk?: string;
}
export const STATES = {
  "": "All states",
  "running,queued,canceling": "In progress",
  paused: "Paused",
  "partially_succeeded,failed": "With failures",
  succeeded: "Succeeded",
  "canceled,expired": "Canceled",
} as const;

const RUN_STATES = Object.keys(STATES).flatMap((states) => (states === "" ? [] : states.split(",")));
const SORTABLE = ["name", "rows", "failed", "cost", "duration", "created"];

const HOUR_MS = 3_600_000;
export const SINCE: Readonly<Record<string, { label: string; ms: number }>> = {
  "1h": { label: "Last hour", ms: HOUR_MS },
  "1d": { label: "Last 24 hours", ms: 24 * HOUR_MS },
  "7d": { label: "Last 7 days", ms: 7 * 24 * HOUR_MS },
  "30d": { label: "Last 30 days", ms: 30 * 24 * HOUR_MS },
};

export const RUNS_SEARCH = {
  state: someOf(RUN_STATES),
  name: ANY,
  datasetId: ANY,
  jobSpecId: ANY,
  apiKeyId: ANY,
  since: Object.keys(SINCE),
  sort: new RegExp(`^-?(${SORTABLE.join("|")})$`),
  columns: someOf(["state", "by", ...SORTABLE]),
  pages: NUMBER,
  bulk: ANY,
} as const satisfies Record<keyof RunsSearch, unknown>;

export type RunsFilter = NonNullable<Body<"createBulkAction">["filter"]>;

/** The filter as the list and bulk actions have it. `now` is fixed while a screen is shown: a page must not move under its cursor. */
export function filterOf(search: RunsSearch, now: number): RunsFilter {
  const since = SINCE[search.since ?? ""];
  return {
    ...(search.state !== undefined && { state: search.state.split(",") as Run["state"][] }),
    ...(search.name !== undefined && { name: search.name }),
    ...(search.datasetId !== undefined && { datasetId: search.datasetId }),
    ...(search.jobSpecId !== undefined && { jobSpecId: search.jobSpecId }),
    ...(search.apiKeyId !== undefined && { apiKeyId: search.apiKeyId }),
    ...(since !== undefined && { createdAfter: new Date(now - since.ms).toISOString() }),
  };
}

export const listQueryOf = (filter: RunsFilter): ListQuery<"listRuns", { state: Run["state"] }> => {
  const { state, name, datasetId, jobSpecId, apiKeyId, createdAfter } = filter;
  return { state, name, datasetId, jobSpecId, apiKeyId, createdAfter };
};

type NameOf = (id: string) => string | undefined;
const value = {
  name: (run: Run, nameOf: NameOf) => titleOf(run, nameOf).toLowerCase(),
  rows: (run: Run) => run.rows.total,
  failed: (run: Run) => run.rows.failed,
  cost: (run: Run) => Number(run.usage.costUsd ?? -1),
  duration: (run: Run) => durationOf(run) ?? -1,
  created: (run: Run) => run.createdAt,
} as const;
export type SortColumn = keyof typeof value;

/** The order of the service is newest first; another one is made among the runs that were read. */
export function sorted(runs: readonly Run[], sort: string | undefined, nameOf: NameOf): readonly Run[] {
  if (sort === undefined) return runs;
  const isReverse = sort.startsWith("-");
  const by = value[sort.replace("-", "") as SortColumn];
  if (by === undefined) return runs;
  return runs.toSorted((a, b) => {
    const [x, y] = [by(a, nameOf), by(b, nameOf)];
    return (x < y ? -1 : x > y ? 1 : 0) * (isReverse ? -1 : 1);
  });
}

/** Seconds from the start to the end, or to now. */
export function durationOf(run: Pick<Run, "startedAt" | "finishedAt">, now = serviceNow()): number | undefined {
  if (run.startedAt === null) return undefined;
  const end = run.finishedAt === null ? now : new Date(run.finishedAt).getTime();
  return Math.max(0, (end - new Date(run.startedAt).getTime()) / 1000);
}
