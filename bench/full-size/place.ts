/** Where the steps are measured: a service, its database, and what both take of the machine. */
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "pg";
import { processTree } from "../support/processes.ts";
import type { BenchService } from "../support/service.ts";

export interface Place {
  /** For the files of the benchmark. */
  folder: string;
  /** The service's own data directory. */
  storeFolder: string;
  connectionString: string;
  postgresPid: number;
  service: BenchService;
}

export interface Step {
  what: string;
  seconds: number;
  /** The most that the processes of the service and of the database had at the same time, shared pages counted once. */
  peakServiceBytes: number;
  peakDatabaseBytes: number;
  /** What the step left in the database and in the store. */
  databaseBytes: number;
  storeBytes: number;
}

const LOOK_EVERY_MS = 250;

export async function measureStep(
  place: Place,
  client: Client,
  what: string,
  work: () => Promise<unknown>,
): Promise<Step> {
  const before = await sizesOf(place, client);
  const peak = { service: 0, database: 0 };
  const look = (): void => {
    peak.service = Math.max(peak.service, memoryOfTree(place.service.pid));
    peak.database = Math.max(peak.database, memoryOfTree(place.postgresPid));
  };
  look();
  const timer = setInterval(look, LOOK_EVERY_MS);
  const startedAt = performance.now();
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const after = await sizesOf(place, client);
  console.log(`${what}: ${seconds.toFixed(1)} s`);
  return {
    what,
    seconds,
    peakServiceBytes: peak.service,
    peakDatabaseBytes: peak.database,
    databaseBytes: after.database - before.database,
    storeBytes: after.store - before.store,
  };
}

export async function sizesOf(place: Place, client: Client): Promise<{ database: number; store: number }> {
  const { rows } = await client.query<{ bytes: number }>(
    "select pg_database_size(current_database())::float8 as bytes",
  );
  return { database: rows[0]?.bytes ?? 0, store: bytesBelow(place.storeFolder) };
}

function bytesBelow(folder: string): number {
  if (!existsSync(folder)) return 0;
  let sum = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    // A file that the service deletes at this moment counts nothing.
    if (entry.isFile()) sum += statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0;
  }
  return sum;
}

/** Proportional set size of a process and its descendants (Linux). */
function memoryOfTree(root: number): number {
  let sum = 0;
  for (const pid of processTree(root)) {
    try {
      const kilobytes = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1];
      sum += Number(kilobytes ?? 0) * 1024;
    } catch {
      // It has ended meanwhile.
    }
  }
  return sum;
}
