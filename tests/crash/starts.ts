/**
 * Starts on data of an earlier time, which a fault hits before they are over: the migration of what an earlier schema holds, and the
 * first start on an installation of an earlier version.
 */
import { cp, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Pool } from "pg";
import type { CreatedApiKey } from "@rowmill/contract/api-keys";
import type { Export } from "@rowmill/contract/exports";
import type { Organization } from "@rowmill/contract/organizations";
import type { Run } from "@rowmill/contract/runs";
import { restore } from "@rowmill/server/backup/restore";
import { readConfig } from "@rowmill/server/config";
import { startEmbeddedDatabase } from "@rowmill/server/platform/database/embedded/embedded-database";
import { migrateDatabase } from "@rowmill/server/platform/database/migrate";
import { newUuid } from "@rowmill/server/platform/ids";
import { createLog } from "@rowmill/server/platform/log";
import { readFailures } from "@rowmill/server/resources/runs/stored-results/failures";
import { readOutputs } from "@rowmill/server/resources/runs/stored-results/read-results";
import { createClient, readList } from "./client.ts";
import type { Client } from "./client.ts";
import { BOUND_MS } from "./deployment.ts";
import type { Deployment, Shape } from "./deployment.ts";
import { compareOnce } from "./findings.ts";
import type { Finding } from "./findings.ts";
import { endedRun } from "./crash-world.ts";

export interface Start {
  shapes: readonly Shape[];
  /** From the start of the first process until it serves, without a fault: the moment of the fault is chosen within. */
  spanMs: number;
  /** Before the first start. The result is called once everything serves. */
  prepare(deployment: Deployment): Promise<() => Promise<Finding[]>>;
}

export const starts = {
  migration: { shapes: ["many", "single"], spanMs: 4_000, prepare: prepareMigration },
  upgrade: { shapes: ["single"], spanMs: 4_000, prepare: prepareUpgrade },
} satisfies Record<string, Start>;
export type StartName = keyof typeof starts;
export const startNames = Object.keys(starts) as StartName[];

const MIGRATIONS = fileURLToPath(
  new URL("./platform/database/migrations/", import.meta.resolve("@rowmill/server/main")),
);
/** The first that knows segments: it rewrites every recorded result, so it takes longest of all and can lose most. */
const REWRITES_RESULTS = "0029-result-segments.sql";
const CHUNKS = 60;
const CHUNK_ROWS = 50;
/** Every fifth row has failed. */
const FAIL_EVERY = 5;

/** Results as they were recorded one by one, before there were segments. */
async function prepareMigration({ shape, folder, database }: Deployment): Promise<() => Promise<Finding[]>> {
  const earlier = join(folder, "migrations");
  await mkdir(earlier);
  const files = (await readdir(MIGRATIONS)).filter((name) => name.endsWith(".sql"));
  for (const name of files) if (name < REWRITES_RESULTS) await cp(join(MIGRATIONS, name), join(earlier, name));
  const [organizationId, runId] = [newUuid(), newUuid()];
  // In `single`, it is the database that the service will start.
  const embedded =
    shape === "single" ? await startEmbeddedDatabase({ dataDirectory: join(folder, "data", "postgres") }) : undefined;
  const pool = new Pool({ connectionString: await database.url(), max: 1 });
  try {
    await migrateDatabase(pool, pathToFileURL(`${earlier}/`));
    await pool.query(
      `insert into run_chunks (organization_id, run_id, chunk_no, first_row, last_row, row_count, state, succeeded, failed)
         select $1, $2, c, c * $4, (c + 1) * $4 - 1, $4, 'done', $4 - $4 / $5, $4 / $5 from generate_series(0, $3::int - 1) c`,
      [organizationId, runId, CHUNKS, CHUNK_ROWS, FAIL_EVERY],
    );
    await pool.query(
      `insert into run_results (organization_id, run_id, row_index, attempts, duration_ms, finished_at, code, retryable, output, failure)
         select $1, $2, i, 1, 5, now(), case when i % $4 = 0 then 'http_5xx' end, case when i % $4 = 0 then true end,
           case when i % $4 <> 0 then ('{"n":' || i || '}')::json end, case when i % $4 = 0 then '{"message":"no"}'::json end
         from generate_series(0, $3::int - 1) i`,
      [organizationId, runId, CHUNKS * CHUNK_ROWS, FAIL_EVERY],
    );
  } finally {
    await pool.end();
    await embedded?.stop();
  }
  return async () => {
    const after = new Pool({ connectionString: await database.url(), max: 1 });
    try {
      return [...(await checkMigrations(after, files)), ...(await checkResults(after, runId))];
    } finally {
      await after.end();
    }
  };
}

async function checkMigrations(pool: Pool, files: readonly string[]): Promise<Finding[]> {
  const { rows } = await pool.query<{ name: string }>("select name from schema_migrations");
  return compareOnce(
    "migrations",
    files,
    rows.map(({ name }) => name),
  );
}

async function checkResults(pool: Pool, runId: string): Promise<Finding[]> {
  const all = Array.from({ length: CHUNKS * CHUNK_ROWS }, (_unused, index) => index);
  const outputs: string[] = [];
  for await (const page of readOutputs(pool, runId, -1, Number.POSITIVE_INFINITY))
    outputs.push(...page.map(({ output }) => output.text));
  const failures = await readFailures(pool, runId, -1, all.length, {});
  return [
    ...compareOnce(
      "outputs",
      all.filter((index) => index % FAIL_EVERY !== 0).map((index) => `{"n":${index}}`),
      outputs,
    ),
    ...compareOnce(
      "failures",
      all.filter((index) => index % FAIL_EVERY === 0),
      failures.map(({ index }) => index),
    ),
  ];
}

const RELEASES = fileURLToPath(new URL("../fixtures/releases/", import.meta.url));
/** Of each run in a release's installation, of which one has failures; see `releases.test.ts`. */
const ROWS = 20;
const FAILED = 4;

/** The installation of the newest version that was released, as its backup has it. */
async function prepareUpgrade({ folder, admin }: Deployment): Promise<() => Promise<Finding[]>> {
  const newest = (await readdir(RELEASES))
    .filter((name) => name.endsWith(".tar"))
    .toSorted()
    .at(-1);
  if (newest === undefined) throw new Error("there is no installation of an earlier version");
  const config = readConfig({ ROWMILL_DATA_DIR: join(folder, "data") });
  await restore(config, createLog("silent"), join(RELEASES, newest));
  return async () => {
    const organizations = await readList<Organization>(admin, "/v1/organizations");
    const created = await admin.request<CreatedApiKey>("POST", `/v1/organizations/${organizations[0]?.id}/api-keys`, {
      body: { name: "After the upgrade", scopes: ["*"] },
    });
    return checkInstallation(createClient(admin.url, created.key, BOUND_MS));
  };
}

async function checkInstallation(client: Client): Promise<Finding[]> {
  const findings: Finding[] = [];
  const expect = (isTrue: boolean, what: string): void => {
    if (!isTrue) findings.push({ kind: "lost", what });
  };
  const runs = await readList<Run>(client, "/v1/runs");
  const first = runs.find((run) => run.rows.failed > 0);
  const retried = runs.find((run) => run.parentRunId !== null);
  const paused = runs.find(({ name }) => name === "paused");
  if (first === undefined || retried === undefined || paused === undefined)
    return [{ kind: "lost", what: `runs of the installation: there are ${runs.length}` }];
  const indexes = Array.from({ length: ROWS }, (_unused, index) => index);
  expect((await readList(client, `/v1/runs/${first.id}/failures`)).length === FAILED, "failures of the first run");
  const results = await readList<{ index: number; resultState: string }>(
    client,
    `/v1/runs/${retried.id}/resolved-results`,
  );
  expect(
    results.every(({ resultState }) => resultState === "succeeded"),
    "resolved results",
  );
  findings.push(
    ...compareOnce(
      "resolved results",
      indexes,
      results.map(({ index }) => index),
    ),
  );
  const exports = await readList<Export>(client, `/v1/runs/${first.id}/exports`);
  expect(exports.length === 2, "exports of the first run");
  for (const { id, sizeBytes } of exports) {
    const file = await client.attempt("GET", `/v1/exports/${id}/download`, { accept: "*/*" });
    // A file is kept for a limited time; then the response is 410.
    expect(file?.status === 410 || file?.bytes.length === sizeBytes, `the file of export ${id}`);
  }
  await client.request("POST", `/v1/runs/${paused.id}/resume`);
  const ended = await endedRun(client, paused.id);
  expect(ended.rows.succeeded === ROWS, `rows of the run that went on: ${JSON.stringify(ended.rows)}`);
  const outputs = await readList<{ index: number }>(client, `/v1/runs/${paused.id}/outputs`);
  findings.push(
    ...compareOnce(
      "outputs of the run that went on",
      indexes,
      outputs.map(({ index }) => index),
    ),
  );
  return findings;
}
