-- Who gets a row event of a run, once those who listen to one type of row and those who listen to both have been told different
-- numbers of rows one by one. Null: all who listen to its type.
alter table events add column row_audience text check (row_audience in ('one_type', 'both_types'));

-- As of webhook endpoints: sealed, they still sign beside the newest until their time ends: [{sealed, expiresAt}], newest first.
alter table alert_rules add column previous_secrets jsonb not null default '[]';
