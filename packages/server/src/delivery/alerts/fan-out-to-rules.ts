/**
 * What new events mean for alert rules: a candidate for each rule on the event's type. Filters are not asked
 * here: they may take long, and the fan-out holds a transaction.
 */
import { sql } from "../../platform/database/database.ts";
import type { FanOutTarget } from "../fan-out/fan-out.ts";

/** What the evaluation of rules listens to, in all workers. A lost notification only costs the time until their timers. */
export const CANDIDATES_CHANNEL = "rowmill_alert_candidates";

export const fanOutToAlertRules: FanOutTarget = async (tx, eventIds) => {
  const { numAffectedRows } = await sql`
    insert into alert_candidates (organization_id, alert_rule_id, event_id)
    select e.organization_id, r.id, e.id
    from events e
    join alert_rules r on r.organization_id = e.organization_id and r.event_type = e.type and r.enabled and r.deleted_at is null
    where e.id = any(${eventIds}::uuid[]) and not e.is_fanned_out and r.created_at <= e.created_at
      and e.row_audience is distinct from 'both_types' -- a rule is on one type
    on conflict do nothing`.execute(tx);
  if (numAffectedRows !== undefined && numAffectedRows > 0n)
    await sql`select pg_notify(${CANDIDATES_CHANNEL}, '')`.execute(tx);
};
