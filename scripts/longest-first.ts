/** The order of the test files: the longest first, so that none of them is left alone at the end, with other processes idle. */
import { BaseSequencer } from "vitest/node";
import type { TestSpecification } from "vitest/node";

/**
 * Files of 12 seconds and more on two cores, the longest first, as `npm test` has shown them. Vitest remembers times itself, but not
 * where the checkout is new; there it would go by the sizes of the files.
 */
const LONGEST = [
  "tests/guide.test.ts",
  "tests/console/screens.test.ts",
  "packages/server/src/engine/provider-batches/killed-batches.test.ts",
  "tests/packages.test.ts",
  "packages/cli/src/map/bad-input.test.ts",
  "packages/server/src/engine/lanes/transform-fairness.test.ts",
  "packages/server/src/engine/run-durability.test.ts",
  "packages/server/src/engine/provider-batches/provider-batches.test.ts",
  "packages/server/src/engine/rows/poison-row.test.ts",
  "packages/server/src/platform/database/embedded/owned-server.test.ts",
  "packages/server/src/engine/rows/paid-rows.test.ts",
  "packages/cli/src/local/killed-service.test.ts",
  "tests/console/live.test.ts",
  "tests/list-costs.test.ts",
  "packages/server/src/resources/runs/run-states.test.ts",
  "tests/console/session.test.ts",
  "packages/server/src/intake/readers/parquet.test.ts",
  "packages/cli/src/map/map-rows.test.ts",
  "tests/demo-killed.test.ts",
  "tests/start-and-stop.test.ts",
  "packages/server/src/delivery/alerts/alerts.test.ts",
  "packages/server/src/delivery/webhooks/dispatching.test.ts",
  "packages/server/src/platform/database/embedded/embedded-database.test.ts",
  "packages/cli/src/local/local-service.test.ts",
  "packages/server/src/engine/rows/paid-rows-budgets.test.ts",
  "packages/server/src/delivery/webhooks/interruptions.test.ts",
  "tests/console/run-parts.test.ts",
  "tests/console/main-job.test.ts",
  "tests/failover.test.ts",
  "tests/console/lost-network.test.ts",
  "packages/cli/src/commands/backup.test.ts",
  "packages/server/src/resources/exports/exports.crash.test.ts",
  "packages/server/src/engine/rows/paid-rows-outage.test.ts",
  "tests/start-examples.test.ts",
  "packages/server/src/resources/bulk-actions/bulk-actions.test.ts",
  "packages/server/src/processors/transform/transform.hostile.test.ts",
  "packages/server/src/engine/rows/paid-rows-killed.test.ts",
  "packages/server/src/platform/database/embedded/stuck-recovery.test.ts",
  "packages/server/src/intake/intake.test.ts",
  "packages/server/src/intake/interrupted-intake.test.ts",
  "packages/server/src/resources/runs/retry.test.ts",
  "packages/cli/src/map/first-rows.test.ts",
  "packages/server/src/backup/backup.test.ts",
  "packages/server/src/resources/exports/exports.parquet.test.ts",
  "packages/server/src/resources/runs/run-stream.test.ts",
  "packages/server/src/resources/connections/test-connection.test.ts",
  "tests/console/administration.test.ts",
  "packages/server/src/resources/runs/estimate-run.test.ts",
  "tests/console/main-job-model.test.ts",
  "packages/server/src/intake/readers/source-file.test.ts",
  "tests/replica.test.ts",
  "tests/console/datasets.test.ts",
  "packages/server/src/intake/read-ahead.test.ts",
  "packages/server/src/engine/chunks/duplicate-rows.test.ts",
  "tests/embedded-database-lost.test.ts",
  "packages/server/src/intake/readers/csv.test.ts",
  "packages/cli/src/commands/dev.test.ts",
  "packages/server/src/delivery/streams/event-stream.test.ts",
  "packages/server/src/intake/resumable-content.test.ts",
  "packages/server/src/platform/worker-process.test.ts",
  "tests/access.test.ts",
  "tests/wrong-bodies.test.ts",
  "packages/server/src/engine/provider-batches/aimock-batches.test.ts",
  "tests/console/runs.test.ts",
  "packages/cli/src/map/leave-and-return.test.ts",
  "tests/console/keyboard.test.ts",
  "packages/cli/src/commands/apply.test.ts",
  "packages/server/src/engine/provider-batches/batch-failures.test.ts",
  "packages/server/src/intake/readers/spare-reader.test.ts",
  "packages/server/src/processors/transform/transform.isolation.test.ts",
  "packages/server/src/intake/readers/reader-process.test.ts",
  "packages/server/src/engine/lanes/run-start.test.ts",
  "packages/server/src/resources/api-keys/lost-authority.test.ts",
  "tests/console/large-runs.test.ts",
  "tests/cluster-statements.test.ts",
  "packages/server/src/platform/http/rate-limits.test.ts",
  "packages/server/src/resources/runs/run-results.test.ts",
  "packages/server/src/resources/job-specs/large-lists.test.ts",
  "packages/server/src/platform/conditions/conditions.test.ts",
  "tests/console/console-access.test.ts",
  "packages/server/src/platform/queue/queue.test.ts",
  "packages/server/src/mcp/tasks.test.ts",
  "packages/server/src/engine/lanes/lost-worker.test.ts",
];

const placeOf = ({ moduleId }: TestSpecification): number => {
  const place = LONGEST.findIndex((path) => moduleId.endsWith(`/${path}`));
  return place === -1 ? LONGEST.length : place;
};

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
