/** The background half of exports: writing the files, and deleting them at the end of their life. */
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "../../platform/database/database.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Replica } from "../../platform/database/replica.ts";
import { forOrganization } from "../../platform/database/tenants.ts";
import type { ForOrganization, Tasks } from "../../platform/database/tenants.ts";
import { isRowOf } from "../../platform/database/row-key.ts";
import { rememberFailures, rowsOfOne, untilNoneLeft } from "../../platform/database/failures-by-organization.ts";
import type { FailuresByOrganization, NoteFound } from "../../platform/database/failures-by-organization.ts";
import { formatId } from "../../platform/ids.ts";
import type { Log } from "../../platform/log.ts";
import { doBoth } from "../../platform/log-failures.ts";
import type { Job } from "../../platform/queue/queue.ts";
import { MAX_STORE_WAITS, STORE_AWAY_PAUSE_SECONDS, StoreUnavailableError } from "../../platform/storage/storage.ts";
import type { ObjectStore } from "../../platform/storage/storage.ts";
import { recordAudit } from "../audit-events/audit-events.ts";
import { claimExport, failExport, finishExport, requeueExport, runDeleted, touchClaim } from "./export-claims.ts";
import type { ExportClaim } from "./export-claims.ts";
import { EncodeThreads } from "./encoding/encode-threads.ts";
import { deleteAllFiles, deleteOtherFiles } from "./export-files.ts";
import { readItemPages } from "./export-items.ts";
import { findExportedRun, tableOfRun } from "./exported-run.ts";
import { EXPORT_QUEUE } from "./exports.ts";
import type { ExportJob, ExportParts } from "./exports.ts";
import { ExportError } from "./formats/format.ts";
import type { ExportSource } from "./formats/format.ts";
import { meteredStore } from "./metered-store.ts";
import { writeFile } from "./write-file.ts";
import type { WriteProgress } from "./write-file.ts";
import { plural } from "../../platform/plural.ts";
import { sharedNow } from "../../platform/shared-time.ts";

/** How soon a canceled export stops, and how often its worker shows that it lives, for one small update a second. */
const CLAIM_CHECK_MS = 1_000;
/** Pauses after attempts that failed, in seconds. A store that is away is no failure of them. */
const RETRY_PAUSES_SECONDS = [1, 10, 60, 300];
/** An export that five workers could not write, or that killed them, will not be written by the sixth. */
const MAX_ATTEMPTS = RETRY_PAUSES_SECONDS.length + 1;
/** Rows of one statement or pass: a transaction of milliseconds. */
const EXPORTS_AT_ONCE = 100;

/** Writing is work for a processor: more at once would not be faster, one alone would let a large export hold up all small ones. */
const EXPORTS_OF_ONE = 2;
/** Large exports of two organizations leave a place to the others. */
const EXPORTS_WRITTEN_AT_ONCE = 2 * EXPORTS_OF_ONE + 1;

interface ExportTaskParts extends ExportParts {
  database: Database;
  tasks: Tasks;
  replica: Replica;
  store: ObjectStore;
  log: Log;
  config: { ROWMILL_EXPORT_RETENTION_HOURS: number };
}
/** Of the export's organization. */
type WriterParts = ForOrganization<ExportTaskParts>;

export async function workOnExports(parts: ExportTaskParts): Promise<void> {
  const places = { places: EXPORTS_WRITTEN_AT_ONCE, mostOfOrganization: EXPORTS_OF_ONE };
  const threads = new EncodeThreads();
  await parts.queue.work<ExportJob>(EXPORT_QUEUE, places, (job) =>
    writeExport(forOrganization(parts, job.data.organizationId), job, threads),
  );
}

/** One job: writes the export's file from the first byte, unless the export has ended. */
async function writeExport(parts: WriterParts, job: Job<ExportJob>, threads: EncodeThreads): Promise<void> {
  const { database, log } = parts;
  const claim = await claimExport(database, job.data);
  if (!claim) {
    // The worker of an export that has ended since may have died before it removed its file.
    await removeFiles(parts, job.data);
    return;
  }
  const lost = new AbortController();
  const done = new AbortController();
  const progress: WriteProgress = { rowCount: 0 };
  const watching = watchClaim(parts, claim, progress, lost, done.signal);
  const signal = AbortSignal.any([lost.signal, job.signal, job.stopping]);
  try {
    if (claim.row.attempts > MAX_ATTEMPTS)
      throw new ExportError("worker_lost", `The workers that wrote the file died, ${MAX_ATTEMPTS} times.`);
    const source = await readSource(parts, claim);
    const store = meteredStore(parts, claim, signal);
    const file = await writeFile(store, claim.key, claim.row, source, signal, threads, progress);
    await finishExport(database, claim, file, parts.config.ROWMILL_EXPORT_RETENTION_HOURS);
  } catch (error) {
    if (lost.signal.aborted) log.info({ exportId: job.data.exportId }, "an export was taken from this worker");
    // Another worker may have got the job, too early to take the export: it needs one more.
    else if (job.stopping.aborted || job.signal.aborted)
      await requeueExport(database, claim, { counts: false, startAfterSeconds: 0 }, parts);
    else await endAttempt(parts, claim, error, job.data.storeWaits);
  } finally {
    done.abort();
    await watching;
    await removeFiles(parts, job.data, claim.key);
  }
}

async function endAttempt(parts: WriterParts, claim: ExportClaim, error: unknown, storeWaits = 0): Promise<void> {
  const { database, log } = parts;
  const { row } = claim;
  if (error instanceof ExportError) {
    await failExport(database, claim, error);
    return;
  }
  if (error instanceof StoreUnavailableError && storeWaits < MAX_STORE_WAITS) {
    log.warn({ err: error, exportId: formatId("export", row.id) }, "an export waits for the store");
    const later = { counts: false, startAfterSeconds: STORE_AWAY_PAUSE_SECONDS, storeWaits: storeWaits + 1 };
    await requeueExport(database, claim, later, parts);
    return;
  }
  log.error({ err: error, exportId: formatId("export", row.id), attempt: row.attempts }, "an export was not written");
  const startAfterSeconds = RETRY_PAUSES_SECONDS[row.attempts - 1];
  if (startAfterSeconds !== undefined) await requeueExport(database, claim, { counts: true, startAfterSeconds }, parts);
  else
    await failExport(database, claim, {
      code: "internal_error",
      message: `The file could not be written, ${plural(row.attempts, "time")}. The service's log says why.`,
    });
}

/** Aborts `lost` when the export is canceled or claimed by another, until it is done. */
async function watchClaim(
  parts: WriterParts,
  claim: ExportClaim,
  progress: WriteProgress,
  lost: AbortController,
  done: AbortSignal,
): Promise<void> {
  while (!done.aborted) {
    try {
      await pause(CLAIM_CHECK_MS, undefined, { signal: done });
      if (!(await touchClaim(parts.database, claim, progress))) return lost.abort(new Error("the claim was lost"));
    } catch (error) {
      // A missing response is no reason to stop: the fence at the end decides.
      if (!done.aborted) parts.log.warn({ err: error }, "cannot see whether an export is still wanted");
    }
  }
}

async function readSource({ database, replica }: WriterParts, { row }: ExportClaim): Promise<ExportSource> {
  const found = await findExportedRun(database.db, row.organizationId, row.runId);
  if (!found) throw runDeleted();
  const reads = await replica.readsOf(row.organizationId, database.statements);
  return {
    ...tableOfRun(found, row),
    formulaGuard: row.formulaGuard,
    looksAt: row.attempts > 1 ? "all" : "first_page",
    readPages: () => readItemPages(reads, found.run, row.type, row.includeInput),
  };
}

/**
 * Removes what is nobody's file. The table is asked what happened, since a commit may have succeeded though its response was
 * lost; as long as it cannot be asked, no file is removed.
 */
async function removeFiles({ database, store, log }: WriterParts, owner: ExportJob, ownKey?: string): Promise<void> {
  const row = await database.db
    .selectFrom("exports")
    .select(["status", "storageKey"])
    .where(isRowOf("exports", owner, owner.exportId))
    .executeTakeFirst();
  if (row?.status === "ready" && row.storageKey !== null) await deleteOtherFiles(store, owner, row.storageKey);
  // It waits again, or another worker has claimed it: that one's file is its own matter.
  else if (row?.status === "queued" || row?.status === "running") {
    // The end of the export removes it otherwise. As a failed job, this one would be begun again, before the pause of the next.
    if (ownKey !== undefined)
      await store.delete(ownKey).catch((error: unknown) => {
        log.warn(
          { err: error, key: ownKey },
          "the file of an attempt could not be deleted; it is deleted with the others",
        );
      });
  } else await deleteAllFiles(database, owner, store);
}

/** Files past their time, and those of deleted runs. Every worker runs it: each row is locked by one. */
export async function expireExports(
  { database, tasks, store }: Pick<ExportTaskParts, "database" | "tasks" | "store">,
  former = rememberFailures(),
): Promise<void> {
  await doBoth(
    () => untilNoneLeft((failures, note) => expireSome(database, tasks, failures, note), former("expire")),
    () => deleteFilesOfExpired(database, tasks, store),
  );
}

const IS_DUE = sql`e.status = 'ready' and (e.expires_at <= now() or not exists (
  select from runs r where r.organization_id = e.organization_id and r.id = e.run_id and r.deleted_at is null))`;

/**
 * Of one organization, whose sum of what it stores stays locked until the commit. First the row says that there is no file, then the file goes:
 * a crash between leaves a file that the next pass finds.
 */
async function expireSome(
  database: Database,
  tasks: Tasks,
  failures: FailuresByOrganization,
  note: NoteFound,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const isDue = sql`${IS_DUE} and ${failures.leftOut("e.organization_id", "e.id")}`;
    const { rows: due } = await sql<{ organizationId: string }>`
      select e.organization_id from exports e where ${isDue}
      limit 1 for update of e skip locked`.execute(tx);
    const [found] = due;
    if (found === undefined) return false;
    const { organizationId } = found;
    const { rows } = await sql<{ id: string }>`
      select e.id from exports e where ${isDue} and e.organization_id = ${organizationId}
      limit ${failures.rowsAtOnce(organizationId, EXPORTS_AT_ONCE)} for update of e skip locked`.execute(tx);
    note(
      rowsOfOne(
        organizationId,
        rows.map(({ id }) => id),
      ),
    );
    await tasks.bind(tx, organizationId);
    for (const { id } of rows) {
      await tx
        .updateTable("exports")
        .set({ status: "expired", updatedAt: sharedNow() })
        .where(isRowOf("exports", { organizationId }, id))
        .execute();
      await recordAudit(tx, { kind: "system" }, "export.expired", { organizationId, id });
    }
    return true;
  });
}

async function deleteFilesOfExpired(database: Database, tasks: Tasks, store: ObjectStore): Promise<void> {
  const errors: unknown[] = [];
  for (let after: string | undefined; ;) {
    const rows = await database.db
      .selectFrom("exports")
      .select(["organizationId", "id"])
      .where("storageKey", "is not", null)
      .where("status", "in", ["expired", "failed", "canceled"])
      .$if(after !== undefined, (q) => q.where("id", ">", String(after)))
      .orderBy("id")
      .limit(EXPORTS_AT_ONCE)
      .execute();
    for (const { organizationId, id } of rows) {
      // A file that cannot be deleted must not keep the others.
      await deleteAllFiles(tasks.of(organizationId), { organizationId, exportId: id }, store).catch(
        (error: unknown) => {
          errors.push(error);
        },
      );
    }
    after = rows.at(-1)?.id;
    if (rows.length < EXPORTS_AT_ONCE) break;
  }
  if (errors.length > 0) throw new AggregateError(errors, `the files of ${errors.length} exports were not deleted`);
}
