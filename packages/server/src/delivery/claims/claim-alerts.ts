/**
 * How workers claim alerts. A claim is a lease written on the delivery (`claimed_until`, `claim_no`): a worker that
 * dies leaves it to end, and the alert is attempted again; a record is fenced by the number, so that a worker which was
 * believed dead cannot write late. Rules and organizations have few slots each. A rule is failing while an attempt has been without a response
 * for some seconds, or a failed one is to be repeated: those have slots of their own, so that dead destinations delay nobody else.
 * What is due to a suspended organization is not claimed: it waits as it is until the organization is active again.
 */
import type { AlertDestination } from "@rowmill/contract/alert-destinations";
import { sql, statementsOf } from "../../platform/database/database.ts";
import type { Database } from "../../platform/database/database.ts";
import type { PreviousSecret } from "../../resources/webhook-endpoints/signing-secrets.ts";
import { endLeasesText, isAnyText, lanesText, releaseStatement, stillWaitsText } from "./delivery-leases.ts";

/** Twice the longest attempt: an honest worker has recorded it by then. */
const LEASE_SECONDS = 60;

/** Alerts are read by people: a destination that gets more at once is not better off. */
const IN_FLIGHT_PER_RULE = 2;
/** Of rules whose destinations respond, and as many of the others. */
const IN_FLIGHT_PER_ORGANIZATION = 8;
/**
 * Of both together. Those of rules that begin to fail count as the others' from then on, and make room for further rules of the first kind: where
 * all destinations of an organization are silent at once, it would have eight more in flight every few seconds.
 */
const MOST_IN_FLIGHT_PER_ORGANIZATION = 2 * IN_FLIGHT_PER_ORGANIZATION;

/** Most destinations respond sooner. One that does not leaves its place to rules whose destinations do. */
const SLOW_AFTER_SECONDS = 3;

export interface AlertedRule {
  organizationId: string;
  id: string;
  /** As it is shown. */
  destination: AlertDestination;
  /** Where it goes, unless that is e-mail. */
  sealedUrl: string | null;
  /** Of a webhook destination. */
  signingSecret: string | null;
  previousSecrets: readonly PreviousSecret[];
}

export interface ClaimedAlert {
  organizationId: string;
  id: string;
  claimNo: number;
  attemptsMade: number;
  alert: string;
  rule: AlertedRule;
}

/** Claims up to this many due alerts. The caller must attempt them at once. */
export async function claimAlerts(database: Database, free: number): Promise<ClaimedAlert[]> {
  // Planning the claim takes milliseconds: a service without anything to send looks every second.
  if (!(await isAnyAlert(database))) return [];
  const { rows } = await sql<{
    organizationId: string;
    id: string;
    claimNo: number;
    attemptsMade: number;
    alert: string;
    alertRuleId: string;
    destination: AlertDestination;
    sealedUrl: string | null;
    signingSecret: string | null;
    previousSecrets: PreviousSecret[];
  }>`
    with recursive ended as (
      ${END_LEASES}
    ), lane as (
      -- The rules that have something waiting.
      ${LANES}
    ), ${DUE}
    ), locked as (
      select d.organization_id, d.id from due
      join alert_deliveries d on d.organization_id = due.organization_id and d.id = due.id
      where due.place_of_all <= ${MOST_IN_FLIGHT_PER_ORGANIZATION} and ${STILL_WAITS}
      order by due.place, due.next_attempt_at limit ${free} for update of d skip locked
    ), claimed as (
      update alert_deliveries d
      set claimed_until = now() + make_interval(secs => ${LEASE_SECONDS}), claim_no = d.claim_no + 1
      from locked l where d.organization_id = l.organization_id and d.id = l.id
      returning d.organization_id, d.id, d.claim_no, d.attempts_made, d.alert, d.alert_rule_id
    )
    select c.*, r.destination, r.sealed_url, r.signing_secret, r.previous_secrets from claimed c
    join alert_rules r on r.organization_id = c.organization_id and r.id = c.alert_rule_id`.execute(database.db);
  return rows.map(({ alertRuleId, destination, sealedUrl, signingSecret, previousSecrets, ...claim }) => ({
    ...claim,
    rule: {
      organizationId: claim.organizationId,
      id: alertRuleId,
      destination,
      sealedUrl,
      signingSecret,
      previousSecrets,
    },
  }));
}

/**
 * SQL: what each rule may have sent now, by `place` in its organization's line: of the rules whose destinations respond, and of the others. A
 * rule with less in flight comes first.
 */
const DUE = sql`in_flight as materialized (
  select organization_id, alert_rule_id, count(*) as n,
    min(claimed_until) < now() + make_interval(secs => ${LEASE_SECONDS - SLOW_AFTER_SECONDS}) as is_slow
  from alert_deliveries where claimed_until >= now() group by organization_id, alert_rule_id
), rule as materialized (
  -- What is to be repeated is due behind all that is new.
  select r.organization_id, r.alert_rule_id, coalesce(h.n, 0) as n, coalesce(h.is_slow, false) or coalesce((
      select attempts_made > 0 from alert_deliveries
      where alert_rule_id = r.alert_rule_id and status = 'pending' and claimed_until is null
      order by next_attempt_at desc limit 1), false) as is_failing
  from (select organization_id, alert_rule_id from lane union select organization_id, alert_rule_id from in_flight) r
  left join in_flight h on h.organization_id = r.organization_id and h.alert_rule_id = r.alert_rule_id
), busy as materialized (
  select organization_id, is_failing, sum(n) as n from rule group by organization_id, is_failing
), placed as (
  select d.organization_id, d.id, d.next_attempt_at, r.is_failing,
    row_number() over (partition by d.organization_id, r.is_failing order by r.n + d.line_no, d.next_attempt_at)
      + coalesce((select n from busy b where b.organization_id = d.organization_id and b.is_failing = r.is_failing), 0) as place
  from rule r join organizations o on o.id = r.organization_id and o.state = 'active'
  cross join lateral (
    select organization_id, id, next_attempt_at, row_number() over (order by next_attempt_at rows unbounded preceding) as line_no
    from alert_deliveries
    where alert_rule_id = r.alert_rule_id and status = 'pending' and claimed_until is null and next_attempt_at <= now()
    order by next_attempt_at limit greatest(0, ${IN_FLIGHT_PER_RULE}::int - r.n)
  ) d
), due as (
  select p.organization_id, p.id, p.next_attempt_at, p.place,
    row_number() over (partition by p.organization_id order by p.is_failing, p.place)
      + coalesce((select sum(n) from busy b where b.organization_id = p.organization_id), 0) as place_of_all
  from placed p where p.place <= ${IN_FLIGHT_PER_ORGANIZATION}`;

async function isAnyAlert(database: Database): Promise<boolean> {
  const { rows } = await IS_ANY.execute(database.db);
  return rows[0]?.isAny === true;
}

const IS_ANY = sql<{ isAny: boolean }>`${sql.raw(isAnyText("alert_deliveries", "alert_rule_id"))}`;
const END_LEASES = sql.raw(endLeasesText("alert_deliveries"));
const STILL_WAITS = sql.raw(stillWaitsText("d"));
const LANES = sql.raw(lanesText("alert_deliveries", "alert_rule_id"));

/** Releases claims without a record: another worker may take them at once. */
export async function releaseAlerts(database: Database, claims: readonly ClaimedAlert[]): Promise<void> {
  await statementsOf(database.db).query(releaseStatement("alert_deliveries", claims));
}
