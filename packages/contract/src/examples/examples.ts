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
import { runsExamples } from "./runs.ts";
import { runActionsExamples } from "./run-actions.ts";
import { resultsExamples } from "./results.ts";
import { exportsExamples } from "./exports.ts";
import { bulkActionsExamples } from "./bulk-actions.ts";
import { webhooksExamples } from "./webhooks.ts";
import { alertsExamples } from "./alerts.ts";
import { serviceExamples } from "./service.ts";

export const examples: Readonly<Record<OperationId, Example>> = {
  ...organizationsExamples,
  ...apiKeysExamples,
  ...membersExamples,
  ...connectionsExamples,
  ...uploadsExamples,
  ...datasetsExamples,
  ...jobSpecsExamples,
  ...runsExamples,
  ...runActionsExamples,
  ...resultsExamples,
  ...exportsExamples,
  ...bulkActionsExamples,
  ...webhooksExamples,
  ...alertsExamples,
  ...serviceExamples,
};
