/**
 * Decides which events become alerts. A reconciler over `alert_candidates`, one rule at a time. The next rule is one of the organization
 * that has used the least time, and within it the next of its rules:
 *
 *     take an organization ──► claim a rule of it by lease (`claim-rules.ts`) ──► ask its filter, outside any transaction ──► in one transaction:
 *     lock the rule, remove the candidates, write alerts and suppressed records, and what the rule remembers (`record-decision.ts`)
 *
 * Candidates go only with what was decided on them, so after a crash the next pass finds them, and an event that two
 * workers evaluated is decided by the one that removes it. A rule that was changed meanwhile is evaluated again.
 */
import type { Conditions, Evaluation } from "../../platform/conditions/conditions.ts";
import { isUnavailable, sql } from "../../platform/database/database.ts";
import type { Database, OrganizationDatabase } from "../../platform/database/database.ts";
import type { Tasks } from "../../platform/database/tenants.ts";
import { FairShare } from "../../platform/fair-share.ts";
import { OrganizationsFailedError } from "../../platform/log-failures.ts";
import type { FailureOfOrganization } from "../../platform/log-failures.ts";
import { NIL_UUID } from "../../platform/ids.ts";
import { renderEnvelope } from "../../resources/events/events.ts";
import type { RuleRow } from "../../resources/alert-rules/alert-rules.ts";
import { ORGANIZATIONS_AT_ONCE, claimRule, findOrganizations } from "./claim-rules.ts";
import { isOpen, recordDecision } from "./record-decision.ts";
import type { AlertOptions, Candidate } from "./record-decision.ts";

/** Failures are thrown when no rule waits, or there are as many: as long as rules of others wait, nothing else would report them. */
const MOST_FAILURES_KEPT = 100;
/** Envelopes of up to 4 KB, evaluated together; then another rule follows. */
const EVENTS_AT_ONCE = 200;

export interface EvaluationParts extends AlertOptions {
  database: Database;
  tasks: Pick<Tasks, "of">;
  conditions: Conditions;
  publicUrl: () => string;
}

/** Each call evaluates one group of events of one rule; returns false when no rule waits. */
export function createRuleEvaluator(parts: EvaluationParts): () => Promise<boolean> {
  const shares = new FairShare<"evaluation">();
  const waiting = new Set<string>();
  /** The rule of each organization that was evaluated last. */
  const lastRules = new Map<string, string>();
  let lastOrganization = NIL_UUID;

  /** New ones are found at each pass, so that none waits until those before it are done. */
  async function findWaiting(): Promise<void> {
    const found = await findOrganizations(parts.database, lastOrganization);
    if (found.length < ORGANIZATIONS_AT_ONCE && lastOrganization !== NIL_UUID)
      found.push(...(await findOrganizations(parts.database, NIL_UUID)));
    lastOrganization = found.length < ORGANIZATIONS_AT_ONCE ? NIL_UUID : (found.at(-1) ?? NIL_UUID);
    for (const organizationId of found) {
      if (waiting.has(organizationId)) continue;
      waiting.add(organizationId);
      shares.add({ organizationId, ownerId: "rules" }, "evaluation");
    }
  }

  async function evaluateOne(organizationId: string): Promise<boolean> {
    const afterRuleId = lastRules.get(organizationId) ?? NIL_UUID;
    const rule =
      (await claimRule(parts.database, organizationId, afterRuleId)) ??
      (await claimRule(parts.database, organizationId, NIL_UUID));
    if (rule === undefined) {
      lastRules.delete(organizationId);
      return false;
    }
    lastRules.set(organizationId, rule.id);
    await evaluateRule(parts, rule);
    return true;
  }

  const failed: FailureOfOrganization[] = [];
  return async () => {
    await findWaiting();
    for (let next = shares.take(); next !== null; next = shares.take()) {
      const { party } = next;
      waiting.delete(party.organizationId);
      const startedAt = performance.now();
      try {
        if (await evaluateOne(party.organizationId)) return true;
      } catch (error) {
        // Its rule is claimed until its lease ends; the rules of others come meanwhile.
        if (isUnavailable(error)) throw error;
        failed.push({ organizationId: party.organizationId, error });
        if (failed.length >= MOST_FAILURES_KEPT) throw new OrganizationsFailedError(failed.splice(0));
      } finally {
        shares.finish(party, performance.now() - startedAt, false);
      }
    }
    if (failed.length > 0) throw new OrganizationsFailedError(failed.splice(0));
    return false;
  };
}

async function evaluateRule(parts: EvaluationParts, rule: RuleRow): Promise<void> {
  const database = parts.tasks.of(rule.organizationId);
  const candidates = await readCandidates(database, rule);
  const evaluation = await askFilter(parts, rule, candidates);
  await database.transaction((tx) => recordDecision(tx, rule, candidates, evaluation, parts));
}

async function readCandidates(database: OrganizationDatabase, rule: RuleRow): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    select c.event_id as id, e.payload, e.created_at
    from alert_candidates c left join events e on e.organization_id = c.organization_id and e.id = c.event_id
    where c.organization_id = ${rule.organizationId} and c.alert_rule_id = ${rule.id}
    order by c.event_id limit ${EVENTS_AT_ONCE}`.execute(database.db);
  return rows;
}

async function askFilter(
  { conditions, publicUrl }: EvaluationParts,
  rule: RuleRow,
  candidates: readonly Candidate[],
): Promise<Evaluation | null> {
  if (rule.filter === null || !isOpen(rule)) return null;
  return conditions.evaluate(
    { source: rule.filter, variable: "event" },
    candidates.map(({ payload }) => (payload === null ? "{}" : renderEnvelope(payload, publicUrl()))),
    { organizationId: rule.organizationId, ownerId: rule.id },
  );
}
