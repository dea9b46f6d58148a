/** The background half of dataset uploads. */
import { sql } from "../platform/database/database.ts";
import { forOrganization } from "../platform/database/tenants.ts";
import { isRow } from "../platform/database/row-key.ts";
import {
  FailuresByOrganization,
  rememberFailures,
  rowsOfOne,
  untilNoneLeft,
} from "../platform/database/failures-by-organization.ts";
import type { FormerFailures } from "../platform/database/failures-by-organization.ts";
import { doBoth } from "../platform/log-failures.ts";
import { parseId } from "../platform/ids.ts";
import type { Job } from "../platform/queue/queue.ts";
import { recordAudit } from "../resources/audit-events/audit-events.ts";
import { CONTENT_PREFIX, deleteContent } from "./content.ts";
import { DOWNLOAD_QUEUE, INTAKE_QUEUE } from "./enqueue-intake.ts";
import type { IntakeJob } from "./enqueue-intake.ts";
import type { IntakeParts } from "./intake-parts.ts";
import { performIntake } from "./intake.ts";
import { sweepPartials } from "./resumable-content.ts";

/** Each is a process of up to a gigabyte and a half at worst, 100 MB mostly, and takes a processor to itself. */
const INTAKES_AT_ONCE = 3;
/** One organization leaves a place to the others, whatever it has uploaded. */
const INTAKES_OF_ONE = INTAKES_AT_ONCE - 1;
/** A source may send for an hour. Each takes the room for its content (`workSize` in `deploy/`), and hardly anything else. */
const DOWNLOADS_AT_ONCE = 3;
const DOWNLOADS_OF_ONE = DOWNLOADS_AT_ONCE - 1;
const EXPIRED_AT_ONCE = 500;
/** Between the store's having an object and the upload's naming it lies one transaction. */
const UNNAMED_CONTENT_AGE_MS = 3_600_000;

export async function workOnIntakes(services: IntakeParts): Promise<void> {
  const perform = (job: Job<IntakeJob>): Promise<void> =>
    performIntake(forOrganization(services, job.data.organizationId), job);
  const intakes = { places: INTAKES_AT_ONCE, mostOfOrganization: INTAKES_OF_ONE };
  await services.queue.work<IntakeJob>(INTAKE_QUEUE, intakes, perform);
  const downloads = { places: DOWNLOADS_AT_ONCE, mostOfOrganization: DOWNLOADS_OF_ONE };
  await services.queue.work<IntakeJob>(DOWNLOAD_QUEUE, downloads, perform);
}

/** Sessions whose content has not come, or only in part. What a broken PUT had sent is gone already. */
export async function expireDatasetUploads(services: IntakeParts, former = rememberFailures()): Promise<void> {
  // Contents in pieces go where some sessions could not be expired, too.
  await doBoth(
    () => expireSessions(services, former("expire")),
    () => sweepPartials(services),
  );
}

/** Exported for tests. */
export async function expireSessions(
  services: Pick<IntakeParts, "database" | "tasks">,
  former: FormerFailures,
): Promise<void> {
  await untilNoneLeft(
    (failures, note) =>
      services.database.transaction(async (tx) => {
        const isDue = sql`state = 'awaiting_content' and expires_at <= now()
        and ${failures.leftOut("organization_id", "id")}`;
        // One that is locked is getting its content, or is expired by another worker. Of one organization at a time: the
        // transaction holds the sum of what it stores.
        const { rows: due } = await sql<{ organizationId: string }>`
        select organization_id from dataset_uploads where ${isDue}
        limit 1 for update skip locked`.execute(tx);
        const [found] = due;
        if (found === undefined) return false;
        const { organizationId } = found;
        const { rows } = await sql<{ id: string }>`
        select id from dataset_uploads where ${isDue} and organization_id = ${organizationId}
        limit ${failures.rowsAtOnce(organizationId, EXPIRED_AT_ONCE)} for update skip locked`.execute(tx);
        const ids = rows.map(({ id }) => id);
        note(rowsOfOne(organizationId, ids));
        await sql`
        update dataset_uploads set state = 'expired', finished_at = greatest(now(), created_at), updated_at = now()
        where organization_id = ${organizationId} and id = any(${ids}::uuid[])`.execute(tx);
        await services.tasks.bind(tx, organizationId);
        for (const id of ids) {
          await recordAudit(tx, { kind: "system" }, "dataset_upload.expired", { organizationId, id });
        }
        return true;
      }),
    former,
  );
}

/** Contents that no upload needs: a process died between storing one and naming it, or before deleting it. */
export async function sweepContents(services: IntakeParts): Promise<void> {
  const failures = new FailuresByOrganization();
  for await (const { key, ageMs } of services.store.list(CONTENT_PREFIX)) {
    if (ageMs < UNNAMED_CONTENT_AGE_MS) continue;
    const [organization = "", upload = ""] = key.slice(CONTENT_PREFIX.length).split("/");
    const organizationId = parseId("organization", organization);
    const uploadId = parseId("datasetUpload", upload);
    // Not one of ours: others may keep things in the same bucket.
    if (organizationId === undefined || uploadId === undefined) continue;
    const needed = await services.database.db
      .selectFrom("datasetUploads")
      .select("id")
      .where(isRow({ organizationId }, uploadId))
      .where("storageKey", "=", key)
      .executeTakeFirst();
    if (!needed)
      await deleteContent(services, key).catch((error: unknown) =>
        failures.note({ organizationId, id: uploadId }, error),
      );
  }
  await services.store.sweepLeftovers();
  failures.throwAny();
}
