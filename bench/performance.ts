/**
 * The table of `docs/performance.md`, in one command: runs, requests, files, workers and what a run leaves, each in turns with
 * what it is compared with on the same machine, medians of five rounds.
 *
 *     npm run bench -- [--write docs/performance.md] [--rows 10000000] [--database URL] [--short] [--parts runs,exports,…] [--rounds 5]
 *
 * `--write` writes the page and prints the lines for the README. `--rows` adds a run of so many rows. `--database` uses that
 * PostgreSQL (a superuser, an empty database) in place of an embedded one. `--short` is a look of a minute; the whole takes about twenty.
 * `--parts` are those parts alone, `--rounds` how often each is measured.
 */
import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startEmbeddedDatabase } from "@rowmill/server/platform/database/embedded/embedded-database";
import { measureExports, measureIntake } from "./performance/files.ts";
import { describePage, describeReadmeLines } from "./performance/page.ts";
import { measureProfile } from "./performance/profile.ts";
import { measureDeletion, measureRequests } from "./performance/requests.ts";
import { measureRuns } from "./performance/run-times.ts";
import { createTable, describeMachine } from "./performance/table.ts";
import type { Table } from "./performance/table.ts";
import { measureWorkers } from "./performance/workers.ts";
import { readPostgresPid } from "./performance/world.ts";
import type { Sizes, World } from "./performance/world.ts";
import { withClient } from "./support/plain-table.ts";
import { startBenchService } from "./support/service.ts";
import { makeGuardedFolder } from "./support/guarded-folder.ts";

const { values: options } = parseArgs({
  options: {
    write: { type: "string" },
    rows: { type: "string" },
    database: { type: "string" },
    short: { type: "boolean", default: false },
    parts: { type: "string" },
    rounds: { type: "string" },
  },
});

const short: Sizes = {
  runs: [5_000],
  peerRows: 5_000,
  // Once is enough to see that each of them can still be measured.
  peersOf: ["mock"],
  singleRows: 50,
  rounds: 1,
  largeRounds: 1,
  requests: 10,
};
const whole: Sizes = {
  runs: [20_000, 200_000, 1_000_000],
  peerRows: 200_000,
  peersOf: ["mock", "transform"],
  singleRows: 500,
  rounds: 5,
  largeRounds: 3,
  requests: 100,
};
const sizes = options.short ? short : whole;
if (options.rounds !== undefined) {
  sizes.rounds = Number(options.rounds);
  sizes.largeRounds = Math.min(sizes.largeRounds, sizes.rounds);
}
if (options.rows !== undefined) sizes.runs = [...sizes.runs, Number(options.rows)];

/** Of the run whose pages are read, and that is deleted. */
const MOST_ROWS_READ = 1_000_000;

/** The last two end the service and start others. */
const measures: Record<string, (table: Table, rows: number) => Promise<void>> = {
  runs: (table) => measureRuns(world, table),
  exports: (table) => measureExports(world, table, sizes.peerRows),
  requests: (table, rows) => measureRequests(world, table, rows),
  intake: (table) => measureIntake(world, table, sizes.peerRows),
  deletion: (table, rows) => measureDeletion(world, table, rows),
  workers: (table) => measureWorkers(world, table, { waiting: sizes.peerRows * 0.075, computing: sizes.peerRows }),
  profile: (table) => measureProfile(world, table, sizes.peerRows),
};
const shortParts = ["runs", "exports", "requests"];

const startedAt = performance.now();
const folder = makeGuardedFolder("rowmill-bench-");
const dataDirectory = join(folder, "postgres");
const database = options.database === undefined ? await startEmbeddedDatabase({ dataDirectory }) : undefined;
const connectionString = options.database ?? database?.connectionString ?? "";
const settings = {
  ROWMILL_DATA_DIR: join(folder, "data"),
  ROWMILL_DATABASE_URL: connectionString,
  ROWMILL_RATE_LIMIT_PER_MINUTE: "0",
};
const world: World = {
  folder,
  connectionString,
  postgresPid: database === undefined ? undefined : readPostgresPid(dataDirectory),
  settings,
  sizes,
  service: await startBenchService(settings),
};
try {
  const postgres = await withClient(connectionString, async (client) => {
    const { rows } = await client.query<{ version: string }>("select split_part(version(), ' on ', 1) as version");
    return `${rows[0]?.version ?? ""} (${database === undefined ? "external" : "embedded"})`;
  });
  const machine = describeMachine(postgres);
  console.log(machine);
  const table = createTable((line) => console.log(line), { hasGoals: !options.short });
  const parts = options.parts?.split(",") ?? (options.short ? shortParts : Object.keys(measures));
  const some = sizes.runs.filter((rows) => rows <= MOST_ROWS_READ).at(-1) ?? 0;
  for (const part of parts) {
    const measure = measures[part];
    if (measure === undefined) throw new Error(`there is no part "${part}": ${Object.keys(measures).join(", ")}`);
    await measure(table, some);
  }
  const minutes = (performance.now() - startedAt) / 60_000;
  console.log(`\nIt took ${minutes.toFixed(1)} minutes.`);
  if (options.write !== undefined) {
    const page = describePage(machine, table.toMarkdown(), minutes, process.argv.slice(2).join(" "));
    await writeFile(options.write, page + (await readOtherParts(options.write)));
    console.log(`\nWritten to ${options.write}. For the README:\n\n${describeReadmeLines(table.rows(), machine)}`);
  }
} catch (error) {
  // Reported before the database stops under whatever is still connected.
  console.error(error);
  process.exitCode = 1;
} finally {
  await world.service.stop();
  await database?.stop();
  await rm(folder, { recursive: true, force: true });
}
/** The parts of the page behind the table: what the time goes to, and what `npm run bench console` measures. */
async function readOtherParts(path: string): Promise<string> {
  const page = existsSync(path) ? await readFile(path, "utf8") : "";
  const at = page.indexOf("\n## ", page.indexOf("\n## Results") + 1);
  return at === -1 ? "" : page.slice(at);
}

// What a part that failed has started must not keep the process.
process.exit();
