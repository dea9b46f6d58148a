-- How many exports of an organization wait or are written, up to a number: counted whenever one is made. With old statistics the planner
-- expects few exports of the organization in all, and would as soon read each that has ended. Without sorts, bitmaps and scans of tables
-- one index alone has this order, that of the list: see decision 0020. What the caller may see is what is counted.
create function count_unfinished_exports(of_organization uuid, types text[], formats text[], most integer)
  returns bigint language sql stable
  set enable_sort = off set enable_incremental_sort = off set enable_bitmapscan = off set enable_seqscan = off set jit = off
as $$
  select count(*) from (
    select e.id from unnest(array['queued', 'running']) s (status) cross join unnest(types) t (type) cross join unnest(formats) f (format)
      cross join lateral (
        select x.id from exports x
        where x.organization_id = of_organization and x.status = s.status and x.type = t.type and x.format = f.format
        order by x.id, (x.organization_id::text = 'status, type, format') limit most) e
    limit most) unfinished
$$;
