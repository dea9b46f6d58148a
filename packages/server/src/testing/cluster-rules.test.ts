import { expect, test } from "vitest";
import { faultsOnCluster } from "./cluster-rules.ts";

const small = new Set(["runs", "provider_batches", "usage_days", "pgboss.job"]);
const faults = (statement: string): string[] => faultsOnCluster(statement, small);

/** Each was refused, or was wrong in silence, on a coordinator with two workers. */
test.each([
  [
    "a join",
    "select r.id from runs r join run_chunks c on c.run_id = r.id",
    /lie on different servers: run_chunks, runs/,
  ],
  [
    "a join of groups",
    "select 1 from run_chunks c, dataset_chunks d where d.chunk_no = c.chunk_no",
    /different servers/,
  ],
  [
    "a correlated part",
    "select (select sum(result_bytes) from run_chunks c where c.run_id = r.id) from runs r",
    /different/,
  ],
  [
    "an update from a small table",
    "update run_chunks c set state = 'pending' from runs r where r.id = c.run_id and c.run_id = $1",
    /different/,
  ],
  [
    "an insert into a small table beside",
    "with f as (update run_chunks set state = 'done' where run_id = $1 returning 1) insert into usage_days select 1 from f",
    /different/,
  ],
  [
    "names in quotes",
    'select * from "runs" inner join "run_chunks" on "run_chunks"."run_id" = "runs"."id"',
    /different/,
  ],
  [
    "the queue",
    "select 1 from run_chunks c where run_id = $1 and exists (select 1 from pgboss.job j where j.id = c.claimed_by)",
    /pgboss/,
  ],
  ["a write everywhere", "update run_chunks set state = 'pending' where claimed_by = $1", /without run_id = a value/],
  [
    "a deletion everywhere",
    "delete from dataset_chunks where dataset_id in (select id from unnest($1::uuid[]) id)",
    /without dataset_id/,
  ],
  [
    "a lock everywhere",
    "select chunk_no from run_chunks where state = 'pending' for update skip locked",
    /without run_id/,
  ],
  ["another run for a row", "update run_chunks set chunk_no = 1, run_id = $2 where run_id = $1", /changes run_id/],
  [
    "another run for a row, on conflict",
    "insert into run_row_keys (run_id, key) values ($1, $2) on conflict (run_id, key) do update set run_id = excluded.run_id",
    /changes run_id/,
  ],
  [
    "a conflict of no run",
    "insert into run_row_keys (run_id, key) values ($1, $2) on conflict (key) do nothing",
    /leaves run_id out/,
  ],
  [
    "a table in a conflict",
    "insert into run_row_keys (run_id, key) values ($1, $2) on conflict (run_id, key) do update set row_index = 1 where not exists (select 1 from run_failures where run_id = $1)",
    /where its insert conflicts/,
  ],
  [
    "a limit for each run",
    "select s.* from unnest($1::uuid[]) r(id) cross join lateral (select body from run_segments where run_id = r.id order by part_no limit 9) s",
    /a part with a limit/,
  ],
  [
    "a time within case",
    "update run_chunks set not_before = case when is_trial then now() + interval '1 s' end where run_id = $1",
    /calls now within case/,
  ],
  [
    "an object within coalesce",
    "update run_chunks set suspects = coalesce(suspects, jsonb_build_object('a', 1)) where run_id = $1",
    /within coalesce/,
  ],
  [
    "a time that is returned",
    "update run_chunks set state = 'done' where run_id = $1 returning coalesce(not_before > now(), false)",
    /within (coalesce|returning)/,
  ],
  [
    "an insert of what is selected",
    "insert into run_segments (run_id, chunk_no) select $1, n from unnest($2::int[]) n",
    /returns nothing/,
  ],
  [
    "an advisory lock",
    "with l as (select pg_advisory_xact_lock($2)) select 1 from l, run_chunks where run_id = $1",
    /advisory lock/,
  ],
  [
    "a recursion",
    "with recursive k as (select min(run_id) as id from run_row_keys union all select id from k) select id from k",
    /recursive/,
  ],
  [
    "two statements",
    "set local app.organization_id = 'x'; select 1 from run_chunks where run_id = $1",
    /several statements/,
  ],
])("%s is found", (_name, statement, fault) => {
  expect(faults(statement).join("\n")).toMatch(fault);
});

test.each([
  ["nothing large", "select id from runs where id = $1 for update"],
  ["a name in a text or a comment", "select 'from run_chunks' from runs -- join run_chunks c"],
  ["a column like a table", "select c.runs from run_chunks c where c.run_id = $1"],
  [
    "one run",
    "update run_chunks c set state = 'running', claim_no = c.claim_no + 1 where run_id = $1 and chunk_no = (select chunk_no from run_chunks where run_id = $1 order by chunk_no limit 1 for update skip locked) returning chunk_no;",
  ],
  ["tables of one group", "select 1 from run_chunks c join run_segments s on s.run_id = c.run_id where c.run_id = $1"],
  [
    "rows from another group that are returned",
    "insert into run_chunks (run_id, chunk_no) select $1, chunk_no from dataset_chunks where dataset_id = $2 returning 1",
  ],
  [
    "a time outside of case",
    "update run_chunks set not_before = now(), state = case when failures = 0 then 'done' else state end where run_id = $1",
  ],
  [
    "keys that may be there",
    "insert into run_row_keys (run_id, key) select $1, k from unnest($2::bytea[]) k on conflict (run_id, key) do nothing",
  ],
  ["a look at all runs", "select distinct run_id from run_chunks where state = 'running'"],
  ["several runs", "delete from run_failures where run_id = any($1::uuid[])"],
])("%s is right", (_name, statement) => {
  expect(faults(statement)).toEqual([]);
});
