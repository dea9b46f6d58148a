import type { QueryResultRow } from "pg";
import type { Statements } from "./database.ts";
import { isDistributed } from "./distribution-marks.ts";

interface Statement {
  name: string;
  text: string;
  values: unknown[];
}

/**
 * Rows of several runs, which are `items` or what has a `runId`. On a cluster each run is on one server, and a statement that looks into an
 * index for each item must name it by an equation: `statementOf` gets the items of one run then, SQL that ends its condition, and the rows
 * of the runs before.
 */
export async function queryByRun<Item, Row extends QueryResultRow>(
  client: Statements,
  items: readonly Item[],
  runOf: (item: Item) => string,
  statementOf: (items: readonly Item[], ofRun: (parameter: number) => string, before: readonly Row[]) => Statement,
): Promise<Row[]> {
  if (!isDistributed(client)) return (await client.query<Row>(statementOf(items, () => "", []))).rows;
  const rows: Row[] = [];
  for (const [runId, ofOne] of Map.groupBy(items, runOf)) {
    const { name, text, values } = statementOf(ofOne, (parameter) => `and run_id = $${parameter}::uuid`, rows);
    rows.push(...(await client.query<Row>({ name, text, values: [...values, runId] })).rows);
  }
  return rows;
}
