/** Alert rules: which events an organization wants to be notified of, and where. */
import type { Operations } from "@rowmill/contract";
import type { AlertRule, AlertRuleWithSecret } from "@rowmill/contract/alert-rules";
import type { Input } from "@rowmill/contract/operation";
import type { Selectable } from "kysely";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import type { Conditions } from "../../platform/conditions/conditions.ts";
import { sql } from "../../platform/database/database.ts";
import type { Transaction } from "../../platform/database/database.ts";
import type { AlertRulesTable } from "../../platform/database/alert-tables.ts";
import { invalidState } from "../../platform/http/errors.ts";
import type { OperationFunction, PrepareFunction } from "../../platform/http/handlers.ts";
import { formatId, newUuid } from "../../platform/ids.ts";
import type { Sealer } from "../../platform/secrets/sealing.ts";
import { acceptDestination, destinationColumns, shownDestination } from "./rule-destination.ts";
import type { DestinationParts } from "./rule-destination.ts";
import { checkEventType, checkFilter } from "./rule-conditions.ts";
import { json, resource } from "../resource.ts";
import { recordAudit } from "../audit-events/audit-events.ts";
import { RECORDED_AT } from "../events/events.ts";
import { newSigningSecret } from "../webhook-endpoints/signing.ts";
import { retireSecret, sealSecret } from "../webhook-endpoints/signing-secrets.ts";
import { sharedNow } from "../../platform/shared-time.ts";

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

const rules = resource("alertRules", {
  noun: "alert rule",
  deletedIn: "deletedAt",
  large: ["filter", "filterError", "trigger", "destination", "sealedUrl", "counted"],
});

export const findRule = rules.find;

/** Checks everything that needs no transaction; the filter is compiled in a process of its own. */
export const createAlertRule: PrepareFunction<"createAlertRule", RuleParts> = async (_db, caller, { body }, parts) => {
  checkEventType(body.eventType);
  const destination = acceptDestination(parts, body.destination);
  await checkFilter(parts.conditions, caller.organizationId, body.filter);
  return (tx) => insertRule(tx, caller, { ...body, destination }, parts);
};

async function insertRule(
  tx: Transaction,
  caller: OrganizationCaller,
  body: CreateBody,
  { sealer }: RuleParts,
): Promise<AlertRuleWithSecret> {
  const { organizationId } = caller;
  await rules.takePlace(
    tx,
    caller,
    MAX_RULES,
    (count) => `The organization has ${count} alert rules, which is the limit. Delete one.`,
  );
  const id = newUuid();
  const key = { organizationId, id };
  const signingSecret = body.destination.type === "webhook" ? newSigningSecret() : null;
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
      ...destinationColumns(sealer, key, body.destination),
      signingSecret: signingSecret === null ? null : sealSecret(sealer, "alert_rules", key, signingSecret),
      createdAt: RECORDED_AT,
      updatedAt: RECORDED_AT,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const changes = { ...body, destination: shownDestination(body.destination) };
  await recordAudit(tx, caller, "alert_rule.created", id, changes);
  return { ...describe(row), signingSecret };
}

export const listAlertRules: OperationFunction<"listAlertRules"> = async (db, caller, { filters, page }) => {
  const { rows, next } = await rules.list(db, caller, page, filters);
  return { data: rows.map(describe), next };
};

export const getAlertRule: OperationFunction<"getAlertRule"> = async (db, caller, { params }) =>
  describe(await findRule(db, caller, params.alertRuleId));

export const updateAlertRule: PrepareFunction<"updateAlertRule", RuleParts> = async (
  db,
  caller,
  { params, body },
  parts,
) => {
  await findRule(db, caller, params.alertRuleId);
  if (body.eventType !== undefined) checkEventType(body.eventType);
  const destination = body.destination === undefined ? undefined : acceptDestination(parts, body.destination);
  await checkFilter(parts.conditions, caller.organizationId, body.filter);
  const accepted = destination === undefined ? body : { ...body, destination };
  return (tx) => changeRule(tx, caller, params.alertRuleId, accepted, parts);
};

async function changeRule(
  tx: Transaction,
  caller: OrganizationCaller,
  id: string,
  body: UpdateBody,
  { sealer }: RuleParts,
): Promise<AlertRuleWithSecret> {
  const { organizationId } = caller;
  const key = { organizationId, id };
  const before = await rules.lock(tx, caller, id);
  const { name, eventType, enabled, filter, trigger, cooldownSeconds, destination } = body;
  const needsSecret = destination?.type === "webhook" && before.signingSecret === null;
  const signingSecret = needsSecret ? newSigningSecret() : null;
  const startsAgain = eventType !== undefined || filter !== undefined || trigger !== undefined || enabled !== undefined;
  const row = await rules.update(tx, caller, id, {
    name,
    eventType,
    enabled,
    filter,
    filterError: filter === undefined ? undefined : null,
    trigger: json(trigger),
    cooldownSeconds,
    ...(destination === undefined ? {} : destinationColumns(sealer, key, destination)),
    signingSecret: signingSecret === null ? undefined : sealSecret(sealer, "alert_rules", key, signingSecret),
    ...(startsAgain ? { revision: sql`revision + 1`, ...nothingCounted } : {}),
  });
  // Candidates of another type, or of the time before the rule was disabled, no longer concern it.
  if (eventType !== undefined || enabled === false) await dropCandidates(tx, organizationId, id);
  const changes = destination === undefined ? body : { ...body, destination: shownDestination(destination) };
  await recordAudit(tx, caller, "alert_rule.updated", id, changes);
  return { ...describe(row), signingSecret };
}

const nothingCounted = { counted: "[]", leasedUntil: null, coolingUntil: null, suppressedDeliveryId: null };

/** Alerts that wait are signed with the new secret, too: each attempt is signed at its own time. */
export const rotateAlertRuleSecret: OperationFunction<"rotateAlertRuleSecret", RuleParts> = async (
  tx,
  caller,
  { params },
  { sealer },
) => {
  const { organizationId } = caller;
  const key = { organizationId, id: params.alertRuleId };
  const { destination, signingSecret: current, previousSecrets } = await rules.lock(tx, caller, key.id);
  if (destination.type !== "webhook" || current === null)
    throw invalidState("Only alerts to a webhook are signed, and this rule has no webhook destination.");
  const signingSecret = newSigningSecret();
  const row = await rules.update(tx, caller, key.id, {
    signingSecret: sealSecret(sealer, "alert_rules", key, signingSecret),
    previousSecrets: JSON.stringify(retireSecret({ signingSecret: current, previousSecrets }, sharedNow())),
  });
  await recordAudit(tx, caller, "alert_rule.secret_rotated", key.id);
  return { ...describe(row), signingSecret };
};

/** The row stays, for its deliveries' sake; nothing shows or uses it any more. */
export const deleteAlertRule: OperationFunction<"deleteAlertRule"> = async (tx, caller, { params }) => {
  const { organizationId } = caller;
  const id = params.alertRuleId;
  await rules.lock(tx, caller, id);
  await rules.update(tx, caller, id, {
    deletedAt: sharedNow(),
    sealedUrl: null,
    signingSecret: null,
    previousSecrets: "[]",
    counted: "[]",
  });
  await dropCandidates(tx, organizationId, id);
  await tx
    .updateTable("alertDeliveries")
    .set({ status: "failed", nextAttemptAt: null, updatedAt: sharedNow() })
    .where("organizationId", "=", organizationId)
    .where("alertRuleId", "=", id)
    .where("status", "=", "pending")
    .execute();
  await recordAudit(tx, caller, "alert_rule.deleted", id);
  return undefined;
};

const dropCandidates = (tx: Transaction, organizationId: string, alertRuleId: string) =>
  tx
    .deleteFrom("alertCandidates")
    .where("organizationId", "=", organizationId)
    .where("alertRuleId", "=", alertRuleId)
    .execute();

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

export const alertRuleOperations = {
  createAlertRule: { prepare: createAlertRule },
  listAlertRules,
  getAlertRule,
  updateAlertRule: { prepare: updateAlertRule },
  rotateAlertRuleSecret,
  deleteAlertRule,
};
