-- Results in segments: the successes of one commit are one row here. How the values are made stands in
-- `stored-results/segment-format.ts`; a value that does not begin with the magic number of zstd is not compressed.
create table run_segments (
  organization_id uuid not null,
  run_id uuid not null,
  chunk_no int not null,
  -- Counted up by each commit of the chunk, and never used twice: the last commit replaces small parts by a new one.
  part_no int not null,
  -- Of the chunk: position 0 of the bitmap.
  first_row bigint not null,
  row_count int not null,
  -- Bytes of the outputs before compression.
  size int not null,
  finished_at timestamptz not null,
  positions bytea not null,
  heads bytea,
  body bytea not null,
  primary key (run_id, chunk_no, part_no)
);
alter table run_segments
  alter positions set storage main,
  alter heads set storage external,
  alter body set storage external; -- compressed already

alter table run_chunks add last_part int not null default 0;

-- Failures stay rows, which are filtered and grouped by SQL.
create table run_failures (
  organization_id uuid not null,
  run_id uuid not null,
  row_index bigint not null,
  attempts smallint not null,
  duration_ms int not null,
  finished_at timestamptz not null,
  code text not null,
  retryable boolean not null,
  failure json,
  usage json,
  failure_path text generated always as (left(failure -> 'details' ->> 'path', 200)) stored
);

-- Rows that an earlier version has recorded.
insert into run_failures (organization_id, run_id, row_index, attempts, duration_ms, finished_at, code, retryable, failure, usage)
select organization_id, run_id, row_index, attempts, duration_ms, finished_at, code, coalesce(retryable, false), failure, usage
from run_results where code is not null;

create function pg_temp.bitmap_of(positions int[], chunk_rows int) returns bytea language plpgsql as $$
declare
  bitmap bytea := decode(repeat('00', (chunk_rows + 7) / 8), 'hex');
  at int;
begin
  foreach at in array positions loop bitmap := set_bit(bitmap, at, 1); end loop;
  return bitmap;
end $$;

insert into run_segments (organization_id, run_id, chunk_no, part_no, first_row, row_count, size, finished_at, positions, heads, body)
select organization_id, run_id, chunk_no, 1 + part, first_row, count(*), octet_length(string_agg(output, E'\n')), max(finished_at),
  pg_temp.bitmap_of(array_agg(at), chunk_rows),
  convert_to(
    string_agg(attempts::text, ',' order by at) || E'\n' || string_agg(duration_ms::text, ',' order by at) || E'\n'
      || string_agg((extract(epoch from finished_at) * 1000000)::bigint::text, ',' order by at)
      || case when count(usage) = 0 then '' else E'\n' || string_agg(coalesce(usage, ''), E'\n' order by at) end,
    'UTF8'),
  convert_to(string_agg(output, E'\n' order by at), 'UTF8')
from (
  select c.organization_id, c.run_id, c.chunk_no, c.first_row, (c.last_row - c.first_row + 1)::int as chunk_rows,
    (r.row_index - c.first_row)::int as at, r.attempts, r.duration_ms, r.finished_at, r.usage::text as usage,
    replace(r.output::text, E'\n', ' ') as output,
    -- A segment ends at a mebibyte of outputs, or with the one that goes beyond it.
    (sum(octet_length(r.output::text)) over (partition by c.run_id, c.chunk_no order by r.row_index)::bigint / 1048576)::int as part
  from run_chunks c join run_results r on r.run_id = c.run_id and r.row_index between c.first_row and c.last_row
  where r.code is null) recorded
group by organization_id, run_id, chunk_no, part, first_row, chunk_rows;

update run_chunks c set last_part = s.last
from (select run_id, chunk_no, max(part_no) as last from run_segments group by run_id, chunk_no) s
where c.run_id = s.run_id and c.chunk_no = s.chunk_no;

drop table run_results;

alter table run_failures add primary key (run_id, row_index);
create index run_failures_by_retryable on run_failures (run_id, retryable, row_index);
create index run_failures_by_code on run_failures (run_id, code, retryable, row_index);
-- Failures grouped by their cause are counted in it alone. It has few distinct entries, which are stored once each. The
-- organization is there for row-level security, which asks for it of every row.
create index run_failures_by_cause on run_failures (run_id, organization_id, code, retryable, failure_path);

-- As 0006 does it for what is read by its run.
do $$
declare
  own text := 'organization_id = (select nullif(current_setting(''app.organization_id'', true), '''')::uuid)';
  name text;
begin
  foreach name in array '{run_segments, run_failures}'::text[] loop
    execute format('alter table %I enable row level security', name);
    execute format('create policy of_the_organization on %I using (coalesce(%s, false)) with check (%s)', name, own, own);
  end loop;
end $$;
