/**
 * Exact duplicates within a run are processed once (`dedupe: exact`): of rows with the same text, one is processed for all.
 * Which one stands in `run_row_keys`. A row takes the place over when the one before has no result and nobody works on it.
 */
import { createHash } from "node:crypto";
import type { Statements } from "../../platform/database/database.ts";
import { isDistributed } from "../../platform/database/distribution-marks.ts";
import type { InputRow, RowOutcome } from "../../processors/processor.ts";
import type { ClaimedChunk } from "./chunk-claims.ts";
import { readFailure } from "../../resources/runs/item-texts.ts";
import { hasSucceeded } from "../../resources/runs/stored-results/result-sql.ts";
import { readResultsAt } from "../../resources/runs/stored-results/read-results.ts";
import type { WholeResult } from "../../resources/runs/stored-results/read-results.ts";
import { notNull } from "../../platform/present.ts";

/** 128 bits: two different rows of a run meet by accident with a chance of 10⁻²² among a hundred million. */
const KEY_BYTES = 16;

export interface SortedRows {
  /** To be processed, for themselves and for their duplicates. */
  originals: InputRow[];
  /** Duplicates by the index of the first one, which is in the same hand. */
  duplicatesHere: Map<number, InputRow[]>;
  /** Duplicates of rows that are in another hand, or that have ended. */
  duplicatesElsewhere: InputRow[];
}

export async function sortDuplicates(
  client: Statements,
  run: { organizationId: string; runId: string },
  chunk: Pick<ClaimedChunk, "firstRow" | "lastRow">,
  rows: readonly InputRow[],
): Promise<SortedRows> {
  const alike = new Map<string, InputRow[]>();
  for (const row of rows) {
    const key = createHash("sha256").update(row.text).digest().subarray(0, KEY_BYTES).toString("hex");
    const others = alike.get(key);
    if (others === undefined) alike.set(key, [row]);
    else others.push(row);
  }
  // In one order, so that two workers do not wait for each other.
  const keys = [...alike.keys()].toSorted();
  const asked: AskedKeys = {
    organizationId: run.organizationId,
    runId: run.runId,
    keys: keys.map((key) => Buffer.from(key, "hex")),
    indexes: keys.map((key) => alike.get(key)?.[0]?.index ?? -1),
    firstRow: chunk.firstRow,
    lastRow: chunk.lastRow,
  };
  const owners = await (isDistributed(client) ? takeKeysOnCluster : takeKeys)(client, asked);
  const ownerOf = new Map(owners.map(({ key, row_index }) => [key, row_index]));
  const sorted: SortedRows = { originals: [], duplicatesHere: new Map(), duplicatesElsewhere: [] };
  for (const [key, [first, ...others]] of alike) {
    if (first === undefined) continue;
    // Without an owner, another worker has put its own row there at this moment.
    if (ownerOf.get(key) !== first.index) sorted.duplicatesElsewhere.push(first, ...others);
    else {
      sorted.originals.push(first);
      if (others.length > 0) sorted.duplicatesHere.set(first.index, others);
    }
  }
  sorted.originals.sort((a, b) => a.index - b.index);
  return sorted;
}

interface AskedKeys {
  organizationId: string;
  runId: string;
  keys: Buffer[];
  /** Of the first row here with the key. */
  indexes: number[];
  /** Of the chunk. */
  firstRow: number;
  lastRow: number;
}

interface KeyOwner {
  key: string;
  row_index: number;
}

/**
 * Whether nobody has a result of the row `known.row_index`, nor works on it elsewhere, nor it rests there. A chunk that rested keeps its rows when it
 * is due, too, until a lane has a place for it: they may have begun, and would begin again here.
 */
const isFree = (
  ofRun: string,
): string => `not exists (select 1 from run_failures f where f.run_id = $2 and f.row_index = known.row_index)
  -- Chunks do not overlap: the first that ends behind the row is the one that has it.
  and (
    select not ${hasSucceeded("c", "known.row_index", ofRun)}
      and (known.row_index between $5 and $6
        or c.state not in ('running', 'submitted') and (c.not_before is null or c.not_before <= now() and c.booked is null))
    from run_chunks c where c.run_id = $2 and c.last_row >= known.row_index order by c.last_row limit 1)`;

/** In one order, as an insert takes them: an update takes rows as they come, and two workers could wait for each other. */
const LOCKED_KEYS = `locked as materialized (
        select key from run_row_keys where run_id = $2 and key = any($3::bytea[]) order by key for update)`;

/**
 * Keys of others are taken over by a statement that begins when they are known. One that waited for them would go by what it saw before: the
 * chunk of such a row as one that nobody had claimed.
 */
async function takeKeys(client: Statements, asked: AskedKeys): Promise<KeyOwner[]> {
  const { organizationId, runId, keys, indexes, firstRow, lastRow } = asked;
  const { rows: inserted } = await client.query<KeyOwner>({
    name: "insert_new_row_keys",
    values: [organizationId, runId, keys, indexes],
    text: `insert into run_row_keys (organization_id, run_id, key, row_index)
      select $1, $2, k, i from unnest($3::bytea[], $4::bigint[]) t(k, i) order by k on conflict (run_id, key) do nothing
      returning encode(key, 'hex') as key, row_index`,
  });
  if (inserted.length === keys.length) return inserted;
  const { rows } = await client.query<KeyOwner>({
    name: "sort_duplicate_rows",
    values: [organizationId, runId, keys, indexes, firstRow, lastRow],
    text: `
      with ${LOCKED_KEYS},
      taken as (
        update run_row_keys known set row_index = t.i from unnest($3::bytea[], $4::bigint[]) t(k, i), locked
        where locked.key = known.key and known.organization_id = $1 and known.run_id = $2 and known.key = t.k and known.row_index <> t.i
          and ${isFree("")}
        returning encode(known.key, 'hex') as key, known.row_index)
      select key, row_index from taken
      union all
      select encode(key, 'hex'), row_index from run_row_keys
      where run_id = $2 and key = any($3::bytea[]) and not exists (select 1 from taken where taken.key = encode(run_row_keys.key, 'hex'))`,
  });
  return rows;
}

/** No table may be asked in an insert's conflict there: keys are inserted, those of others taken over, and what is then is read. */
async function takeKeysOnCluster(client: Statements, asked: AskedKeys): Promise<KeyOwner[]> {
  const { organizationId, runId, keys, indexes, firstRow, lastRow } = asked;
  await client.query({
    name: "insert_row_keys",
    values: [organizationId, runId, keys, indexes],
    text: `insert into run_row_keys (organization_id, run_id, key, row_index)
      select $1, $2, k, i from unnest($3::bytea[], $4::bigint[]) t(k, i) order by k on conflict (run_id, key) do nothing`,
  });
  await client.query({
    name: "take_row_keys_over",
    values: [organizationId, runId, keys, indexes, firstRow, lastRow],
    text: `with ${LOCKED_KEYS}
      update run_row_keys known set row_index = t.i from unnest($3::bytea[], $4::bigint[]) t(k, i), locked
      where locked.key = known.key and known.organization_id = $1 and known.run_id = $2 and known.key = t.k and known.row_index <> t.i and ${isFree("and s.run_id = $2")}`,
  });
  const { rows } = await client.query<KeyOwner>({
    name: "read_row_keys",
    values: [runId, keys],
    text: "select encode(key, 'hex') as key, row_index from run_row_keys where run_id = $1 and key = any($2::bytea[])",
  });
  return rows;
}

export interface EndsOfOriginals {
  /** By the index of the duplicate; those without an end are missing. */
  ends: Map<number, RowOutcome>;
  /**
   * Until the first of those without an end goes on, where the chunks of all of them rest, or are due and wait for a lane. Undefined: one may end
   * before, or be taken over.
   */
  restMs: number | undefined;
}

/** What became of the rows that these are duplicates of. */
export async function readEndsOfOriginals(
  client: Statements,
  runId: string,
  rows: readonly InputRow[],
): Promise<EndsOfOriginals> {
  if (rows.length === 0) return { ends: new Map(), restMs: undefined };
  const { rows: originals } = await client.query<{ i: number; original: number; waits_ms: number | null }>({
    name: "find_originals",
    values: [
      runId,
      rows.map((row) => createHash("sha256").update(row.text).digest().subarray(0, KEY_BYTES)),
      rows.map(({ index }) => index),
    ],
    // One look into an index for each: a plain join may read the whole run while the tables have no statistics. A key has
    // one row; `limit 1` only keeps the planner from making a join of it.
    text: `select t.i, o.row_index as original, c.waits_ms from unnest($2::bytea[], $3::bigint[]) t(k, i)
      cross join lateral (select row_index from run_row_keys where run_id = $1 and key = t.k limit 1) o
      -- Chunks do not overlap: the first that ends behind the row is the one that has it.
      cross join lateral (
        select case when state = 'pending' and (not_before > now() or booked is not null)
          then (extract(epoch from not_before - now()) * 1000)::float8 end as waits_ms
        from run_chunks where run_id = $1 and last_row >= o.row_index order by last_row limit 1) c`,
  });
  const results = await readResultsAt(client, runId, [...new Set(originals.map(({ original }) => original))]);
  const ends = new Map(
    originals.flatMap(({ i, original }): [number, RowOutcome][] => {
      const result = results.get(original);
      return result === undefined ? [] : [[i, outcomeOf(result)]];
    }),
  );
  // Another worker is about to write the key that is missing.
  if (originals.length < rows.length) return { ends, restMs: undefined };
  const waits = originals.flatMap(({ i, waits_ms: ms }) =>
    ends.has(i) ? [] : [ms === null ? undefined : Math.max(0, ms)],
  );
  const rests = waits.filter((ms) => ms !== undefined);
  return { ends, restMs: rests.length > 0 && rests.length === waits.length ? Math.min(...rests) : undefined };
}

function outcomeOf(result: WholeResult): RowOutcome {
  if ("output" in result) return { ok: true, output: result.output.output.text };
  const { code, retryable, failure } = result.failure;
  const { message, details } = readFailure(failure);
  return { ok: false, failure: { code, retryable, message, ...notNull({ details }) } };
}
