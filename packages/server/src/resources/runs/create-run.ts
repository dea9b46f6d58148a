/**
 * Makes a run: the run, its event and its lanes in one transaction. Nothing is written per row, and the list of its chunks only
 * where rows are chosen one by one (`scopes.ts`).
 * Over the organization's limit of runs in progress, a run waits as `queued` without lanes until another one ends.
 */
import type { Operations } from "@rowmill/contract";
import type { Execution } from "@rowmill/contract/job-spec-policies";
import type { Input } from "@rowmill/contract/operation";
import type { ProcessorConfig } from "@rowmill/contract/processors";
import type { Run } from "@rowmill/contract/runs";
import { sql } from "kysely";
import type { Selectable } from "kysely";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import { askTogether } from "../../platform/database/ask-together.ts";
import type { Queryable, Transaction } from "../../platform/database/database.ts";
import type { JobSpecVersionsTable } from "../../platform/database/data-tables.ts";
import { isRowOf } from "../../platform/database/row-key.ts";
import { ApiError, parseBodyId } from "../../platform/http/errors.ts";
import { NIL_UUID, newUuid, parseId } from "../../platform/ids.ts";
import type { Schemas } from "../../platform/json-schema/schemas.ts";
import type { Queue } from "../../platform/queue/queue.ts";
import type { FreeSpace } from "../../platform/storage/free-space.ts";
import type { Processors } from "../../processors/processors.ts";
import { recordFirstRunEvent } from "../events/events.ts";
import { recordAudit } from "../audit-events/audit-events.ts";
import { checkReadyDataset, columnNamesOf, findReadyDataset, lockDataset } from "../datasets/datasets.ts";
import { checkExecution } from "../job-specs/definition.ts";
import { checkUsableVersion, findUsableVersion, selectVersion, versionAsked } from "../job-specs/job-specs.ts";
import { checkReferences } from "../job-specs/template-references.ts";
import { limitOf } from "../organizations/organizations.ts";
import type { DefaultLimits } from "../../services.ts";
import { requireStorage } from "../organizations/storage-limit.ts";
import { checkBudgetPrices } from "./budget-prices.ts";
import { pickRows } from "./filter-scope.ts";
import type { FilterParts, PickedChunk } from "./filter-scope.ts";
import { enqueueLanes, isInProgress, laneKindOf, waitsForCapacityText } from "./lanes.ts";
import { lockOrganizationNext } from "../organizations/lock-organization.ts";
import { insertRunRow } from "./insert-run.ts";
import type { NewRun, RunOptions } from "./insert-run.ts";
import { openBudget } from "./run-budgets.ts";
import { runData } from "./run-events.ts";
import { findRoom, lockRoom, roomOf } from "./room-for-run.ts";
import { openScope, writesChunks } from "./scopes.ts";
import { showRun } from "./runs.ts";
import { plural } from "../../platform/plural.ts";
import { sharedNow } from "../../platform/shared-time.ts";

export interface RunParts {
  queue: Queue;
  limits: DefaultLimits;
}

/** Of requests that make runs, or change what they may spend. */
export interface RequestParts extends RunParts, FilterParts {
  processors: Processors;
  freeSpace: FreeSpace;
  schemas: Schemas;
}

/**
 * Finds out whether a budget could be kept, and evaluates the `filter` over the rows, which takes too long for a transaction. The
 * dataset never changes, so it stays true.
 */
export async function prepareRun(
  db: Queryable,
  caller: OrganizationCaller,
  body: Input<Operations["createRun"]>["body"],
  parts: RequestParts,
): Promise<(tx: Transaction) => Promise<Run>> {
  const { scope } = body;
  await parts.freeSpace.check();
  if (body.budget !== undefined) {
    const jobSpecId = parseBodyId("jobSpec", body.jobSpecId, "jobSpecId");
    const version = await findUsableVersion(db, caller.organizationId, jobSpecId, body.jobSpecVersion);
    await checkBudgetPrices(parts.processors, version);
  }
  if (scope.type !== "filter") return (tx) => createRun(tx, caller, { body, picked: [] }, parts);
  const datasetId = parseBodyId("dataset", body.datasetId, "datasetId");
  const dataset = await findReadyDataset(db, caller, datasetId, "datasetId");
  const picked = await pickRows(db, caller, dataset, scope.where, parts);
  return (tx) => createRun(tx, caller, { body, picked }, parts);
}

async function createRun(
  tx: Transaction,
  caller: OrganizationCaller,
  { body, picked }: { body: Input<Operations["createRun"]>["body"]; picked: readonly PickedChunk[] },
  parts: RunParts,
): Promise<Run> {
  const { organizationId } = caller;
  const datasetId = parseBodyId("dataset", body.datasetId, "datasetId");
  // A job spec is refused behind the dataset, also where what the body has is no id.
  const jobSpecId = parseId("jobSpec", body.jobSpecId) ?? NIL_UUID;
  const asked = [
    // Locked until the commit, so that the dataset is not deleted under a run that is being made.
    lockDataset.asked({ organizationId, id: datasetId }),
    selectVersion.asked(versionAsked(organizationId, jobSpecId, body.jobSpecVersion)),
  ] as const;
  // Nobody waits for the organization while chunks are written.
  const [datasets, versions, organizations] = writesChunks(body.scope)
    ? [...(await askTogether(tx, asked)), undefined]
    : await askTogether(tx, [...asked, lockRoom.asked({ organizationId })]);
  const dataset = checkReadyDataset(datasets, "datasetId");
  parseBodyId("jobSpec", body.jobSpecId, "jobSpecId");
  const version = checkUsableVersion(versions, body.jobSpecVersion);
  checkReferences(processorIn(version), columnNamesOf(dataset));
  const id = newUuid();
  return insertRun(
    tx,
    caller,
    {
      id,
      datasetId,
      jobSpecId: version.jobSpecId,
      jobSpecVersion: version.version,
      scope: body.scope,
      selection: null,
      parentRunId: null,
      rootRunId: id,
      retryNumber: 0,
      options: body,
      defaultConcurrency: version.concurrency,
      defaultFailurePolicy: version.failurePolicy,
      execution: executionOf(version, body.execution),
      laneKind: laneKindOf(version),
      room: organizations && roomOf(organizations, parts.limits),
      insertChunks: () => openScope(tx, { organizationId, runId: id, dataset, scope: body.scope, picked }),
    },
    parts,
  );
}

/** As the run asks for it, else as its job spec does. */
export function executionOf(
  version: Pick<Selectable<JobSpecVersionsTable>, "processor" | "execution">,
  asked: Execution | undefined,
): Execution | null {
  const execution = asked ?? (version.execution === null ? null : (JSON.parse(version.execution) as Execution)); // columns hold what the contract has checked
  if (execution !== null) checkExecution(processorIn(version), execution);
  return execution;
}

/** Columns hold what the contract has checked. */
export const processorIn = ({ processor }: Pick<Selectable<JobSpecVersionsTable>, "processor">): ProcessorConfig =>
  JSON.parse(processor) as ProcessorConfig;

export async function insertRun(
  tx: Transaction,
  caller: OrganizationCaller,
  run: NewRun,
  parts: RunParts,
): Promise<Run> {
  const { organizationId } = caller;
  const { options } = run;
  const { chunkCount, rowTotal, chunksMade } = await run.insertChunks();
  checkDeadline(options);
  // Creates of one organization run one after the other from here on, so that two at once do not both take the last place.
  const room = run.room ?? (await findRoom(tx, organizationId, parts.limits));
  checkRowLimit(rowTotal, room.rowsPerRun);
  requireStorage(room.storedBytes, room.storageBytes);
  const { record, place } = await insertRunRow(tx, caller, run, { rowTotal, chunkCount, chunksMade }, room);
  const key = { organizationId, id: run.id };
  if (options.budget !== undefined) await openBudget(tx, key);
  await recordAudit(tx, caller, run.parentRunId === null ? "run.created" : "run.retried", key);
  await recordFirstRunEvent(tx, run.id, { organizationId, type: "run.created", data: runData(record, "queued") });
  if (record.stateReason === null) await enqueueLanes(tx, record, parts.queue, place);
  return showRun(tx, record);
}

/** What a run may not be, whatever it does. */
export async function checkNewRun(
  db: Queryable,
  organizationId: string,
  options: Pick<RunOptions, "deadlineAt">,
  rowTotal: number,
  limits: DefaultLimits,
): Promise<void> {
  checkDeadline(options);
  checkRowLimit(rowTotal, await limitOf(db, organizationId, "rowsPerRun", limits));
}

function checkDeadline({ deadlineAt }: Pick<RunOptions, "deadlineAt">): void {
  if (deadlineAt === undefined) return;
  const time = new Date(deadlineAt);
  if (time <= sharedNow())
    throw new ApiError("invalid_request", "`deadlineAt` must lie in the future.", { param: "deadlineAt" });
  // RFC 3339 has four digits for a year, and the time zone may lead into the next one.
  if (time.getUTCFullYear() > 9_999)
    throw new ApiError("invalid_request", "`deadlineAt` must lie before the year 10000 in UTC.", {
      param: "deadlineAt",
    });
}

function checkRowLimit(rowTotal: number, rowLimit: number): void {
  if (rowTotal > rowLimit)
    throw new ApiError(
      "limit_reached",
      `A run of this organization may have ${plural(rowLimit, "row")}, and this one would have ${rowTotal}.`,
      { param: "scope" },
    );
}

async function hasCapacity(tx: Transaction, organizationId: string, limits: DefaultLimits): Promise<boolean> {
  const limit = await limitOf(tx, organizationId, "runsInProgress", limits);
  const { count } = await tx
    .selectFrom("runs")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("organizationId", "=", organizationId)
    .where(isInProgress)
    .executeTakeFirstOrThrow();
  return count < limit;
}

/** Gives lanes to the longest waiting runs, as many as there is room for. Called where a run ends, and by a timer. */
export async function startWaitingRuns(tx: Transaction, organizationId: string, parts: RunParts): Promise<void> {
  // Creates of one organization run one after the other here, so that two at once do not both take the last place.
  await lockOrganizationNext(tx, organizationId);
  for (;;) {
    const run = await findLongestWaiting(tx, organizationId);
    // Mostly none waits, and what there is room for need not be counted.
    if (run === undefined || !(await hasCapacity(tx, organizationId, parts.limits))) return;
    await tx
      .updateTable("runs")
      .set({ stateReason: null, updatedAt: sql<Date>`now()` })
      .where(isRowOf("runs", { organizationId }, run.id))
      .execute();
    await enqueueLanes(tx, run, parts.queue);
  }
}

const findLongestWaiting = (tx: Transaction, organizationId: string) =>
  tx
    .selectFrom("runs")
    .selectAll()
    .where("organizationId", "=", organizationId)
    .where(sql.raw<boolean>(waitsForCapacityText))
    .orderBy("priority", "desc")
    .orderBy("id")
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
