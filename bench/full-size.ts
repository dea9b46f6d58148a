/**
 * The whole way of a large dataset, once: upload in three formats, a run, a retry run of the hundredth that failed, the export of
 * the resolved results, and the deletion of all of it while a transaction of somebody else stays open. Each step is done
 * first with few rows, so that its cost for a row can be compared. Then many small runs of many organizations at once.
 *
 *     npm run bench full-size -- [--rows 10000000] [--few 100000] [--runs 1000] [--organizations 50] [--parts way,runs]
 *
 * Ten million rows need about 30 GB of disk and 15 minutes.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startEmbeddedDatabase } from "@rowmill/server/platform/database/embedded/embedded-database";
import { measureManyRuns } from "./full-size/many-runs.ts";
import { describeWays, goTheWay } from "./full-size/way.ts";
import type { Way } from "./full-size/way.ts";
import { describeMachine } from "./performance/table.ts";
import { readPostgresPid } from "./performance/world.ts";
import { startBenchService } from "./support/service.ts";
import { makeGuardedFolder } from "./support/guarded-folder.ts";

const { values: options } = parseArgs({
  options: {
    rows: { type: "string", default: "10000000" },
    few: { type: "string", default: "100000" },
    runs: { type: "string", default: "1000" },
    organizations: { type: "string", default: "50" },
    parts: { type: "string", default: "way,runs" },
  },
});
const parts = options.parts.split(",");

const folder = makeGuardedFolder("rowmill-bench-full-size-");
const dataDirectory = join(folder, "postgres");
const database = await startEmbeddedDatabase({ dataDirectory });
try {
  const service = await startBenchService({
    ROWMILL_DATA_DIR: join(folder, "data"),
    ROWMILL_DATABASE_URL: database.connectionString,
    ROWMILL_RATE_LIMIT_PER_MINUTE: "0",
  });
  const place = {
    folder,
    storeFolder: join(folder, "data"),
    connectionString: database.connectionString,
    postgresPid: readPostgresPid(dataDirectory),
    service,
  };
  console.log(describeMachine("embedded PostgreSQL"));
  if (parts.includes("way")) {
    const ways: Way[] = [];
    for (const rows of [Number(options.few), Number(options.rows)]) ways.push(await goTheWay(place, rows));
    for (const line of describeWays(ways)) console.log(line);
  }
  if (parts.includes("runs")) {
    const many = { runs: Number(options.runs), organizations: Number(options.organizations) };
    for (const line of await measureManyRuns(place, many)) console.log(line);
  }
  await service.stop();
} finally {
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}
