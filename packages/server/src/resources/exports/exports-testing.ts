/** Runs with known results, written straight into the tables: what an export reads, without waiting for a run; and Parquet read back. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { zstdCompress } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import type { DuckDBConnection } from "@duckdb/node-api";
import { formatId, newUuid, parseId } from "../../platform/ids.ts";
import { insertSegments } from "../../testing/made-segments.ts";

const compress = promisify(zstdCompress);
const CHUNK_ROWS = 500;
const FINISHED_AT = "2026-11-20T09:30:00.000Z";

export type Query = (text: string, values?: unknown[]) => Promise<unknown>;

export interface ResultToInsert {
  index: number;
  output?: unknown;
  failure?: { code: string; message: string; details?: object };
  usage?: object;
}

export interface RunToInsert {
  /** Rows of the dataset as JSON text. */
  rows: readonly string[];
  results: readonly ResultToInsert[];
  outputSchema?: object;
}

export interface InsertedRun {
  runId: string;
  runUuid: string;
  datasetId: string;
}

/** An ended run over all rows, with a dataset and a job spec of its own. */
export async function insertRun(query: Query, organizationId: string, run: RunToInsert): Promise<InsertedRun> {
  const organization = parseId("organization", organizationId);
  const [dataset, jobSpec, runUuid] = [newUuid(), newUuid(), newUuid()];
  const names = [...new Set(run.rows.flatMap((line) => Object.keys(JSON.parse(line) as object)))];
  await query(
    `insert into datasets (organization_id, id, name, state, row_count, chunk_count, size_bytes, columns, upload_id)
     values ($1, $2, 'rows', 'ready', $3, $4, 0, $5, $2)`,
    [
      organization,
      dataset,
      run.rows.length,
      Math.ceil(run.rows.length / CHUNK_ROWS),
      JSON.stringify(names.map((name) => ({ name, type: "mixed", nullCount: 0 }))),
    ],
  );
  await query(`insert into job_specs (organization_id, id, name, latest_version) values ($1, $2, 'spec', 1)`, [
    organization,
    jobSpec,
  ]);
  await query(
    `insert into job_spec_versions (organization_id, job_spec_id, version, id, processor, output_schema)
     values ($1, $2, 1, $3, '{"type":"mock"}', $4)`,
    [organization, jobSpec, newUuid(), run.outputSchema === undefined ? null : JSON.stringify(run.outputSchema)],
  );
  const failed = run.results.filter(({ failure }) => failure !== undefined).length;
  await query(
    `insert into runs (organization_id, id, dataset_id, job_spec_id, job_spec_version, scope, state, root_run_id, row_total,
       chunk_count, final_counts, started_at, finished_at)
     values ($1, $2, $3, $4, 1, '{"type":"all"}', 'partially_succeeded', $2, $5, $6, $7, now(), now())`,
    [
      organization,
      runUuid,
      dataset,
      jobSpec,
      run.rows.length,
      Math.ceil(run.rows.length / CHUNK_ROWS),
      JSON.stringify({
        succeeded: run.results.length - failed,
        failed,
        attempts: run.results.length,
        inputTokens: 0,
        outputTokens: 0,
        requests: 0,
        costUsd: "0",
      }),
    ],
  );
  const resultsOfChunk = Map.groupBy(run.results, ({ index }) => Math.floor(index / CHUNK_ROWS));
  for (let first = 0, chunkNo = 0; first < run.rows.length; first += CHUNK_ROWS, chunkNo += 1) {
    const lines = run.rows.slice(first, first + CHUNK_ROWS);
    const results = resultsOfChunk.get(chunkNo) ?? [];
    const failed = results.filter(({ failure }) => failure !== undefined).length;
    await query(
      `with c as (insert into dataset_chunks (organization_id, dataset_id, chunk_no, first_row, row_count, body)
         values ($1, $2, $3, $4, $5, $6))
       insert into run_chunks (organization_id, run_id, chunk_no, first_row, last_row, row_count, state, succeeded, failed)
         values ($1, $7, $3, $4, $4 + $5 - 1, $5, 'done', $8, $9)`,
      [
        organization,
        dataset,
        chunkNo,
        first,
        lines.length,
        await compress(Buffer.from(lines.join("\n"))),
        runUuid,
        results.length - failed,
        failed,
      ],
    );
    await insertResults(query, organization, runUuid, { chunkNo, first, rows: lines.length }, results);
  }
  return { runId: formatId("run", runUuid), runUuid, datasetId: formatId("dataset", dataset) };
}

async function insertResults(
  query: Query,
  organization: string | undefined,
  runUuid: string,
  chunk: { chunkNo: number; first: number; rows: number },
  results: readonly ResultToInsert[],
): Promise<void> {
  const usageOf = ({ usage }: ResultToInsert) => (usage === undefined ? null : JSON.stringify(usage));
  await insertSegments(
    query,
    {
      organizationId: organization,
      runId: runUuid,
      chunkRows: chunk.rows,
      finishedAt: FINISHED_AT,
      rows: results
        .filter(({ failure }) => failure === undefined)
        .map((result) => ({
          position: result.index - chunk.first,
          durationMs: 5,
          output: JSON.stringify(result.output),
          usage: usageOf(result),
        })),
    },
    { from: chunk.chunkNo, to: chunk.chunkNo, firstRow: String(chunk.first) },
  );
  const failures = results.flatMap((result) =>
    result.failure === undefined
      ? []
      : [
          {
            index: result.index,
            code: result.failure.code,
            // Text, since a `json` column keeps what it is given.
            failure: JSON.stringify({ ...result.failure, details: result.failure.details ?? null }),
            usage: usageOf(result),
          },
        ],
  );
  await query(
    `insert into run_failures (organization_id, run_id, row_index, attempts, duration_ms, finished_at, code, retryable, failure, usage)
     select $1, $2, (d->>'index')::bigint, 1, 5, $3, d->>'code', true, (d->>'failure')::json, (d->>'usage')::json
     from json_array_elements($4::json) u(d)`,
    [organization, runUuid, FINISHED_AT, JSON.stringify(failures)],
  );
}

/** Outputs of rows behind the dataset's end: enough of them that an export takes seconds. */
export async function insertManyOutputs(query: Query, runUuid: string, count: number, textBytes = 192): Promise<void> {
  await query(
    `insert into run_chunks (organization_id, run_id, chunk_no, first_row, last_row, row_count, state, succeeded)
     select r.organization_id, r.id, 1 + i / $3, i, i + $3 - 1, $3, 'done', $3
     from runs r, generate_series($3::int, $2::int, $3::int) i where r.id = $1`,
    [runUuid, count, CHUNK_ROWS],
  );
  const rows = Array.from({ length: CHUNK_ROWS }, (_unused, position) => position);
  await query(
    `insert into run_segments (organization_id, run_id, chunk_no, part_no, first_row, row_count, size, finished_at, positions, heads, body)
     select organization_id, run_id, 1 + first / $3, 1, first, $3, octet_length(body), $4,
       decode(repeat('ff', $3 / 8) || $6, 'hex'), convert_to(E'\n' || $5 || E'\n', 'UTF8'), convert_to(body, 'UTF8')
     from (
       select r.organization_id, r.id as run_id, first, string_agg(
         '{"label":"row ' || i || '","text":"' || repeat(md5(i::text), $7::int) || '","score":' || i / 7.0 || '}', E'\n' order by i) as body
       from runs r, generate_series($3::int, $2::int, $3::int) first, generate_series(first, first + $3::int - 1) i
       where r.id = $1 group by r.organization_id, r.id, first) chunks`,
    // The last byte of the bitmap has four rows.
    [runUuid, count, CHUNK_ROWS, FINISHED_AT, rows.map(() => 5).join(","), "0f", textBytes / 32],
  );
}

export interface Table {
  /** By column, in the file's order. */
  types: Record<string, string>;
  /** Whole numbers of 64 bits as texts. */
  rows: unknown[][];
}

export interface ParquetTable extends Table {
  /** How its pages are compressed. */
  codecs: unknown[];
  /** For each column of each row group: name, rows, bounds, nulls. */
  metadata: unknown[][];
}

/** What another reader finds in the file. */
export async function readParquetTable(bytes: Buffer): Promise<ParquetTable> {
  return withFile(bytes, async (connection, path) => {
    const metadata = await connection.runAndReadAll(
      "select distinct compression from parquet_metadata($path) order by all",
      { path },
    );
    const columns = await connection.runAndReadAll(
      `select path_in_schema, num_values, stats_min_value, stats_max_value, stats_null_count from parquet_metadata($path)
       order by row_group_id, column_id`,
      { path },
    );
    const table = await readTable(connection, "read_parquet", path);
    return { ...table, codecs: metadata.getRowsJson().map(([codec]) => codec), metadata: columns.getRowsJson() };
  });
}

/** What another reader makes of the file, whose types it guesses. */
export const readCsvTable = (bytes: Buffer): Promise<Table> =>
  withFile(bytes, (connection, path) => readTable(connection, "read_csv", path));

async function withFile<T>(
  bytes: Buffer,
  read: (connection: DuckDBConnection, path: string) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), "rowmill-table-"));
  const path = join(directory, "table");
  await writeFile(path, bytes);
  const connection = await (await DuckDBInstance.create()).connect();
  try {
    return await read(connection, path);
  } finally {
    connection.closeSync();
    await rm(directory, { recursive: true });
  }
}

async function readTable(connection: DuckDBConnection, reader: string, path: string): Promise<Table> {
  const table = await connection.runAndReadAll(`select * from ${reader}($path)`, { path });
  const types = table.columnTypes().map(String);
  return {
    types: Object.fromEntries(table.columnNames().map((name, position) => [name, types[position] ?? ""])),
    rows: table.getRowsJson(),
  };
}
