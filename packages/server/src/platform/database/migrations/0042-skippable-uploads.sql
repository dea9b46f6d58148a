-- A failed upload whose errors are all of single rows can be sent again without these rows. The rows themselves stand in `errors`,
-- as `text` beside their messages; uploads of before have none.
alter table dataset_uploads add column is_skippable boolean not null default false;
