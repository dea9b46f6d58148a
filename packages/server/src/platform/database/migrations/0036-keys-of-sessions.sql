-- The key that a login link has made is for its session alone, and ends with it.
alter table sessions add column owns_key boolean not null default false;
