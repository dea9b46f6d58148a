/** Alert rules: which events an organization wants to be notified of, and where. */
import type { Operations } from "@rowmill/contract";
import type { AlertRule, AlertRuleWithSecret } from "@rowmill/contract/alert-rules";
import type { Input, Page, PageOf } from "@rowmill/contract/operation";
import type { Selectable } from "kysely";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import type { Conditions } from "../../platform/conditions/conditions.ts";
import type { Queryable, Transaction } from "../../platform/database/database.ts";
import type { AlertRulesTable } from "../../platform/database/alert-tables.ts";
import { ApiError, invalidState, notFound } from "../../platform/http/errors.ts";
import { readPage } from "../../platform/http/pages.ts";
import { formatId, newUuid } from "../../platform/ids.ts";
import type { Sealer } from "../../platform/secrets/sealing.ts";
import { acceptDestination, destinationColumns, shownDestination } from "./rule-destination.ts";
import type { DestinationParts } from "./rule-destination.ts";
import { checkEventType, checkFilter } from "./rule-conditions.ts";
import { lockOrganization } from "../organizations/lock-organization.ts";
import { recordAudit } from "../audit-events/audit-events.ts";
import { newSigningSecret } from "../webhook-endpoints/signing.ts";
import { retireSecret, sealSecret } from "../webhook-endpoints/signing-secrets.ts";

/** Every event is evaluated by all rules on its type; people do not read the alerts of more. */
const MAX_RULES = 200;

export const DEFAULT_COOLDOWN_SECONDS = 300;

export type RuleRow = Selectable<AlertRulesTable>;

export interface RuleParts extends DestinationParts {
  sealer: Sealer;
  conditions: Conditions;
}

type CreateBody = Input<Operations["createAlertRule"]>["body"];
type UpdateBody = Input<Operations["updateAlertRule"]>["body"];

/** Checks everything that needs no transaction; the filter is compiled in a thread of its own. */
export async function prepareCreate(
  parts: RuleParts,
  caller: OrganizationCaller,
  body: CreateBody,
): Promise<(tx: Transaction) => Promise<AlertRuleWithSecret>> {
  checkEventType(body.eventType);
  const destination = acceptDestination(parts, body.destination);
  await checkFilter(parts.conditions, caller.organizationId, body.filter);
  return (tx) => createAlertRule(tx, caller, parts.sealer, { ...body, destination });
}

async function createAlertRule(
  tx: Transaction,
  caller: OrganizationCaller,
  sealer: Sealer,
  body: CreateBody,
): Promise<AlertRuleWithSecret> {
  const { organizationId } = caller;
  await checkLimit(tx, organizationId);
  const id = newUuid();
  const signingSecret = body.destination.type === "webhook" ? newSigningSecret() : null;
  const now = new Date();
  const row = await tx
    .insertInto("alertRules")
    .values({
      organizationId,
      id,
      name: body.name,
      eventType: body.eventType,
      enabled: body.enabled ?? true,
      filter: body.filter ?? null,
      trigger: JSON.stringify(body.trigger ?? { type: "each" }),
      cooldownSeconds: body.cooldownSeconds ?? DEFAULT_COOLDOWN_SECONDS,
      ...destinationColumns(sealer, { organizationId, id }, body.destination),
      signingSecret:
        signingSecret === null ? null : sealSecret(sealer, "alert_rules", { organizationId, id }, signingSecret),
      createdAt: now,
      updatedAt: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordAudit(tx, caller, {
    organizationId,
    type: "alert_rule.created",
    targetType: "alert_rule",
    targetId: formatId("alertRule", id),
    changes: { ...body, destination: shownDestination(body.destination) },
  });
  return { ...describe(row), signingSecret };
}

export async function listAlertRules(
  db: Queryable,
  { organizationId }: OrganizationCaller,
  { enabled, eventType }: Input<Operations["listAlertRules"]>["filters"],
  page: Page,
): Promise<PageOf<AlertRule>> {
  const { rows, next } = await readPage(
    (part) =>
      db
        .selectFrom("alertRules")
        .selectAll()
        .where("organizationId", "=", organizationId)
        .where("deletedAt", "is", null)
        .$if(enabled !== undefined, (q) => q.where("enabled", "=", enabled ?? true))
        .$if(eventType !== undefined, (q) => q.where("eventType", "in", eventType ?? []))
        .$if(part.after !== undefined, (q) => q.where("id", "<", String(part.after?.[0])))
        .orderBy("id", "desc"),
    page,
    (row) => [row.id],
  );
  return { data: rows.map(describe), next };
}

export async function getAlertRule(db: Queryable, caller: OrganizationCaller, id: string): Promise<AlertRule> {
  return describe(await findRule(db, caller.organizationId, id));
}

export async function findRule(db: Queryable, organizationId: string, id: string): Promise<RuleRow> {
  const row = await ruleQuery(db, organizationId, id).executeTakeFirst();
  if (!row) throw notFound("alert rule");
  return row;
}

const ruleQuery = (db: Queryable, organizationId: string, id: string) =>
  db
    .selectFrom("alertRules")
    .selectAll()
    .where("organizationId", "=", organizationId)
    .where("id", "=", id)
    .where("deletedAt", "is", null);

async function lockRule(tx: Transaction, organizationId: string, id: string): Promise<RuleRow> {
  const row = await ruleQuery(tx, organizationId, id).forUpdate().executeTakeFirst();
  if (!row) throw notFound("alert rule");
  return row;
}

export async function prepareUpdate(
  db: Queryable,
  parts: RuleParts,
  caller: OrganizationCaller,
  id: string,
  body: UpdateBody,
): Promise<(tx: Transaction) => Promise<AlertRuleWithSecret>> {
  await findRule(db, caller.organizationId, id);
  if (body.eventType !== undefined) checkEventType(body.eventType);
  const destination = body.destination === undefined ? undefined : acceptDestination(parts, body.destination);
  await checkFilter(parts.conditions, caller.organizationId, body.filter);
  const accepted = destination === undefined ? body : { ...body, destination };
  return (tx) => updateAlertRule(tx, caller, parts.sealer, id, accepted);
}

async function updateAlertRule(
  tx: Transaction,
  caller: OrganizationCaller,
  sealer: Sealer,
  id: string,
  body: UpdateBody,
): Promise<AlertRuleWithSecret> {
  const { organizationId } = caller;
  const before = await lockRule(tx, organizationId, id);
  const { name, eventType, enabled, filter, trigger, cooldownSeconds, destination } = body;
  const needsSecret = destination?.type === "webhook" && before.signingSecret === null;
  const signingSecret = needsSecret ? newSigningSecret() : null;
  const beginsAnew = eventType !== undefined || filter !== undefined || trigger !== undefined || enabled !== undefined;
  const row = await tx
    .updateTable("alertRules")
    .set((eb) => ({
      ...(name === undefined ? {} : { name }),
      ...(eventType === undefined ? {} : { eventType }),
      ...(enabled === undefined ? {} : { enabled }),
      ...(filter === undefined ? {} : { filter, filterError: null }),
      ...(trigger === undefined ? {} : { trigger: JSON.stringify(trigger) }),
      ...(cooldownSeconds === undefined ? {} : { cooldownSeconds }),
      ...(destination === undefined ? {} : destinationColumns(sealer, { organizationId, id }, destination)),
      ...(signingSecret === null
        ? {}
        : { signingSecret: sealSecret(sealer, "alert_rules", { organizationId, id }, signingSecret) }),
      ...(beginsAnew
        ? {
            revision: eb("revision", "+", 1),
            counted: "[]",
            judgedUntil: null,
            coolingUntil: null,
            suppressedDeliveryId: null,
          }
        : {}),
      updatedAt: new Date(),
    }))
    .where("organizationId", "=", organizationId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
  // Candidates of another type, or of the time before the rule was disabled, no longer concern it.
  if (eventType !== undefined || enabled === false) await dropCandidates(tx, organizationId, id);
  await recordAudit(tx, caller, {
    organizationId,
    type: "alert_rule.updated",
    targetType: "alert_rule",
    targetId: formatId("alertRule", id),
    changes: { ...body, ...(destination === undefined ? {} : { destination: shownDestination(destination) }) },
  });
  return { ...describe(row), signingSecret };
}

/** Alerts that wait are signed with the new secret, too: each attempt is signed at its own time. */
export async function rotateAlertRuleSecret(
  tx: Transaction,
  caller: OrganizationCaller,
  sealer: Sealer,
  id: string,
): Promise<AlertRuleWithSecret> {
  const { organizationId } = caller;
  const before = await lockRule(tx, organizationId, id);
  const { destination, signingSecret: current, previousSecrets } = before;
  if (destination.type !== "webhook" || current === null)
    throw invalidState("Only alerts to a webhook are signed, and this rule has no webhook destination.");
  const now = new Date();
  const signingSecret = newSigningSecret();
  const row = await tx
    .updateTable("alertRules")
    .set({
      signingSecret: sealSecret(sealer, "alert_rules", { organizationId, id }, signingSecret),
      previousSecrets: JSON.stringify(retireSecret({ signingSecret: current, previousSecrets }, now)),
      updatedAt: now,
    })
    .where("organizationId", "=", organizationId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordAudit(tx, caller, {
    organizationId,
    type: "alert_rule.secret_rotated",
    targetType: "alert_rule",
    targetId: formatId("alertRule", id),
  });
  return { ...describe(row), signingSecret };
}

/** The row stays, for its deliveries' sake; nothing shows or uses it any more. */
export async function deleteAlertRule(tx: Transaction, caller: OrganizationCaller, id: string): Promise<undefined> {
  const { organizationId } = caller;
  await lockRule(tx, organizationId, id);
  await tx
    .updateTable("alertRules")
    .set({ deletedAt: new Date(), sealedUrl: null, signingSecret: null, previousSecrets: "[]", counted: "[]" })
    .where("organizationId", "=", organizationId)
    .where("id", "=", id)
    .execute();
  await dropCandidates(tx, organizationId, id);
  await tx
    .updateTable("alertDeliveries")
    .set({ status: "failed", nextAttemptAt: null, updatedAt: new Date() })
    .where("organizationId", "=", organizationId)
    .where("alertRuleId", "=", id)
    .where("status", "=", "pending")
    .execute();
  await recordAudit(tx, caller, {
    organizationId,
    type: "alert_rule.deleted",
    targetType: "alert_rule",
    targetId: formatId("alertRule", id),
  });
  return undefined;
}

const dropCandidates = (tx: Transaction, organizationId: string, alertRuleId: string) =>
  tx
    .deleteFrom("alertCandidates")
    .where("organizationId", "=", organizationId)
    .where("alertRuleId", "=", alertRuleId)
    .execute();

async function checkLimit(tx: Transaction, organizationId: string): Promise<void> {
  await lockOrganization(tx, organizationId);
  const { count } = await tx
    .selectFrom("alertRules")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("organizationId", "=", organizationId)
    .where("deletedAt", "is", null)
    .executeTakeFirstOrThrow();
  if (count >= MAX_RULES)
    throw new ApiError("limit_reached", `The organization has ${count} alert rules, which is the limit. Delete one.`);
}

const describe = (row: RuleRow): AlertRule => ({
  id: formatId("alertRule", row.id),
  name: row.name,
  enabled: row.enabled,
  eventType: row.eventType as AlertRule["eventType"], // checked when it was stored
  filter: row.filter,
  filterError: row.filterError,
  trigger: row.trigger,
  cooldownSeconds: row.cooldownSeconds,
  destination: row.destination,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});
