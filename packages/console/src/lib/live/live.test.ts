import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { RowmillApiError } from "@rowmill/client";
import type { Run, ServerSentEvent } from "@rowmill/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LiveUpdates, changeRun } from "./apply.ts";
import { eventTypesFor, followEvents } from "./connection.ts";
import type { LiveMessage } from "./connection.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

// As much of a run as the updates look at.
const run = (id: string, succeeded = 0, state: Run["state"] = "running"): Run =>
  ({ id, jobSpecId: "spec_1", state, rows: { total: 10, succeeded }, progress: { percent: succeeded * 10 } }) as Run;
const progress = (runId: string, succeeded: number) => ({
  event: "run.progress",
  data: { runId, state: "running", rows: { total: 10, succeeded }, progress: { percent: succeeded * 10 } },
});
const aboutRun = (event: string, id: string) => ({ event, data: { data: { object: "run", id } } });

function watched(readRun = (id: string): Run => run(id, 10, "succeeded")): {
  queries: QueryClient;
  read: (name: string) => number;
  updates: LiveUpdates;
  readRuns: string[];
} {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } });
  const reads = new Map<string, number>();
  const watch = (queryKey: string[], data: unknown): void => {
    const name = queryKey.join(" ");
    const queryFn = (): unknown => {
      reads.set(name, (reads.get(name) ?? 0) + 1);
      return data;
    };
    queries.setQueryData(queryKey, data);
    new QueryObserver(queries, { queryKey, queryFn }).subscribe(() => undefined);
  };
  watch(["runs", "run_a"], run("run_a"));
  watch(["runs", "run_a", "map"], { cells: [] });
  watch(["runs", "run_b", "map"], { cells: [] });
  watch(["runs", "list", "pages"], { pages: [{ data: [run("run_a"), run("run_b")] }], pageParams: [] });
  watch(["runs", "list", "latest"], [run("run_a")]);
  const readRuns: string[] = [];
  const updates = new LiveUpdates(queries, (id) => {
    readRuns.push(id);
    return Promise.resolve(readRun(id));
  });
  return { queries, read: (name) => reads.get(name) ?? 0, updates, readRuns };
}

test("counts are written into every copy of the run, and only what follows them is read again, seldom", async () => {
  const { queries, read, updates } = watched();
  for (let n = 1; n <= 5; n++) {
    updates.apply([progress("run_a", n), progress("run_unknown", n)]);
    await vi.advanceTimersByTimeAsync(200);
  }
  expect(queries.getQueryData<Run>(["runs", "run_a"])?.rows.succeeded).toBe(5);
  expect(queries.getQueryData<Run[]>(["runs", "list", "latest"])?.[0]?.rows.succeeded).toBe(5);
  const pages = queries.getQueryData<{ pages: { data: Run[] }[] }>(["runs", "list", "pages"]);
  expect(pages?.pages[0]?.data.map(({ rows }) => rows.succeeded)).toEqual([5, 0]);
  expect(read("runs run_a map")).toBe(1);
  await vi.advanceTimersByTimeAsync(10_000);
  expect([read("runs run_a map"), read("runs run_b map"), read("runs run_a"), read("runs list latest")]).toEqual([
    2, 0, 0, 0,
  ]);
});

test("what a run costs is read every five seconds while its counts come, and its counts do not go back", async () => {
  const { queries, updates, read, readRuns } = watched((id) => ({ ...run(id, 3), usage: { costUsd: "0.5" } }) as Run);
  for (let n = 0; n <= 10; n++) {
    updates.apply([progress("run_a", Math.min(9, n))]);
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(readRuns).toEqual(["run_a", "run_a"]);
  expect(read("runs list latest")).toBe(2);
  expect(queries.getQueryData<Run>(["runs", "run_a"])).toMatchObject({
    rows: { succeeded: 9 },
    usage: { costUsd: "0.5" },
  });
});

test("a list in sight is not drawn again; its newest page is read beside it, and a run that it shows by itself", async () => {
  const { queries, read, updates, readRuns } = watched();
  updates.apply([aboutRun("run.created", "run_new"), aboutRun("run.finished", "run_b")]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect([read("runs list pages"), read("runs list latest")]).toEqual([0, 1]);
  expect(readRuns).toEqual(["run_b"]);
  const pages = queries.getQueryData<{ pages: { data: Run[] }[] }>(["runs", "list", "pages"]);
  expect(pages?.pages[0]?.data.map(({ state }) => state)).toEqual(["running", "succeeded"]);
});

test("counts that come late do not bring an ended run back", () => {
  const { queries, updates } = watched();
  queries.setQueryData(["runs", "run_a"], run("run_a", 10, "succeeded"));
  updates.apply([progress("run_a", 7)]);
  expect(queries.getQueryData<Run>(["runs", "run_a"])).toMatchObject({ state: "succeeded", rows: { succeeded: 10 } });
});

test("a thousand events are a few reads, and data without the run keeps its identity", async () => {
  const { read, updates } = watched();
  for (let n = 0; n < 1000; n++) updates.apply([aboutRun("run.started", `run_${n}`)]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(read("runs list latest")).toBe(1);
  const pages = { pages: [{ data: [run("run_a")] }] };
  expect(changeRun(pages, "run_b", (other) => ({ ...other }))).toBe(pages);
});

test("a stream reports when it stands, when it breaks off, and what has come, in groups", async () => {
  const sent: LiveMessage[] = [];
  const leaving = new AbortController();
  async function* follow(options: { onConnected?: () => void; onDisconnected?: (error: unknown) => void }) {
    options.onConnected?.();
    for (let n = 0; n < 3; n++) yield { id: String(n), event: "run.created", data: { n } } satisfies ServerSentEvent;
    await new Promise((resolve) => setTimeout(resolve, 1000));
    options.onDisconnected?.(new Error("away"));
    throw new RowmillApiError(401, new Headers(), {}, "The session is over.");
  }
  const ended = followEvents({ follow }, ["run.*"], (message) => sent.push(message), leaving.signal);
  await vi.advanceTimersByTimeAsync(2000);
  await ended;
  expect(sent.map((message) => (message.type === "state" ? message.state : message.events.length))).toEqual([
    "connecting",
    "connected",
    3,
    "connecting",
    "refused",
  ]);
  expect(sent.at(-1)).toMatchObject({ isSignedOut: true });
});

test("a session follows what it may read", () => {
  expect(eventTypesFor(["datasets:read", "results:read"])).toEqual(["dataset.*"]);
  expect(eventTypesFor(["audit:read"])).toEqual([]);
});
