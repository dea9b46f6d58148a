-- A run over a range of rows gets its chunks when it starts or ends: until then they follow from its scope and its rows.
alter table runs add chunks_made boolean not null default true;
alter table runs add constraint runs_begin_with_chunks check (chunks_made or (started_at is null and finished_at is null));
