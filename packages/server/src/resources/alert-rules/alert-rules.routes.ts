import type { Handlers, ReplayChecks } from "../../platform/http/handlers.ts";
import type { Services } from "../../services.ts";
import { getAlertDelivery, listAlertDeliveries } from "./alert-deliveries.ts";
import {
  deleteAlertRule,
  getAlertRule,
  listAlertRules,
  prepareCreate,
  prepareUpdate,
  rotateAlertRuleSecret,
} from "./alert-rules.ts";
import { isRuleInUse } from "./rule-replays.ts";

export const alertRuleRoutes = ({ sealer, conditions, mailer, receiverOrigins }: Services) => {
  const parts = { sealer, conditions, sendsMail: mailer !== undefined, receiverOrigins };
  return {
    createAlertRule: { prepare: (_db, caller, { body }) => prepareCreate(parts, caller, body) },
    listAlertRules: (db, caller, { filters, page }) => listAlertRules(db, caller, filters, page),
    getAlertRule: (db, caller, { params }) => getAlertRule(db, caller, params.alertRuleId),
    updateAlertRule: {
      prepare: (db, caller, { params, body }) => prepareUpdate(db, parts, caller, params.alertRuleId, body),
    },
    rotateAlertRuleSecret: (tx, caller, { params }) => rotateAlertRuleSecret(tx, caller, sealer, params.alertRuleId),
    deleteAlertRule: (tx, caller, { params }) => deleteAlertRule(tx, caller, params.alertRuleId),
    listAlertDeliveries: (db, caller, { filters, page }) => listAlertDeliveries(db, caller, filters, page),
    getAlertDelivery: (db, caller, { params }) => getAlertDelivery(db, caller, params.alertDeliveryId),
  } satisfies Partial<Handlers>;
};

export const alertRuleReplays = {
  createAlertRule: isRuleInUse,
  rotateAlertRuleSecret: isRuleInUse,
} satisfies Partial<ReplayChecks>;
