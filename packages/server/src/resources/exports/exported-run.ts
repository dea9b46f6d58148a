/** What is known of an export's columns before any row is read. */
import type { Column } from "@rowmill/contract/datasets";
import type { Selectable } from "kysely";
import { sql } from "../../platform/database/database.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { RunsTable } from "../../platform/database/run-tables.ts";
import type { ExportsTable } from "../../platform/database/data-tables.ts";
import { isRowOf } from "../../platform/database/row-key.ts";
import { MAX_COLUMNS } from "../datasets/dataset-columns.ts";
import type { ExportSource } from "./formats/format.ts";

interface ExportedRun {
  run: Selectable<RunsTable>;
  inputColumns: string[];
  outputSchema: unknown;
  hasOneOutputSchema: boolean;
  /** Of the dataset. */
  rowCount: number;
}

/** Undefined for a deleted run. */
export async function findExportedRun(
  db: Queryable,
  organizationId: string,
  runId: string,
): Promise<ExportedRun | undefined> {
  const found = await db
    .selectFrom("runs as r")
    .innerJoin("datasets as d", (join) =>
      join.onRef("d.organizationId", "=", "r.organizationId").onRef("d.id", "=", "r.datasetId"),
    )
    .innerJoin("jobSpecVersions as v", (join) =>
      join
        .onRef("v.organizationId", "=", "r.organizationId")
        .onRef("v.jobSpecId", "=", "r.jobSpecId")
        .onRef("v.version", "=", "r.jobSpecVersion"),
    )
    .selectAll("r")
    .select(["d.columns", "d.rowCount", "v.outputSchema"])
    .select(
      // A retry run may have another version of the job spec than the runs before it.
      sql<boolean>`not exists (select from runs f join job_spec_versions o on o.organization_id = f.organization_id
        and o.job_spec_id = f.job_spec_id and o.version = f.job_spec_version
        where f.organization_id = r.organization_id and f.root_run_id = r.root_run_id
          and o.output_schema::text is distinct from v.output_schema::text)`.as("hasOneOutputSchema"),
    )
    .where(isRowOf("runs", { organizationId }, runId, "r"))
    .where("r.deletedAt", "is", null)
    .executeTakeFirst();
  if (!found) return undefined;
  const { columns, rowCount, outputSchema, hasOneOutputSchema, ...run } = found;
  return {
    run,
    inputColumns: (JSON.parse(columns) as Column[]).map(({ name }) => name), // written by intake
    outputSchema: outputSchema === null ? undefined : (JSON.parse(outputSchema) as unknown),
    hasOneOutputSchema,
    rowCount,
  };
}

type KnownTable = Omit<ExportSource, "formulaGuard" | "looksAt" | "readPages">;

export const tableOfRun = (
  { inputColumns, outputSchema, hasOneOutputSchema, rowCount }: ExportedRun,
  {
    type,
    layout,
    columns,
    delimiter,
    byteOrderMark,
    includeInput,
  }: Pick<Selectable<ExportsTable>, "type" | "layout" | "columns" | "delimiter" | "byteOrderMark" | "includeInput">,
): KnownTable => ({
  type,
  layout,
  columns: columns === null ? null : (JSON.parse(columns) as string[]), // as `createExport` writes it
  delimiter,
  byteOrderMark,
  inputColumns: includeInput ? inputColumns : null,
  isInputComplete: inputColumns.length < MAX_COLUMNS,
  outputSchema,
  hasOneOutputSchema,
  mostRows: rowCount,
});
