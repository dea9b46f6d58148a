/**
 * Watches a run to its end, or until it waits for somebody, or until Ctrl-C: that one leaves the run and says how to come back before
 * anything else, since the next one ends the process at once.
 */
import type { FailureGroup, RequestOptions, Rowmill, Run, RunMap } from "@rowmill/client";
import { isTerminal } from "@rowmill/client";
import { setTimeout as pause } from "node:timers/promises";
import type { Cli } from "../frame/command.ts";
import { Interrupted } from "../frame/problem.ts";
import { watchSlowedCalls } from "./slowed-calls.ts";
import { finished, showProgress } from "./progress.ts";
import { createSilenceReport } from "./silence.ts";

/** A person sees a bar that moves; the service responds to thousands of such requests a second. */
const LOOK_INTERVAL_MS = 250;
/** Groups are a sum over all failures. */
const FAILURES_INTERVAL_MS = 3_000;
/** The map is a sum over all chunks. */
const MAP_INTERVAL_MS = 1_000;

/**
 * A run of hours outlives a restart of the service, and so does who watches it: the pauses between so many attempts, of which half is
 * random, come to a minute at least.
 */
const MAX_RETRIES_OF_A_LOOK = 24;

export type Followed =
  | { outcome: "ended" | "paused"; run: Run; failures: readonly FailureGroup[] }
  | { outcome: "detached"; run: Run };

export async function followRun(
  cli: Cli,
  rowmill: Rowmill,
  started: Run,
  gone: Promise<never>,
  onDetached: (run: Run) => void,
): Promise<Followed> {
  const progress = await showProgress(cli);
  let isDetached = false;
  const wake = new AbortController();
  // One listener, however often the run is read: each race with a promise that stays pending would keep its run in memory.
  const lost = new AbortController();
  const request = { signal: lost.signal, maxRetries: MAX_RETRIES_OF_A_LOOK };
  gone.catch((error: unknown) => {
    lost.abort(error);
    wake.abort();
  });
  let run = started;
  const releaseInterrupt = cli.onInterrupt(() => {
    isDetached = true;
    progress.stop();
    onDetached(run);
    // A service that does not respond must not keep a person who wants to leave.
    lost.abort(new Interrupted());
    wake.abort();
  });
  const sums = createSums(rowmill, progress.cellsOf, request);
  const slowedCalls = watchSlowedCalls(rowmill);
  const reportSilence = createSilenceReport(rowmill, slowedCalls.current);
  try {
    for (;;) {
      if (isDetached) return { outcome: "detached", run };
      run = await rowmill.runs.get(run.id, request);
      const { failures, map } = await sums.read(run);
      if (isDetached) return { outcome: "detached", run };
      progress.update(run, { failures, map, slowed: slowedCalls.current() });
      void slowedCalls.look(run, request);
      // Not awaited here: a server that does not respond to the test must not keep the bar from moving.
      void reportSilence(run, finished(run), request).then((reason) => {
        if (reason !== undefined && !lost.signal.aborted) progress.say(reason);
      });
      // A run that is to pause still has rows in flight, whose results are not yet counted.
      const isPaused = run.state === "paused" && run.rows.running === 0;
      if (isTerminal(run) || isPaused)
        return { outcome: isTerminal(run) ? "ended" : "paused", run, failures: await sums.readFailures(run) };
      await pause(LOOK_INTERVAL_MS, undefined, { signal: wake.signal }).catch(() => undefined);
    }
  } catch (error) {
    if (isDetached) return { outcome: "detached", run };
    throw error;
  } finally {
    if (!isDetached) progress.stop();
    releaseInterrupt();
    // A test of the connection that is still under way would keep the process alive.
    lost.abort(new Interrupted());
  }
}

/** What is summed over all of a run, which is read at longer intervals than its state. */
function createSums(rowmill: Rowmill, cellsOf: (run: Run) => number | undefined, request: RequestOptions) {
  let failures: readonly FailureGroup[] = [];
  let failuresAt = 0;
  let mapAt = 0;
  async function readFailures(run: Run): Promise<readonly FailureGroup[]> {
    if (run.rows.failed > 0) failures = (await rowmill.runs.failureGroups(run.id, undefined, request)).data;
    return failures;
  }
  return {
    readFailures,
    /** The failures that were read last, and a map where it is time for one. */
    async read(run: Run): Promise<{ failures: readonly FailureGroup[]; map: RunMap | undefined }> {
      if (Date.now() >= failuresAt) {
        await readFailures(run);
        failuresAt = Date.now() + FAILURES_INTERVAL_MS;
      }
      const cells = Date.now() >= mapAt ? cellsOf(run) : undefined;
      if (cells !== undefined) mapAt = Date.now() + MAP_INTERVAL_MS;
      const map = cells === undefined ? undefined : await rowmill.runs.map(run.id, { cells }, request);
      return { failures, map };
    },
  };
}
