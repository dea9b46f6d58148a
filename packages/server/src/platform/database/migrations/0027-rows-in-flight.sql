-- Rows of a claimed chunk that have begun and have no recorded result, as offsets from `first_row`. The worker reports them twice a
-- second. Null: it has not reported any yet, and all unfinished rows of the chunk count.
alter table run_chunks add column in_flight integer[];
