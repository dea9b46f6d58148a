/** Rules that wait to be evaluated, and the lease by which one worker at a time evaluates a rule. */
import type { RawBuilder } from "kysely";
import { sql } from "../../platform/database/database.ts";
import type { Database } from "../../platform/database/database.ts";
import { NIL_UUID } from "../../platform/ids.ts";
import type { RuleRow } from "../../resources/alert-rules/alert-rules.ts";

/**
 * Far longer than a call takes (`CALL_LIMIT_MS` of conditions). Where a busy machine stretches it further, another worker may evaluate the
 * same events: the one that removes them has decided.
 */
const LEASE_SECONDS = 30;

/** Organizations that are looked for at once. The others are found when these have nothing left, or by the next look. */
export const ORGANIZATIONS_AT_ONCE = 200;

/** Those that have a rule which may be evaluated now: of each, its rules are looked through until one is found. */
export async function findOrganizations(database: Database, after: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive waiting (id) as (
      (select organization_id from alert_candidates where organization_id > ${after} order by organization_id limit 1)
      union all
      select (select c.organization_id from alert_candidates c where c.organization_id > w.id order by c.organization_id limit 1)
      from waiting w where w.id is not null
    )
    select w.id from waiting w where w.id is not null and exists (${freeRules(sql`w.id`, NIL_UUID)})
    limit ${ORGANIZATIONS_AT_ONCE}`.execute(database.db);
  return rows.map(({ id }) => id);
}

/** Ids of rules with something to evaluate, in their order: one step of the index for each, however much that is. */
const freeRules = (organizationId: RawBuilder<unknown>, afterRuleId: string): RawBuilder<unknown> => sql`
  with recursive rule (id) as (
    (select alert_rule_id from alert_candidates
      where organization_id = ${organizationId} and alert_rule_id > ${afterRuleId} order by alert_rule_id limit 1)
    union all
    select (select c.alert_rule_id from alert_candidates c
      where c.organization_id = ${organizationId} and c.alert_rule_id > rule.id order by c.alert_rule_id limit 1)
    from rule where rule.id is not null
  )
  select rule.id from rule join alert_rules r on r.organization_id = ${organizationId} and r.id = rule.id
  where r.leased_until is null or r.leased_until < now()`;

export async function claimRule(
  database: Database,
  organizationId: string,
  afterRuleId: string,
): Promise<RuleRow | undefined> {
  const { rows } = await sql<RuleRow>`
    with free as (
      select r.id from alert_rules r join (${freeRules(sql`${organizationId}::uuid`, afterRuleId)}) found on found.id = r.id
      where r.organization_id = ${organizationId} and (r.leased_until is null or r.leased_until < now())
      limit 1 for update of r skip locked
    )
    update alert_rules r set leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
    from free where r.organization_id = ${organizationId} and r.id = free.id
    returning r.*`.execute(database.db);
  return rows[0];
}
