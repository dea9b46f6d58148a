/** Job specs and their versions. A version never changes; what may change of a job spec is how people call it. */
import type { Operations } from "@rowmill/contract";
import { objectTextOf } from "@rowmill/contract/json-text";
import type { JobSpec, JobSpecVersion, JobSpecWarning } from "@rowmill/contract/job-specs";
import type { Input, Page } from "@rowmill/contract/operation";
import type { RawBuilder, Selectable } from "kysely";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import { executeList, sql } from "../../platform/database/database.ts";
import { prepared } from "../../platform/database/prepared.ts";
import type { Queryable, Transaction } from "../../platform/database/database.ts";
import type { JobSpecVersionsTable, JobSpecsTable } from "../../platform/database/data-tables.ts";
import { isRow } from "../../platform/database/row-key.ts";
import { ApiError, notFound } from "../../platform/http/errors.ts";
import { isAsked, readLabelled } from "../../platform/http/labelled.ts";
import type { OperationFunction, PrepareFunction } from "../../platform/http/handlers.ts";
import { fittingPage, newestIds, oneMore, rangeOfIndex, rowsOf } from "../../platform/http/newest-first.ts";
import { fittedPage } from "../../platform/http/pages.ts";
import { formatId, newUuid } from "../../platform/ids.ts";
import { recordAudit } from "../audit-events/audit-events.ts";
import { json, resource } from "../resource.ts";
import { checkDefinition, definitionTexts, showDefinition, toColumns } from "./definition.ts";
import type { CheckParts, Definition, DefinitionColumns } from "./definition.ts";
import { warningsOf } from "./template-references.ts";
import { sharedNow } from "../../platform/shared-time.ts";

/** Of its column. */
const MAX_VERSION = 2 ** 31 - 1;

/** Columns of a version that may be of many kilobytes, up to a megabyte together. */
const LARGE = ["processor", "inputSchema", "outputSchema"];

const jobSpecs = resource("jobSpecs", { noun: "job spec", large: ["metadata"] });

export const createJobSpec: PrepareFunction<"createJobSpec", CheckParts> = async (_db, caller, { body }, parts) => {
  await checkDefinition(parts, caller.organizationId, body);
  const warnings = warningsOf(body);
  return async (tx) => withWarnings(await insertJobSpec(tx, caller, body), warnings);
};

const withWarnings = <T extends object>(made: T, warnings: JobSpecWarning[]): T & { warnings?: JobSpecWarning[] } =>
  warnings.length === 0 ? made : { ...made, warnings };

async function insertJobSpec(
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
      createdAt: sharedNow(),
      updatedAt: sharedNow(),
    })
    .execute();
  await insertVersion(tx, organizationId, id, 1, body);
  await recordAudit(tx, caller, "job_spec.created", id, { name: body.name });
  return showJobSpec(tx, organizationId, id);
}

export const listJobSpecs: OperationFunction<"listJobSpecs"> = async (db, { organizationId }, { filters, page }) => {
  const only = sql`t.archived_at is null`;
  const readNewest = async () => {
    const part = oneMore(page);
    const ids = sql`array(${newestIds({ table: "jobSpecs", organizationId, only }, part)})`;
    const rows = await executeList(db, jobSpecsOf(organizationId, ids, { limit: part.limit }));
    return fittedPage(rows, page, (row) => [row.id]);
  };
  const also = sql`${only} and ${isAsked("t", filters)}`;
  const { rows, next } =
    (await readLabelled(db, organizationId, "job_spec", filters, page, (ids, limit) =>
      jobSpecsOf(organizationId, ids, { also, limit }),
    )) ?? (await readNewest());
  return { data: rows.map((row) => objectTextOf<JobSpec>(describe(row, definitionTexts(row)))), next };
};

export const getJobSpec: OperationFunction<"getJobSpec"> = (db, caller, { params }) =>
  showJobSpec(db, caller.organizationId, params.jobSpecId);

async function showJobSpec(db: Queryable, organizationId: string, id: string): Promise<JobSpec> {
  const { rows } = await jobSpecsOf(organizationId, sql`${[id]}::uuid[]`, { limit: 1 }).execute(db);
  const [row] = rows;
  if (!row) throw notFound("job spec");
  return describe(row, showDefinition(row));
}

export const updateJobSpec: OperationFunction<"updateJobSpec"> = async (tx, caller, { params, body }) => {
  const id = params.jobSpecId;
  const { name, description, metadata } = body;
  await jobSpecs.update(tx, caller, id, { name, description, metadata: json(metadata) });
  await recordAudit(tx, caller, "job_spec.updated", id, body);
  return showJobSpec(tx, caller.organizationId, id);
};

/** Archiving twice changes nothing. */
export const archiveJobSpec: OperationFunction<"archiveJobSpec"> = async (tx, caller, { params }) => {
  const id = params.jobSpecId;
  const { archivedAt } = await jobSpecs.lock(tx, caller, id);
  if (archivedAt !== null) return undefined;
  await jobSpecs.update(tx, caller, id, { archivedAt: sharedNow() });
  await recordAudit(tx, caller, "job_spec.archived", id);
  return undefined;
};

export const createJobSpecVersion: PrepareFunction<"createJobSpecVersion", CheckParts> = async (
  db,
  caller,
  { params, body },
  parts,
) => {
  await jobSpecs.find(db, caller, params.jobSpecId);
  await checkDefinition(parts, caller.organizationId, body);
  const warnings = warningsOf(body);
  return async (tx) => withWarnings(await addVersion(tx, caller, params.jobSpecId, body), warnings);
};

/** Two at once get two numbers: they lock the job spec's row one after the other. */
async function addVersion(
  tx: Transaction,
  caller: OrganizationCaller,
  jobSpecId: string,
  definition: Definition,
): Promise<JobSpecVersion> {
  const { organizationId } = caller;
  const row = await tx
    .updateTable("jobSpecs")
    .set({ latestVersion: sql`latest_version + 1`, updatedAt: sharedNow() })
    .where(isRow(caller, jobSpecId))
    .returning(["latestVersion", "archivedAt"])
    .executeTakeFirst();
  if (!row) throw notFound("job spec");
  if (row.archivedAt !== null) throw archived();
  await insertVersion(tx, organizationId, jobSpecId, row.latestVersion, definition);
  await recordAudit(tx, caller, "job_spec.version_created", jobSpecId, { version: row.latestVersion });
  const made = await findJobSpecVersion(tx, organizationId, jobSpecId, row.latestVersion);
  return describeVersion(made, showDefinition(made));
}

export const listJobSpecVersions: OperationFunction<"listJobSpecVersions"> = async (db, caller, { params, page }) => {
  const { jobSpecId } = params;
  await jobSpecs.find(db, caller, jobSpecId);
  const readVersions = async ({ limit, after }: Page): Promise<Selectable<JobSpecVersionsTable>[]> => {
    const range = rangeOfIndex(
      [sql`v.organization_id`, sql`v.job_spec_id`, sql`v.version`],
      [sql`${caller.organizationId}::uuid`, sql`${jobSpecId}::uuid`],
      { from: sql`1`, to: sql`${after === undefined ? MAX_VERSION : Number(after[0]) - 1}::int` },
    );
    const versions = sql`select v.*, -v.version as place from job_spec_versions v where ${range.where} order by ${range.order} limit ${limit}`;
    return executeList(db, fittingPage<Selectable<JobSpecVersionsTable>>(versions, LARGE, limit));
  };
  const { rows, next } = fittedPage(await readVersions(oneMore(page)), page, (row) => [row.version]);
  return { data: rows.map((row) => objectTextOf<JobSpecVersion>(describeVersion(row, definitionTexts(row)))), next };
};

export const getJobSpecVersion: OperationFunction<"getJobSpecVersion"> = async (db, caller, { params }) => {
  const row = await findJobSpecVersion(db, caller.organizationId, params.jobSpecId, params.version);
  return describeVersion(row, showDefinition(row));
};

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
  if (!row) throw noSuchVersion(version);
  return row;
}

/** The version a new run uses; archived job specs take none. */
export async function findUsableVersion(
  db: Queryable,
  organizationId: string,
  jobSpecId: string | undefined,
  version: number | undefined,
): Promise<Selectable<JobSpecVersionsTable>> {
  if (jobSpecId === undefined) throw notFound("job spec", "jobSpecId");
  return checkUsableVersion(await selectVersion(db, versionAsked(organizationId, jobSpecId, version)), version);
}

type FoundVersion = Awaited<ReturnType<typeof selectVersion>>[number];

/** What `selectVersion` is to be given. `version`: the latest where it is undefined. */
export const versionAsked = (organizationId: string, jobSpecId: string, version: number | undefined) => ({
  organizationId,
  id: jobSpecId,
  version: version?.toString() ?? "",
});

/** `found`: what `selectVersion` returned. */
export function checkUsableVersion(
  [found]: readonly FoundVersion[],
  version: number | undefined,
): Selectable<JobSpecVersionsTable> {
  if (found === undefined) throw notFound("job spec", "jobSpecId");
  const { archivedAt, version: foundVersion, ...columns } = found;
  if (archivedAt !== null) throw archived();
  if (foundVersion === null) throw noSuchVersion(version);
  return { ...columns, version: foundVersion } as Selectable<JobSpecVersionsTable>; // the outer join has found it
}

/** The latest version where none is named. By name, since a prepared statement with `*` would fail once a column is added. */
export const selectVersion = prepared("find_usable_version", ["organizationId", "id", "version"], (db, at) =>
  db
    .selectFrom("jobSpecs as s")
    .leftJoin("jobSpecVersions as v", (join) =>
      join
        .onRef("v.organizationId", "=", "s.organizationId")
        .onRef("v.jobSpecId", "=", "s.id")
        .on("v.version", "=", sql<number>`coalesce(nullif(${at.version}::text, '')::int, s.latest_version)`),
    )
    .select([
      "s.archivedAt",
      "v.organizationId",
      "v.jobSpecId",
      "v.version",
      "v.id",
      "v.processor",
      "v.connectionIds",
      "v.model",
      "v.inputSchema",
      "v.outputSchema",
      "v.retry",
      "v.failurePolicy",
      "v.cache",
      "v.dedupe",
      "v.execution",
      "v.timeoutSeconds",
      "v.concurrency",
      "v.createdAt",
    ])
    .where(isRow(at, at.id, "s")),
);

const noSuchVersion = (version: number | undefined): ApiError =>
  new ApiError("not_found", `The job spec has no version ${version ?? 1}.`, { param: "jobSpecVersion" });

const archived = (): ApiError =>
  new ApiError(
    "invalid_state",
    "The job spec is archived: it takes no runs, tests and versions any more. Create another one.",
  );

async function insertVersion(
  tx: Transaction,
  organizationId: string,
  jobSpecId: string,
  version: number,
  definition: Definition,
): Promise<void> {
  await tx
    .insertInto("jobSpecVersions")
    .values({ organizationId, jobSpecId, version, id: newUuid(), ...toColumns(definition), createdAt: sharedNow() })
    .execute();
}

const jobSpecsOf = (
  organizationId: string,
  ids: RawBuilder<unknown>,
  options: { also?: RawBuilder<unknown>; limit: number },
): RawBuilder<JobSpecRow> =>
  rowsOf<JobSpecRow>("jobSpecs", organizationId, ids, {
    ...options,
    joined: latestVersion,
    large: [...LARGE, "metadata"],
  });

/** There is one. The limit makes the planner look each up: joined, a page would read the versions of all job specs. */
const latestVersion = sql`cross join lateral (
  select processor, input_schema, output_schema, retry, failure_policy, cache, dedupe, execution, timeout_seconds, concurrency
  from job_spec_versions where organization_id = t.organization_id and job_spec_id = t.id and version = t.latest_version limit 1) v`;

type JobSpecRow = Selectable<JobSpecsTable> & DefinitionColumns;

const describe = <Shown>(row: JobSpecRow, definition: Shown) => ({
  id: formatId("jobSpec", row.id),
  name: row.name,
  description: row.description,
  latestVersion: row.latestVersion,
  ...definition,
  metadata: row.metadata,
  archivedAt: row.archivedAt?.toISOString() ?? null,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});

const describeVersion = <Shown>(row: Selectable<JobSpecVersionsTable>, definition: Shown) => ({
  id: formatId("jobSpecVersion", row.id),
  jobSpecId: formatId("jobSpec", row.jobSpecId),
  version: row.version,
  ...definition,
  createdAt: row.createdAt.toISOString(),
});

export const jobSpecOperations = {
  createJobSpec: { prepare: createJobSpec },
  listJobSpecs,
  getJobSpec,
  updateJobSpec,
  archiveJobSpec,
  createJobSpecVersion: { prepare: createJobSpecVersion },
  listJobSpecVersions,
  getJobSpecVersion,
};
