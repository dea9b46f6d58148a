-- A rolling upgrade has workers of two versions at once, and 0040 took a column from those of the version before. They get it back, and
-- both versions keep to one lease: what one column is set to, the other one gets. A later version drops judged_until and the trigger.
alter table alert_rules add column judged_until timestamptz;
update alert_rules set judged_until = leased_until where leased_until is not null;

create function share_rule_lease() returns trigger language plpgsql as $$
begin
  if new.leased_until is distinct from old.leased_until then
    new.judged_until := new.leased_until;
  else
    new.leased_until := new.judged_until;
  end if;
  return new;
end $$;
create trigger rule_lease_of_both before update of leased_until, judged_until on alert_rules
  for each row execute function share_rule_lease();
