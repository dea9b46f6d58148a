-- The connections that a version of a job spec may call, as its processor names them: no statement reads a processor's configuration.
alter table job_spec_versions add column connection_ids text[] not null default '{}';
update job_spec_versions set connection_ids = array(
  select distinct value #>> '{}'
  from (select jsonb_path_query(processor::jsonb, '$.connection') union select jsonb_path_query(processor::jsonb, '$.fallbacks[*].connection')) named (value))
where processor::jsonb @? '$.connection';
