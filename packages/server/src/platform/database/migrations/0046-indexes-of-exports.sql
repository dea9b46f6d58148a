-- As in 0045.
-- Not by the status first, which statements that name an export by its id have, too.
drop index exports_by_run;
create index exports_by_run on exports (run_id, organization_id, id, (organization_id::text = 'run_id'));
drop index exports_by_kind;
create index exports_by_kind on exports (type, organization_id, status, format, id, (organization_id::text = 'status, type, format'));
drop index exports_of_run_by_kind;
create index exports_of_run_by_kind
  on exports (run_id, organization_id, status, type, format, id, (organization_id::text = 'run_id, status, type, format'));
