/**
 * The plans of a service's statements as they were executed, with the rows that each step has read. `auto_explain` of
 * PostgreSQL sends them to the connection that has sent the statement, and so to this process, in which the service runs.
 */
import { Client } from "pg";
import { vi } from "vitest";
import type { TestService } from "@rowmill/server/testing/service";

interface PlanNode {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  "Rows Removed by Join Filter"?: number;
  "Shared Hit Blocks": number;
  "Shared Read Blocks": number;
  Plans?: PlanNode[];
}

/** A step that reads a table. */
export interface TableRead {
  table: string;
  /** `Seq Scan`, `Index Scan`, … */
  how: string;
  index: string | undefined;
  /** How often it was begun. */
  loops: number;
  /** Rows of a loop, those included that a filter has thrown away. */
  rowsPerLoop: number;
  /**
   * Of the table and its index, in this step alone. Entries of an index that do not meet its conditions are passed without being counted as
   * rows.
   */
  pages: number;
}

const settings = {
  session_preload_libraries: "auto_explain",
  "auto_explain.log_min_duration": "0",
  "auto_explain.log_analyze": "on",
  "auto_explain.log_timing": "off",
  "auto_explain.log_buffers": "on",
  "auto_explain.log_format": "json",
  "auto_explain.log_level": "notice",
  client_min_messages: "notice",
  // Pages that are read ahead, for rows behind a limit, would count, and how many there are follows from what other files have read.
  effective_io_concurrency: "0",
};
/** The same, from PostgreSQL 17 on. */
const settingsOf17 = { io_combine_limit: "1" };

/**
 * For connections that are made from now on: PostgreSQL sends the plans of a service that is started afterwards. `nested`: those of
 * statements within functions, too.
 */
export async function reportPlans(service: TestService, { nested = false } = {}): Promise<void> {
  const [found] = await service.query<{ name: string; version: number }>(
    "select quote_ident(current_database()) as name, current_setting('server_version_num')::int as version",
  );
  const all = {
    ...settings,
    "auto_explain.log_nested_statements": nested ? "on" : "off",
    ...((found?.version ?? 0) >= 170_000 ? settingsOf17 : {}),
  };
  for (const [name, value] of Object.entries(all))
    await service.query(`alter database ${found?.name} set ${name} = '${value}'`);
}

/** What statements read whose plans arrive while `work` is done; of tables that `isOfInterest`. */
export async function readsOf(
  work: () => Promise<void>,
  isOfInterest: (table: string) => boolean,
): Promise<TableRead[]> {
  const reads: TableRead[] = [];
  for (const plan of await plansOf(work)) collect(plan, reads, isOfInterest);
  return reads;
}

/** Rows that all steps of these plans have handled, those that a join has compared and thrown away included. */
export async function rowsHandledIn(work: () => Promise<void>): Promise<number> {
  const handled = (node: PlanNode): number =>
    node["Actual Loops"] *
      (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Join Filter"] ?? 0)) +
    (node.Plans ?? []).reduce((sum, inner) => sum + handled(inner), 0);
  return (await plansOf(work)).reduce((sum, plan) => sum + handled(plan), 0);
}

async function plansOf(work: () => Promise<void>): Promise<PlanNode[]> {
  const plans: PlanNode[] = [];
  // Every client emits what PostgreSQL reports to it.
  const spy = vi.spyOn(Client.prototype, "emit");
  try {
    await work();
    for (const [event, notice] of spy.mock.calls) {
      if (event !== "notice") continue;
      const plan = /^duration: .*? plan:\n(?<json>\{.*\})$/s.exec((notice as { message: string }).message)?.groups?.[
        "json"
      ];
      if (plan === undefined) continue;
      const { Plan } = JSON.parse(plan) as { Plan: PlanNode }; // as PostgreSQL documents it
      plans.push(Plan);
    }
  } finally {
    spy.mockRestore();
  }
  return plans;
}

/** Those of the steps below it included. */
const pagesOf = (node: PlanNode): number => node["Shared Hit Blocks"] + node["Shared Read Blocks"];

function collect(node: PlanNode, reads: TableRead[], isOfInterest: (table: string) => boolean): void {
  const table = node["Relation Name"];
  const loops = node["Actual Loops"];
  if (table !== undefined && loops > 0 && isOfInterest(table) && node["Node Type"] !== "ModifyTable")
    reads.push({
      table,
      how: node["Node Type"],
      index: node["Index Name"],
      loops,
      rowsPerLoop:
        node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0),
      pages: pagesOf(node) - (node.Plans ?? []).reduce((sum, inner) => sum + pagesOf(inner), 0),
    });
  for (const inner of node.Plans ?? []) collect(inner, reads, isOfInterest);
}
