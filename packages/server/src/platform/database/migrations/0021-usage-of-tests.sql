-- Tests of job specs call models and services, too. Each has a row of its own, and an id in place of a run's.
alter table usage_days add column is_test boolean not null default false;
