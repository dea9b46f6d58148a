/** Every queue and every periodic task of a worker. */
import { analyzeGrownTables } from "./platform/database/analyze-tables.ts";
import { MAILS_AT_ONCE, MAIL_QUEUE, createMailWorker } from "./platform/mail/mail-queue.ts";
import type { MailJob } from "./platform/mail/mail-queue.ts";
import { deleteEnded } from "./delivery/claims/delete-ended.ts";
import { startAlerts } from "./delivery/alerts/alerts.tasks.ts";
import { expireDatasetUploads, sweepContents, workOnIntakes } from "./intake/intake.tasks.ts";
import { sweepIntakeDirectories } from "./intake/intake-directories.ts";
import { rememberFailures } from "./platform/database/failures-by-organization.ts";
import type { FormerFailuresOf } from "./platform/database/failures-by-organization.ts";
import { BULK_QUEUE } from "./resources/bulk-actions/bulk-actions.ts";
import type { BulkJob } from "./resources/bulk-actions/bulk-actions.ts";
import { BULK_ACTIONS_AT_ONCE, createBulkWorker } from "./resources/bulk-actions/bulk-actions.tasks.ts";
import { WAKES_AT_ONCE, WAKE_QUEUE, createWakeWorker } from "./resources/connections/wake-rows.ts";
import type { WakeJob } from "./resources/connections/wake-rows.ts";
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
import { EXTRA_LANES_EVERY_MS, LaneLoad, addExtraLane } from "./engine/lanes/extra-lanes.ts";
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
import { doBoth } from "./platform/log-failures.ts";
import { createPeriodic } from "./platform/periodic.ts";
import type { Periodic } from "./platform/periodic.ts";
import { reportRepairs } from "./platform/queue/reconcile.ts";
import { reconcilers } from "./reconcilers.ts";
import { createReseal } from "./reseal.ts";
import type { IntakeParts } from "./intake/intake-parts.ts";
import type { Services } from "./services.ts";

/** Created at the start of every role, since the API sends to them. */
export const queueNames = [
  ...Object.values(laneQueues),
  "dataset-intake",
  "dataset-download",
  "export-lane",
  "mail",
  BATCH_QUEUE,
  BULK_QUEUE,
  WAKE_QUEUE,
] as const;

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Autovacuum would come by within a minute. It is one look at counters, unless a table has doubled. */
const TABLES_ANALYZED_EVERY_MS = 5 * SECOND_MS;
/** A fast run writes some hundred megabytes in this time, and adding up a long one reads its list of chunks. */
const RESULTS_SETTLED_EVERY_MS = 5 * SECOND_MS;

type WorkerServices = Services & Pick<IntakeParts, "readAhead" | "spareReaders">;

export interface Worker {
  /** Ends the periodic tasks; the queue's own jobs end with the queue. */
  stop(): Promise<void>;
}

export async function startWorker(services: WorkerServices): Promise<Worker> {
  const load = new LaneLoad();
  await workOnQueues(services, load);
  const periodic = createPeriodic(services.log);
  repeatTasks(services, periodic);
  periodic.every(EXTRA_LANES_EVERY_MS, "add lanes to runs", () => addExtraLane(services, services, load));
  for (const { name, everyMs, reconcile } of reconcilers) {
    const report = reportRepairs(name, services);
    // Its metric is there from the start: a rate needs the 0 before the first repair.
    services.meter.countRepairs(name, 0);
    periodic.every(everyMs, `reconcile ${name}`, () => reconcile(services, report));
  }
  repeatPurges(services, periodic);
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

async function workOnQueues(services: WorkerServices, load: LaneLoad): Promise<void> {
  const { queue } = services;
  await queue.work<MailJob>(MAIL_QUEUE, MAILS_AT_ONCE, createMailWorker(services));
  await queue.work<BulkJob>(BULK_QUEUE, BULK_ACTIONS_AT_ONCE, createBulkWorker(services));
  await queue.work<WakeJob>(WAKE_QUEUE, WAKES_AT_ONCE, createWakeWorker(services, laneQueues.waiting));
  await workOnIntakes(services);
  await workOnExports(services);
  const { ROWMILL_WORKER_CONCURRENCY: computing, ROWMILL_WAITING_LANES: waiting } = services.config;
  const trials = createTrials();
  // Slow code may keep lanes for many seconds: one place more than an organization may have is there for the others.
  await queue.work<LaneJob>(
    laneQueues.computing,
    { places: computing + 1, mostOfOrganization: computing },
    createLaneWorker(services, { kind: "computing", trials, load }),
  );
  await queue.work<LaneJob>(
    laneQueues.waiting,
    { places: waiting, mostOfOrganization: "share", mostWithoutPlace: waiting },
    createLaneWorker(services, { kind: "waiting", trials, load: new LaneLoad() }),
  );
  await queue.work<BatchJob>(BATCH_QUEUE, BATCHES_AT_ONCE, createBatchWorker(services));
}

/** The task, with what has failed in its passes before. `now`: of one that is repeated each second, what has failed pauses. */
function remembering(task: (former: FormerFailuresOf) => Promise<void>, now?: () => number): () => Promise<void> {
  const former = rememberFailures(now);
  return () => task(former);
}

/** What follows the time, the organizations and the machine. */
function repeatTasks(services: WorkerServices, periodic: Periodic): void {
  const { database } = services;
  const everyMinute = (name: string, task: (former: FormerFailuresOf) => Promise<void>): void =>
    periodic.every(MINUTE_MS, name, remembering(task));
  everyMinute("expire dataset uploads", (former) => expireDatasetUploads(services, former));
  everyMinute("expire exports", (former) => expireExports(services, former));
  everyMinute("record denied attempts", (former) => recordDeniedAttempts(database, former));
  everyMinute("expire invitations", (former) => expireInvitations(database, former));
  periodic.every(
    TABLES_ANALYZED_EVERY_MS,
    "analyze grown tables",
    async () => void (await analyzeGrownTables(database)),
  );
  periodic.every(10 * SECOND_MS, "start runs that wait", () => startRunsThatWait(services, services));
  periodic.every(
    SECOND_MS,
    "expire runs",
    remembering(
      (former) => expireRuns(services, services, former),
      () => performance.now(),
    ),
  );
  periodic.every(
    SECOND_MS,
    "follow suspensions of organizations",
    remembering(
      (former) => followSuspensions(services, services, former),
      () => performance.now(),
    ),
  );
  periodic.every(SECOND_MS, "follow the free space", createFollowFreeSpace(services, services.freeSpace, services));
  periodic.every(
    RESULTS_SETTLED_EVERY_MS,
    "follow what is stored",
    remembering(async (former) => {
      await doBoth(
        () => settleResults(services),
        () => followStorageLimits(services, services, former),
      );
    }),
  );
  periodic.every(HOUR_MS, "recount what is stored", () => recountStorage(services));
  periodic.every(MINUTE_MS, "seal with the first key", createReseal(services));
  periodic.every(10 * SECOND_MS, "cancel deliveries of closed endpoints", () =>
    cancelDeliveriesOfClosedEndpoints(database),
  );
}

/** What removes what nobody needs any more. */
function repeatPurges(services: WorkerServices, periodic: Periodic): void {
  const { database, config } = services;
  periodic.every(HOUR_MS, "sweep contents of uploads", () => sweepContents(services));
  periodic.every(HOUR_MS, "sweep directories of intakes", () => sweepIntakeDirectories(services));
  periodic.every(HOUR_MS, "sweep directories of batches", () =>
    sweepBatchDirectories(database, config.ROWMILL_DATA_DIR),
  );
  periodic.every(
    MINUTE_MS,
    "purge deleted datasets",
    remembering((former) => purgeDeletedDatasets(services, former)),
  );
  periodic.every(
    10 * SECOND_MS,
    "purge deleted runs",
    remembering((former) => purgeDeletedRuns(services, former)),
  );
  periodic.every(MINUTE_MS, "purge what ended runs need no more", () => purgeRowKeys(services));
  periodic.every(HOUR_MS, "purge cached rows", () => purgeCachedRows(database));
  periodic.every(HOUR_MS, "purge idempotency keys", () =>
    purgeIdempotencyKeys(database.db, config.ROWMILL_IDEMPOTENCY_RETENTION_HOURS),
  );
  periodic.every(MINUTE_MS, "purge replayable secrets", () => purgeReplayableSecrets(database.db));
  periodic.every(HOUR_MS, "purge unused limiters", () => purgeUnusedLimiters(database.pool));
  periodic.every(HOUR_MS, "purge old webhook deliveries", () =>
    purgeOldDeliveries(database, config.ROWMILL_WEBHOOK_RETENTION_DAYS),
  );
  periodic.every(HOUR_MS, "purge old alert deliveries", () =>
    deleteEnded(database, "alert_deliveries", config.ROWMILL_ALERT_RETENTION_DAYS),
  );
}
