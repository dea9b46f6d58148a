/** One example for each operation; `tests/examples.test.ts` proves them. */
import type { OperationId } from "../contract.ts";
import type { Example } from "./example.ts";
import { organizationsExamples } from "./organizations.ts";
import { apiKeysExamples } from "./api-keys.ts";
import { membersExamples } from "./members.ts";
import { connectionsExamples } from "./connections.ts";
import { uploadsExamples } from "./uploads.ts";
import { datasetsExamples } from "./datasets.ts";
import { jobSpecsExamples } from "./job-specs.ts";
import { jobSpecVersionsExamples } from "./job-spec-versions.ts";
import { runsExamples } from "./runs.ts";
import { runActionsExamples } from "./run-actions.ts";
import { resultsExamples } from "./results.ts";
import { exportsExamples } from "./exports.ts";
import { bulkActionsExamples } from "./bulk-actions.ts";
import { webhooksExamples } from "./webhooks.ts";
import { webhookDeliveriesExamples } from "./webhook-deliveries.ts";
import { alertsExamples } from "./alerts.ts";
import { alertDeliveriesExamples } from "./alert-deliveries.ts";
import { serviceExamples } from "./service.ts";
import { sessionsExamples } from "./sessions.ts";

export const examples: Readonly<Record<OperationId, Example>> = {
  ...organizationsExamples,
  ...apiKeysExamples,
  ...membersExamples,
  ...connectionsExamples,
  ...uploadsExamples,
  ...datasetsExamples,
  ...jobSpecsExamples,
  ...jobSpecVersionsExamples,
  ...runsExamples,
  ...runActionsExamples,
  ...resultsExamples,
  ...exportsExamples,
  ...bulkActionsExamples,
  ...webhooksExamples,
  ...webhookDeliveriesExamples,
  ...alertsExamples,
  ...alertDeliveriesExamples,
  ...serviceExamples,
  ...sessionsExamples,
};
