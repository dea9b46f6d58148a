/**
 * How workers claim alerts. A claim is a lease written on the delivery (`claimed_until`, `claim_no`): a worker that
 * dies leaves it to end, and the alert is attempted again; a record is fenced by the number, so that a worker which was
 * believed dead cannot write late. Rules and organizations have few slots each, so that a dead destination delays nobody else.
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
const IN_FLIGHT_PER_ORGANIZATION = 8;

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
    ), in_flight as materialized (
      select organization_id, alert_rule_id, count(*) as n from alert_deliveries
      where claimed_until >= now() group by organization_id, alert_rule_id
    ), due as (
      select d.organization_id, d.id, d.next_attempt_at,
        row_number() over (partition by d.organization_id order by d.next_attempt_at)
          + coalesce((select sum(n) from in_flight h where h.organization_id = d.organization_id), 0) as place
      from lane l join organizations o on o.id = l.organization_id and o.state = 'active'
      cross join lateral (
        select organization_id, id, next_attempt_at from alert_deliveries
        where alert_rule_id = l.alert_rule_id and status = 'pending' and claimed_until is null and next_attempt_at <= now()
        order by next_attempt_at
        limit greatest(0, ${IN_FLIGHT_PER_RULE}::int - coalesce((select n from in_flight h where h.alert_rule_id = l.alert_rule_id), 0))
      ) d
    ), locked as (
      select d.organization_id, d.id from due
      join alert_deliveries d on d.organization_id = due.organization_id and d.id = due.id
      where due.place <= ${IN_FLIGHT_PER_ORGANIZATION} and ${STILL_WAITS}
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
