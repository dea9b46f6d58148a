/** Many small runs of many organizations at once: how long each organization waits, and what a request costs meanwhile. */
import { setTimeout as pause } from "node:timers/promises";
import { Rowmill } from "@rowmill/client";
import { quantile } from "../support/measure.ts";
import { createOrganizationKey } from "../support/service.ts";
import { uploadRows } from "../performance/world.ts";
import type { Place } from "./place.ts";

const ROWS_OF_A_RUN = 1_000;
const READ_EVERY_MS = 50;

interface Organization {
  rowmill: Rowmill;
  datasetId: string;
  jobSpecId: string;
}

/** Returns lines of text. */
export async function measureManyRuns(
  { service }: Place,
  { runs, organizations }: { runs: number; organizations: number },
): Promise<string[]> {
  const all: Organization[] = [];
  for (let i = 0; i < organizations; i++) {
    const apiKey = await createOrganizationKey(service.url, `Organization ${i}`);
    all.push(await prepare(new Rowmill({ apiKey, baseUrl: service.url })));
  }
  const runsOfEach = Math.ceil(runs / organizations);
  const reader = watchLatency(all[0]?.rowmill ?? service.rowmill);
  const startedAt = performance.now();
  const ended = await Promise.all(all.map((organization) => runAll(organization, runsOfEach)));
  const took = (performance.now() - startedAt) / 1000;
  const latencies = await reader.stop();
  const waits = ended.map(({ lastEnd, firstCreation }) => (lastEnd - firstCreation) / 1000);
  const rows = organizations * runsOfEach * ROWS_OF_A_RUN;

  const single = await prepare(service.rowmill, rows);
  const aloneAt = performance.now();
  const run = await service.rowmill.runs.create({
    datasetId: single.datasetId,
    jobSpecId: single.jobSpecId,
    scope: { type: "all" },
  });
  await service.rowmill.runs.waitFor(run.id, { timeoutMs: 3_600_000 });
  const alone = (performance.now() - aloneAt) / 1000;

  const s = (value: number): string => `${value.toFixed(1)} s`;
  return [
    "",
    `${organizations * runsOfEach} runs of ${ROWS_OF_A_RUN} rows of ${organizations} organizations at once:`,
    `- all ended after ${s(took)} (${Math.round(rows / took).toLocaleString("en")} rows/s); one run with all of these rows took ${s(alone)}`,
    `- from an organization's first creation to the end of its last run: ${s(quantile(waits, 0))} to ${s(quantile(waits, 1))}, median ${s(quantile(waits, 0.5))}`,
    `- list of runs meanwhile, ${latencies.length} requests: p50 ${quantile(latencies, 0.5).toFixed(0)} ms, p99 ${quantile(latencies, 0.99).toFixed(0)} ms`,
  ];
}

async function prepare(rowmill: Rowmill, rows = ROWS_OF_A_RUN): Promise<Organization> {
  const datasetId = await uploadRows(rowmill, rows);
  const { id: jobSpecId } = await rowmill.jobSpecs.create({ name: "many runs", processor: { type: "mock" } });
  return { rowmill, datasetId, jobSpecId };
}

async function runAll({ rowmill, datasetId, jobSpecId }: Organization, count: number) {
  const created = await Promise.all(
    Array.from({ length: count }, () => rowmill.runs.create({ datasetId, jobSpecId, scope: { type: "all" } })),
  );
  const ended = [];
  for (const { id } of created) ended.push(await rowmill.runs.waitFor(id, { timeoutMs: 3_600_000 }));
  for (const run of ended) if (run.rows.succeeded !== ROWS_OF_A_RUN) throw new Error(`a run ended as ${run.state}`);
  return {
    firstCreation: Math.min(...ended.map((run) => Date.parse(run.createdAt))),
    lastEnd: Math.max(...ended.map((run) => Date.parse(run.finishedAt ?? ""))),
  };
}

function watchLatency(rowmill: Rowmill): { stop(): Promise<number[]> } {
  const samples: number[] = [];
  const end = new AbortController();
  const reading = (async () => {
    while (!end.signal.aborted) {
      const startedAt = performance.now();
      await rowmill.runs.list({ limit: 50 });
      samples.push(performance.now() - startedAt);
      await pause(READ_EVERY_MS);
    }
  })();
  return {
    async stop() {
      end.abort();
      await reading;
      return samples;
    },
  };
}
