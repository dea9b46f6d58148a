/** Job specs and their versions. A version never changes; what may change of a job spec is how people call it. */
import type { Operations } from "@rowmill/contract";
import type { JobSpec, JobSpecVersion } from "@rowmill/contract/job-specs";
import type { Input, Page, PageOf } from "@rowmill/contract/operation";
import type { Selectable } from "kysely";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import { sql } from "../../platform/database/database.ts";
import type { Queryable, Transaction } from "../../platform/database/database.ts";
import type { JobSpecVersionsTable } from "../../platform/database/data-tables.ts";
import { ApiError, notFound } from "../../platform/http/errors.ts";
import { findCandidates, goOn, isAsked, isCandidate } from "../../platform/http/labelled.ts";
import { readPage } from "../../platform/http/pages.ts";
import { formatId, newUuid } from "../../platform/ids.ts";
import { recordAudit } from "../audit-events/audit-events.ts";
import { showDefinition, toColumns } from "./definition.ts";
import type { Definition } from "./definition.ts";

/** The definition was checked already. */
export async function createJobSpec(
  tx: Transaction,
  caller: OrganizationCaller,
  body: Input<Operations["createJobSpec"]>["body"],
): Promise<JobSpec> {
  const { organizationId } = caller;
  const id = newUuid();
  await tx
    .insertInto("jobSpecs")
    .values({
      organizationId,
      id,
      name: body.name,
      description: body.description ?? null,
      latestVersion: 1,
      metadata: JSON.stringify(body.metadata ?? {}),
      createdAt: new Date(),
      updatedAt: new Date(),
    })
    .execute();
  await insertVersion(tx, organizationId, id, 1, body);
  await recordAudit(tx, caller, "job_spec.created", { organizationId, id }, { name: body.name });
  return getJobSpec(tx, caller, id);
}

export async function listJobSpecs(
  db: Queryable,
  caller: OrganizationCaller,
  filters: Input<Operations["listJobSpecs"]>["filters"],
  page: Page,
): Promise<PageOf<JobSpec>> {
  const candidates = await findCandidates(db, caller.organizationId, "job_spec", filters, page);
  const found = await readPage(
    (part) =>
      jobSpecsWithLatestVersion(db, caller.organizationId)
        .where("s.archivedAt", "is", null)
        .$if(candidates !== undefined, (q) => q.where(isCandidate("s", candidates)).where(isAsked("s", filters)))
        .$if(part.after !== undefined, (q) => q.where("s.id", "<", String(part.after?.[0])))
        .orderBy("s.id", "desc"),
    page,
    (row) => [row.id],
  );
  const { rows, next } = goOn(found, candidates);
  return { data: rows.map(describe), next };
}

export async function getJobSpec(db: Queryable, caller: OrganizationCaller, id: string): Promise<JobSpec> {
  const row = await jobSpecsWithLatestVersion(db, caller.organizationId).where("s.id", "=", id).executeTakeFirst();
  if (!row) throw notFound("job spec");
  return describe(row);
}

export async function updateJobSpec(
  tx: Transaction,
  caller: OrganizationCaller,
  id: string,
  body: Input<Operations["updateJobSpec"]>["body"],
): Promise<JobSpec> {
  const updated = await tx
    .updateTable("jobSpecs")
    .set({
      ...(body.name === undefined ? {} : { name: body.name }),
      ...(body.description === undefined ? {} : { description: body.description }),
      ...(body.metadata === undefined ? {} : { metadata: JSON.stringify(body.metadata) }),
      updatedAt: new Date(),
    })
    .where("organizationId", "=", caller.organizationId)
    .where("id", "=", id)
    .executeTakeFirst();
  if (updated.numUpdatedRows === 0n) throw notFound("job spec");
  await recordAudit(tx, caller, "job_spec.updated", { organizationId: caller.organizationId, id }, body);
  return getJobSpec(tx, caller, id);
}

/** Archiving twice changes nothing. */
export async function archiveJobSpec(tx: Transaction, caller: OrganizationCaller, id: string): Promise<undefined> {
  const { organizationId } = caller;
  const updated = await tx
    .updateTable("jobSpecs")
    .set({ archivedAt: new Date(), updatedAt: new Date() })
    .where("organizationId", "=", organizationId)
    .where("id", "=", id)
    .where("archivedAt", "is", null)
    .executeTakeFirst();
  if (updated.numUpdatedRows === 0n) {
    await getJobSpec(tx, caller, id);
    return undefined;
  }
  await recordAudit(tx, caller, "job_spec.archived", { organizationId, id });
  return undefined;
}

/** The definition was checked already. Two at once get two numbers: they take turns on the job spec's row. */
export async function createJobSpecVersion(
  tx: Transaction,
  caller: OrganizationCaller,
  jobSpecId: string,
  definition: Definition,
): Promise<JobSpecVersion> {
  const { organizationId } = caller;
  const row = await tx
    .updateTable("jobSpecs")
    .set({ latestVersion: sql`latest_version + 1`, updatedAt: new Date() })
    .where("organizationId", "=", organizationId)
    .where("id", "=", jobSpecId)
    .returning(["latestVersion", "archivedAt"])
    .executeTakeFirst();
  if (!row) throw notFound("job spec");
  if (row.archivedAt !== null) throw archived();
  await insertVersion(tx, organizationId, jobSpecId, row.latestVersion, definition);
  await recordAudit(
    tx,
    caller,
    "job_spec.version_created",
    { organizationId, id: jobSpecId },
    { version: row.latestVersion },
  );
  return getJobSpecVersion(tx, caller, jobSpecId, row.latestVersion);
}

export async function listJobSpecVersions(
  db: Queryable,
  caller: OrganizationCaller,
  jobSpecId: string,
  page: Page,
): Promise<PageOf<JobSpecVersion>> {
  await getJobSpec(db, caller, jobSpecId);
  const { rows, next } = await readPage(
    (part) =>
      db
        .selectFrom("jobSpecVersions")
        .selectAll()
        .where("organizationId", "=", caller.organizationId)
        .where("jobSpecId", "=", jobSpecId)
        .$if(part.after !== undefined, (q) => q.where("version", "<", Number(part.after?.[0])))
        .orderBy("version", "desc"),
    page,
    (row) => [row.version],
  );
  return { data: rows.map(describeVersion), next };
}

export async function getJobSpecVersion(
  db: Queryable,
  caller: OrganizationCaller,
  jobSpecId: string,
  version: number,
): Promise<JobSpecVersion> {
  return describeVersion(await findJobSpecVersion(db, caller.organizationId, jobSpecId, version));
}

export async function findJobSpecVersion(
  db: Queryable,
  organizationId: string,
  jobSpecId: string,
  version: number,
): Promise<Selectable<JobSpecVersionsTable>> {
  const row = await db
    .selectFrom("jobSpecVersions")
    .selectAll()
    .where("organizationId", "=", organizationId)
    .where("jobSpecId", "=", jobSpecId)
    .where("version", "=", version)
    .executeTakeFirst();
  if (!row) throw notFound("job spec version", "jobSpecVersion");
  return row;
}

/** The version a new run uses; archived job specs take none. */
export async function findUsableVersion(
  db: Queryable,
  organizationId: string,
  jobSpecId: string | undefined,
  version: number | undefined,
): Promise<Selectable<JobSpecVersionsTable>> {
  const spec =
    jobSpecId === undefined
      ? undefined
      : await db
          .selectFrom("jobSpecs")
          .select(["id", "latestVersion", "archivedAt"])
          .where("organizationId", "=", organizationId)
          .where("id", "=", jobSpecId)
          .executeTakeFirst();
  if (!spec) throw notFound("job spec", "jobSpecId");
  if (spec.archivedAt !== null) throw archived();
  return findJobSpecVersion(db, organizationId, spec.id, version ?? spec.latestVersion);
}

const archived = (): ApiError =>
  new ApiError("invalid_state", "The job spec is archived: it takes no new runs and versions.");

async function insertVersion(
  tx: Transaction,
  organizationId: string,
  jobSpecId: string,
  version: number,
  definition: Definition,
): Promise<void> {
  await tx
    .insertInto("jobSpecVersions")
    .values({ organizationId, jobSpecId, version, id: newUuid(), ...toColumns(definition), createdAt: new Date() })
    .execute();
}

const jobSpecsWithLatestVersion = (db: Queryable, organizationId: string) =>
  db
    .selectFrom("jobSpecs as s")
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom("jobSpecVersions")
          .select([
            "processor",
            "inputSchema",
            "outputSchema",
            "retry",
            "failurePolicy",
            "cache",
            "dedupe",
            "execution",
            "timeoutSeconds",
            "concurrency",
          ])
          .whereRef("organizationId", "=", "s.organizationId")
          .whereRef("jobSpecId", "=", "s.id")
          .whereRef("version", "=", "s.latestVersion")
          // There is one. It says so that each is looked up: joined, a page would read the versions of all job specs.
          .limit(1)
          .as("v"),
      (join) => join.onTrue(),
    )
    .selectAll("s")
    .selectAll("v")
    .where("s.organizationId", "=", organizationId);

type JobSpecRow = NonNullable<Awaited<ReturnType<ReturnType<typeof jobSpecsWithLatestVersion>["executeTakeFirst"]>>>;

const describe = (row: JobSpecRow): JobSpec => ({
  id: formatId("jobSpec", row.id),
  name: row.name,
  description: row.description,
  latestVersion: row.latestVersion,
  ...showDefinition(row),
  metadata: row.metadata,
  archivedAt: row.archivedAt?.toISOString() ?? null,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});

const describeVersion = (row: Selectable<JobSpecVersionsTable>): JobSpecVersion => ({
  id: formatId("jobSpecVersion", row.id),
  jobSpecId: formatId("jobSpec", row.jobSpecId),
  version: row.version,
  ...showDefinition(row),
  createdAt: row.createdAt.toISOString(),
});
