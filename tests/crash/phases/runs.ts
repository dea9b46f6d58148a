/** Rows are processed: by a first run, a retry run, and one whose calls cost money. */
import { setTimeout as pause } from "node:timers/promises";
import type { Failure, Output, ResolvedResult } from "@rowmill/contract/run-results";
import type { Run } from "@rowmill/contract/runs";
import { readList } from "../client.ts";
import { BOUND_MS } from "../deployment.ts";
import { compareOnce, until } from "../findings.ts";
import type { Finding } from "../findings.ts";
import { INPUT_TOKENS } from "../outside.ts";
import type { Work } from "../work.ts";
import { endedRun, FAIL_EVERY, newRun, noteRun, PAID_CONCURRENCY, PAID_ROWS, ROWS } from "../crash-world.ts";
import type { World } from "../crash-world.ts";

/** Between two looks of a reader who follows a run. */
const READ_PAUSE_MS = 250;
/**
 * A worker that dies takes with it the calls under way, and those that ended in the tenth of a second before: of each place for a call one
 * and one, since a call takes longer than that (`outside.ts`).
 */
const MOST_REPEATED_CALLS = 2 * PAID_CONCURRENCY;

export function beginRun(world: World): Work {
  const created = newRun(world.client, { datasetId: world.datasetId, jobSpecId: world.mockSpecId });
  return followRun(world, created, async (run, seen) => {
    world.endedRunId = run.id;
    world.unretriedRunId = run.id;
    const failed = Math.floor(ROWS / FAIL_EVERY);
    return [...(await checkRows(world, run, ROWS, failed, seen)), ...checkAttempts(run, ROWS)];
  });
}

export function beginRetry(world: World): Work {
  const parentId = world.unretriedRunId;
  world.unretriedRunId = undefined;
  const created = world.client.request<Run>("POST", `/v1/runs/${parentId}/retry`, {
    body: { selection: { type: "failures" } },
  });
  return followRun(world, created, async (run, seen) => {
    const retried = Math.floor(ROWS / FAIL_EVERY);
    const findings = await checkRows(world, run, retried, 0, seen);
    const results = await readList<ResolvedResult>(world.client, `/v1/runs/${run.id}/resolved-results`);
    findings.push(
      ...compareOnce(
        `resolved rows of ${run.id}`,
        indexes(ROWS),
        results.map(({ index }) => index),
      ),
    );
    for (const { index, resultState } of results)
      if (resultState !== "succeeded")
        findings.push({ kind: "lost", what: `row ${index} of ${run.id} is ${resultState}, and had succeeded` });
    return findings;
  });
}

export function beginPaidRun(world: World): Work {
  const { client, outside } = world;
  outside.calls.clear();
  const paidCalls = (): number => [...outside.calls.values()].reduce((sum, count) => sum + count, 0);
  const repeatedCalls = (): number => paidCalls() - PAID_ROWS;
  const created = newRun(client, { datasetId: world.paidDatasetId, jobSpecId: world.paidSpecId });
  const work = followRun(world, created, async (run, seen, mayRepeatCalls) => {
    const findings = await checkRows(world, run, PAID_ROWS, 0, seen);
    const { requests, inputTokens } = run.usage;
    if (requests > paidCalls())
      findings.push({ kind: "doubled", what: `${run.id} reports ${requests} calls of ${paidCalls()} made` });
    if (requests < PAID_ROWS)
      findings.push({ kind: "lost", what: `${run.id} reports ${requests} calls for ${PAID_ROWS} rows` });
    if (inputTokens !== requests * INPUT_TOKENS)
      findings.push({ kind: "wrong", what: `${run.id} reports ${inputTokens} tokens of ${requests} calls` });
    const most = mayRepeatCalls ? MOST_REPEATED_CALLS : 0;
    if (repeatedCalls() > most)
      findings.push({
        kind: "doubled",
        what: `${repeatedCalls()} calls of ${run.id} were made again, of at most ${most}`,
      });
    return findings;
  });
  return { ...work, repeatedCalls };
}

type Check = (run: Run, seen: ReadonlyMap<number, string>, mayRepeatCalls: boolean) => Promise<Finding[]>;

/** A reader follows the run: what it has seen once must be there at the end. */
function followRun(world: World, created: Promise<Run>, check: Check): Work {
  const { client } = world;
  const seen = new Map<number, string>();
  const follow = async (): Promise<Run> => {
    const { id } = await created;
    const reading = new AbortController();
    const reader = readOn(world, id, seen, reading.signal);
    const run = await endedRun(client, id);
    reading.abort();
    await reader;
    return run;
  };
  const ended = follow();
  return {
    begun: created.then(({ id }) => waitForFirstRows(world, id)),
    ended,
    check: async (mayRepeatCalls) => {
      const run = await ended;
      noteRun(world, run);
      return check(run, seen, mayRepeatCalls);
    },
  };
}

/** A fault before that finds nothing in flight; those of the start are other phases' matter. */
const waitForFirstRows = ({ client }: World, runId: string): Promise<true> =>
  until(`the first rows of ${runId}`, BOUND_MS, async () => {
    const { rows } = await client.request<Run>("GET", `/v1/runs/${runId}`);
    return rows.running > 0 || rows.pending === 0 ? true : undefined;
  });

async function readOn({ client }: World, runId: string, seen: Map<number, string>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const received = await client.attempt("GET", `/v1/runs/${runId}/outputs?limit=1000`);
    if (received?.status === 200)
      for (const output of (JSON.parse(received.text) as { data: Output[] }).data)
        // the contract's shape
        seen.set(output.index, JSON.stringify(output));
    await pause(READ_PAUSE_MS);
  }
}

async function checkRows(
  { client }: World,
  run: Run,
  total: number,
  failed: number,
  seen: ReadonlyMap<number, string>,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const { rows } = run;
  if (rows.total !== total || rows.succeeded !== total - failed || rows.failed !== failed)
    findings.push({
      kind: "wrong",
      what: `${run.id} ended ${run.state} (${JSON.stringify(run.error)}): ${JSON.stringify(rows)}`,
    });
  const outputs = await readList<Output>(client, `/v1/runs/${run.id}/outputs`);
  const failures = await readList<Failure>(client, `/v1/runs/${run.id}/failures`);
  const found = [...outputs, ...failures].map(({ index }) => index);
  const expected = run.retryNumber > 0 ? indexes(ROWS).filter(isFailing) : indexes(total);
  findings.push(...compareOnce(`results of ${run.id}`, expected, found));
  for (const { index, data } of outputs)
    if (!JSON.stringify(data).includes(`row ${index}"`))
      findings.push({
        kind: "wrong",
        what: `row ${index} of ${run.id} has the output of another: ${JSON.stringify(data)}`,
      });
  const byIndex = new Map(outputs.map((output) => [output.index, JSON.stringify(output)]));
  const changed = [...seen].filter(([index, text]) => byIndex.get(index) !== text);
  if (changed.length > 0)
    findings.push({
      kind: "lost",
      what: `${changed.length} results of ${run.id} were seen and are gone: ${changed[0]?.[1]}`,
    });
  return findings;
}

/** In the mock processor every row takes one attempt; those of a dead worker were not recorded. */
const checkAttempts = ({ id, usage }: Run, expected: number): Finding[] =>
  usage.attempts === expected
    ? []
    : [{ kind: "doubled", what: `${id} counts ${usage.attempts} attempts at ${expected} rows` }];

const isFailing = (index: number): boolean => (index + 1) % FAIL_EVERY === 0;
const indexes = (count: number): number[] => Array.from({ length: count }, (_unused, n) => n);
