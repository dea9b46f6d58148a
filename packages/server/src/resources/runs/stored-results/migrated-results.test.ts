/** Results that were recorded as rows, one by one, before there were segments: the migration carries them over. */
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { newUuid } from "../../../platform/ids.ts";
import { migrateDatabase } from "../../../platform/database/migrate.ts";
import { createTestDatabase, openTestPool } from "../../../testing/test-database.ts";
import { readFailures } from "./failures.ts";
import { readOutputs, readRecordedRows, readResultHeads } from "./read-results.ts";
import { SegmentsOfRuns } from "./segments-of-runs.ts";

const MIGRATIONS = fileURLToPath(new URL("../../../platform/database/migrations/", import.meta.url));
/** The first that knows segments. */
const SEGMENTS = "0029-result-segments.sql";
const CHUNK_ROWS = 30;

test("outputs, failures, times and usage are what they were, and chunks go on where they were", async () => {
  const database = await createTestDatabase();
  const before = await mkdtemp(join(tmpdir(), "rowmill-migrations-"));
  const pool = openTestPool(database.url, 4);
  onTestFinished(async () => {
    await pool.end();
    await database.drop();
    await rm(before, { recursive: true, force: true });
  });
  for (const name of await readdir(MIGRATIONS))
    if (name < SEGMENTS) await cp(join(MIGRATIONS, name), join(before, name));
  await migrateDatabase(pool, pathToFileURL(`${before}/`));
  const [organizationId, runId] = [newUuid(), newUuid()];
  // Of the second chunk, a part was recorded; of the third, nothing. The run has every third row of the first one.
  await pool.query(
    `insert into run_chunks (organization_id, run_id, chunk_no, first_row, last_row, row_count, state, succeeded, failed, picked) values
       ($1, $2, 4, 120, 149, 10, 'done', 9, 1, '{0,3,6,9,12,15,18,21,24,27}'), ($1, $2, 5, 150, 179, 30, 'running', 3, 0, null),
       ($1, $2, 6, 180, 209, 30, 'pending', 0, 0, null)`,
    [organizationId, runId],
  );
  const large = "x".repeat(700_000);
  await pool.query(
    `insert into run_results (organization_id, run_id, row_index, attempts, duration_ms, finished_at, code, retryable, output, failure, usage)
     select $1, $2, i, 1 + i % 3, i, '2026-11-20T10:00:00.000001Z'::timestamptz + i * interval '1 microsecond',
       case when i = 123 then 'http_5xx' end, case when i = 123 then true end,
       case when i <> 123 then ('{"n":' || i || case when i >= 150 then ',"text":"' || $3 || '"' else '' end || '}')::json end,
       case when i = 123 then '{"message":"no","details":{"path":"/a"}}'::json end,
       case when i = 120 then '{"requests":1}'::json end
     from unnest(array[120, 123, 126, 129, 132, 135, 138, 141, 144, 147, 150, 152, 171]) i`,
    [organizationId, runId, large],
  );
  await migrateDatabase(pool, pathToFileURL(MIGRATIONS));

  const outputs = [];
  for await (const page of readOutputs(pool, runId, -1, Number.POSITIVE_INFINITY))
    outputs.push(...page.map((row) => ({ ...row, output: row.output.text })));
  const startUs = Date.parse("2026-11-20T10:00:00Z") * 1_000 + 1;
  const succeeded = [120, 126, 129, 132, 135, 138, 141, 144, 147, 150, 152, 171];
  expect(outputs).toEqual(
    succeeded.map((index) => ({
      index,
      attempts: 1 + (index % 3),
      finishedUs: startUs + index,
      output: index >= 150 ? `{"n":${index},"text":"${large}"}` : `{"n":${index}}`,
      usage: index === 120 ? '{"requests":1}' : null,
    })),
  );
  const [failure] = await readFailures(pool, runId, -1, 10, {});
  expect(failure).toMatchObject({
    index: 123,
    code: "http_5xx",
    retryable: true,
    attempts: 1,
    finishedUs: startUs + 123,
  });
  const heads = await readResultHeads(new SegmentsOfRuns(pool, [runId]), [{ index: 144, chunkNo: 4 }]);
  expect(heads.get(runId)?.get(144)).toMatchObject({ durationMs: 144, code: undefined });
  const recorded = await readRecordedRows(pool, runId, {
    chunkNo: 5,
    firstRow: 150,
    lastRow: 150 + CHUNK_ROWS - 1,
  });
  expect([...recorded]).toEqual([150, 152, 171]);
  const { rows: chunks } = await pool.query<{ parts: number; last: number }>(
    `select (select count(*)::int from run_segments s where s.run_id = c.run_id and s.chunk_no = c.chunk_no) as parts, last_part as last
     from run_chunks c order by chunk_no`,
  );
  // Outputs of 0.7 MB fill a segment soon.
  expect(chunks).toEqual([
    { parts: 1, last: 1 },
    { parts: 3, last: 3 },
    { parts: 0, last: 0 },
  ]);
});
