-- What stands between the cells of a CSV file, and whether it begins with a byte order mark. Files of before have commas, and no mark.
alter table exports
  add column delimiter text not null default ',',
  add column byte_order_mark boolean not null default false;
