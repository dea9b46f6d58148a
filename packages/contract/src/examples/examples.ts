/** One example for each operation; `tests/examples.test.ts` proves them. */
import type { OperationId } from "../contract.ts";
import type { Example } from "./example.ts";
import { organizationsExamples } from "./organizations-examples.ts";
import { apiKeysExamples } from "./api-keys-examples.ts";
import { membersExamples } from "./members-examples.ts";
import { connectionsExamples } from "./connections-examples.ts";
import { uploadsExamples } from "./uploads-examples.ts";
import { datasetsExamples } from "./datasets-examples.ts";
import { jobSpecsExamples } from "./job-specs-examples.ts";
import { jobSpecVersionsExamples } from "./job-spec-versions-examples.ts";
import { runsExamples } from "./runs-examples.ts";
import { runActionsExamples } from "./run-actions-examples.ts";
import { resultsExamples } from "./results-examples.ts";
import { exportsExamples } from "./exports-examples.ts";
import { bulkActionsExamples } from "./bulk-actions-examples.ts";
import { webhooksExamples } from "./webhooks-examples.ts";
import { webhookDeliveriesExamples } from "./webhook-deliveries-examples.ts";
import { alertsExamples } from "./alerts-examples.ts";
import { alertDeliveriesExamples } from "./alert-deliveries-examples.ts";
import { serviceExamples } from "./service-examples.ts";
import { sessionsExamples } from "./sessions-examples.ts";

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
