/** Every queue and every periodic task of a worker. */
import { setTimeout as sleep } from "node:timers/promises";
import { analyzeGrownTables } from "./platform/database/analyze-tables.ts";
import { MAILS_AT_ONCE, MAIL_QUEUE, createMailWorker } from "./platform/mail/mail-queue.ts";
import type { MailJob } from "./platform/mail/mail-queue.ts";
import { purgeOldAlerts, startAlerts } from "./delivery/alerts/alerts.tasks.ts";
import { expireDatasetUploads, sweepContents, workOnIntakes } from "./intake/intake.tasks.ts";
import { sweepIntakeDirectories } from "./intake/intake-directories.ts";
import { BULK_QUEUE } from "./resources/bulk-actions/bulk-actions.ts";
import type { BulkJob } from "./resources/bulk-actions/bulk-actions.ts";
import { BULK_ACTIONS_AT_ONCE, createBulkWorker } from "./resources/bulk-actions/bulk-actions.tasks.ts";
import { purgeDeletedDatasets } from "./resources/datasets/datasets.tasks.ts";
import { expireExports, workOnExports } from "./resources/exports/exports.tasks.ts";
import { recordDeniedAttempts } from "./resources/audit-events/denied-attempts.ts";
import { expireInvitations } from "./resources/invitations/invitations.ts";
import { laneQueues } from "./resources/runs/lanes.ts";
import type { LaneJob } from "./resources/runs/lanes.ts";
import { BATCH_QUEUE } from "./resources/runs/provider-batch-records.ts";
import type { BatchJob } from "./resources/runs/provider-batch-records.ts";
import { sweepBatchDirectories } from "./engine/provider-batches/batch-directories.ts";
import { BATCHES_AT_ONCE, createBatchWorker } from "./engine/provider-batches/provider-batches.tasks.ts";
import { createTrials } from "./engine/chunks/trials.ts";
import { createLaneWorker } from "./engine/lanes/run-lane.tasks.ts";
import { expireRuns, purgeCachedRows, purgeDeletedRuns, purgeRowKeys, startRunsThatWait } from "./engine/runs.tasks.ts";
import { createFollowFreeSpace, followStorageLimits, recountStorage } from "./engine/storage.tasks.ts";
import { followSuspensions } from "./engine/suspension.tasks.ts";
import { settleResults } from "./resources/runs/result-bytes.ts";
import { cancelDeliveriesOfClosedEndpoints } from "./resources/webhook-endpoints/disabling.ts";
import { purgeOldDeliveries } from "./delivery/webhooks/purge-deliveries.ts";
import { followEndedRuns } from "./delivery/follow-ended-runs.tasks.ts";
import { startEventDelivery } from "./delivery/webhooks/webhook-deliveries.tasks.ts";
import { purgeIdempotencyKeys, purgeReplayableSecrets } from "./platform/http/stored-responses.ts";
import { purgeUnusedLimiters } from "./processors/limiter/take-slots.ts";
import { runAs } from "./platform/current-work.ts";
import { reportRepairs } from "./platform/queue/reconcile.ts";
import { reconcilers } from "./reconcilers.ts";
import { createReseal } from "./reseal.ts";
import type { IntakeParts } from "./intake/intake-parts.ts";
import type { Services } from "./services.ts";

/** Created at the start of every role, since the API sends to them. */
export const queueNames = [
  ...Object.values(laneQueues),
  "dataset-intake",
  "export-lane",
  "mail",
  BATCH_QUEUE,
  BULK_QUEUE,
] as const;

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Autovacuum would come by within a minute. It is one look at counters, unless a table has doubled. */
const TABLES_ANALYZED_EVERY_MS = 5 * SECOND_MS;
/** A fast run writes some hundred megabytes in this time, and adding up a long one reads its list of chunks. */
const RESULTS_SETTLED_EVERY_MS = 5 * SECOND_MS;
/** Longest that the first turn of a periodic task waits for that of the one before: on large tables one takes minutes. */
const FIRST_TURN_WAIT_MS = 100;

export interface Worker {
  /** Ends the periodic tasks; the queue's own jobs end with the queue. */
  stop(): Promise<void>;
}

export async function startWorker(services: Services & Pick<IntakeParts, "readAhead">): Promise<Worker> {
  const { database } = services;
  const periodic = createPeriodic(services.log);
  periodic.every(MINUTE_MS, "purge deleted datasets", () => purgeDeletedDatasets(services));
  periodic.every(MINUTE_MS, "expire dataset uploads", () => expireDatasetUploads(services));
  periodic.every(HOUR_MS, "sweep contents of uploads", () => sweepContents(services));
  periodic.every(HOUR_MS, "sweep directories of intakes", () => sweepIntakeDirectories(services));
  periodic.every(MINUTE_MS, "expire exports", () => expireExports(services));
  periodic.every(MINUTE_MS, "record denied attempts", () => recordDeniedAttempts(database));
  periodic.every(MINUTE_MS, "expire invitations", () => expireInvitations(database));
  await services.queue.work<MailJob>(MAIL_QUEUE, MAILS_AT_ONCE, createMailWorker(services));
  await services.queue.work<BulkJob>(BULK_QUEUE, BULK_ACTIONS_AT_ONCE, createBulkWorker(services));
  await workOnIntakes(services);
  await workOnExports(services);

  const { ROWMILL_WORKER_CONCURRENCY: computing, ROWMILL_WAITING_LANES: waiting } = services.config;
  const trials = createTrials();
  // Slow code may keep lanes for many seconds: one place more than an organization may have is there for the others.
  await services.queue.work<LaneJob>(
    laneQueues.computing,
    { places: computing + 1, mostOfOrganization: computing },
    createLaneWorker(services, { kind: "computing", places: computing, trials }),
  );
  await services.queue.work<LaneJob>(
    laneQueues.waiting,
    waiting,
    createLaneWorker(services, { kind: "waiting", places: waiting, trials }),
  );
  await services.queue.work<BatchJob>(BATCH_QUEUE, BATCHES_AT_ONCE, createBatchWorker(services));
  periodic.every(HOUR_MS, "sweep directories of batches", () =>
    sweepBatchDirectories(database, services.config.ROWMILL_DATA_DIR),
  );
  periodic.every(
    TABLES_ANALYZED_EVERY_MS,
    "analyze grown tables",
    async () => void (await analyzeGrownTables(database)),
  );
  periodic.every(HOUR_MS, "purge idempotency keys", () =>
    purgeIdempotencyKeys(database.db, services.config.ROWMILL_IDEMPOTENCY_RETENTION_HOURS),
  );
  periodic.every(MINUTE_MS, "purge replayable secrets", () => purgeReplayableSecrets(database.db));
  periodic.every(10 * SECOND_MS, "start runs that wait", () => startRunsThatWait(services, services));
  for (const { name, everyMs, reconcile } of reconcilers) {
    const report = reportRepairs(name, services);
    // Its metric is there from the start: a rate needs the 0 before the first repair.
    services.meter.countRepairs(name, 0);
    periodic.every(everyMs, `reconcile ${name}`, () => reconcile(services, report));
  }
  periodic.every(SECOND_MS, "expire runs", () => expireRuns(services, services));
  periodic.every(SECOND_MS, "follow suspensions of organizations", () => followSuspensions(services, services));
  periodic.every(SECOND_MS, "follow the free space", createFollowFreeSpace(services, services.freeSpace, services));
  periodic.every(RESULTS_SETTLED_EVERY_MS, "follow what is stored", async () => {
    await settleResults(services);
    await followStorageLimits(services, services);
  });
  periodic.every(HOUR_MS, "recount what is stored", () => recountStorage(services));
  const reseal = createReseal(services);
  periodic.every(MINUTE_MS, "seal with the first key", reseal);
  periodic.every(HOUR_MS, "purge cached rows", () => purgeCachedRows(database));
  periodic.every(MINUTE_MS, "purge what ended runs need no more", () => purgeRowKeys(services));
  periodic.every(10 * SECOND_MS, "purge deleted runs", () => purgeDeletedRuns(services));
  periodic.every(10 * SECOND_MS, "cancel deliveries of closed endpoints", () =>
    cancelDeliveriesOfClosedEndpoints(database),
  );
  periodic.every(HOUR_MS, "purge old webhook deliveries", () =>
    purgeOldDeliveries(database, services.config.ROWMILL_WEBHOOK_RETENTION_DAYS),
  );
  periodic.every(HOUR_MS, "purge unused limiters", () => purgeUnusedLimiters(database.pool));
  periodic.every(HOUR_MS, "purge old alert deliveries", () =>
    purgeOldAlerts(database, services.config.ROWMILL_ALERT_RETENTION_DAYS),
  );
  const alerts = startAlerts(services);
  const eventDelivery = startEventDelivery(services, [
    alerts.consumer,
    ...(services.tracing === undefined ? [] : [followEndedRuns(services.tracing)]),
  ]);
  return {
    stop: async () => {
      await Promise.all([periodic.stop(), eventDelivery.stop(), alerts.stop()]);
    },
  };
}

/**
 * Runs each task at once and then again after its pause. Every worker runs them: each may run in several workers at once. The first turns
 * begin one after the other: all together, they would open as many connections as there may be, each for a statement or two.
 */
function createPeriodic(log: Services["log"]) {
  const timers = new Set<NodeJS.Timeout>();
  const inFlight = new Set<Promise<void>>();
  let isStopping = false;
  let previous: Promise<unknown> = Promise.resolve();
  return {
    every(pauseMs: number, name: string, task: () => Promise<void>): void {
      const run = (): Promise<void> => {
        if (isStopping) return Promise.resolve();
        const done = runAs({ name }, task)
          .catch((error: unknown) => log.error({ err: error }, `periodic task failed: ${name}`))
          .finally(() => {
            inFlight.delete(done);
            if (isStopping) return;
            const timer = setTimeout(() => {
              timers.delete(timer);
              void run();
            }, pauseMs);
            timers.add(timer);
          });
        inFlight.add(done);
        return done;
      };
      previous = previous.then(() => Promise.race([run(), sleep(FIRST_TURN_WAIT_MS, undefined, { ref: false })]));
    },
    async stop(): Promise<void> {
      isStopping = true;
      for (const timer of timers) clearTimeout(timer);
      await Promise.all(inFlight);
    },
  };
}
