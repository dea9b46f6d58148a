alter table exports add column layout text not null default 'nested' check (layout in ('nested', 'flat'));
-- Cells that the formula guard changed: known when the file is ready.
alter table exports add column guarded_cells bigint;
alter table exports alter column formula_guard set default false;
