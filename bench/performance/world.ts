/** What the parts of the benchmark share: one PostgreSQL, one service process on it, and how runs are made and timed. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Rowmill, Run } from "@rowmill/client";
import type { BenchService } from "../support/service.ts";
import { benchRow } from "../support/rows.ts";

export interface Sizes {
  /** Rows of the runs, small to large. Peers are measured up to `peerRows`. */
  runs: number[];
  peerRows: number;
  /** Processors of the runs that are compared with peers. */
  peersOf: readonly ("mock" | "transform")[];
  /** A job at a time takes so long that fewer rows show its rate. */
  singleRows: number;
  rounds: number;
  /** Of runs of a million rows and more. */
  largeRounds: number;
  /** Requests of one kind. */
  requests: number;
}

export interface World {
  folder: string;
  connectionString: string;
  /** Of the database's main process; undefined: it runs elsewhere. */
  postgresPid: number | undefined;
  service: BenchService;
  settings: Record<string, string>;
  sizes: Sizes;
}

export async function uploadRows(rowmill: Rowmill, count: number, row: (id: number) => object = benchRow) {
  const ROWS_PER_PIECE = 500;
  async function* lines(): AsyncGenerator<Uint8Array> {
    for (let id = 0; id < count; id += ROWS_PER_PIECE) {
      let text = "";
      for (let i = id; i < Math.min(count, id + ROWS_PER_PIECE); i++) text += `${JSON.stringify(row(i))}\n`;
      yield Buffer.from(text);
    }
  }
  return (await rowmill.datasets.upload({ name: `${count} rows`, format: "jsonl", content: lines() })).id;
}

export async function finishedRun(
  rowmill: Rowmill,
  datasetId: string,
  jobSpecId: string,
  count: number,
  more: { concurrency?: number } = {},
): Promise<Run> {
  const created = await rowmill.runs.create({ datasetId, jobSpecId, scope: { type: "limit", count }, ...more });
  const ended = await rowmill.runs.waitFor(created.id, { timeoutMs: 3_600_000 });
  if (ended.state !== "succeeded" || ended.rows.succeeded !== count) throw new Error(`the run ended as ${ended.state}`);
  return ended;
}

/** From its creation to its end, by the service's own times. */
export const secondsOf = (run: Run): number => (Date.parse(run.finishedAt ?? "") - Date.parse(run.createdAt)) / 1000;

export const readPostgresPid = (dataDirectory: string): number =>
  Number(readFileSync(join(dataDirectory, "cluster", "pgdata", "postmaster.pid"), "utf8").split("\n")[0]);
