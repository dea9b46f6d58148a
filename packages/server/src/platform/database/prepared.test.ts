import type pg from "pg";
import { expect, test } from "vitest";
import type { Statements } from "./database.ts";
import { prepared } from "./prepared.ts";

interface Sent {
  name: string;
  text: string;
  values: unknown[];
}

function fakeStatements(rows: pg.QueryResultRow[]): { statements: Statements; sent: Sent[] } {
  const sent: Sent[] = [];
  const statements: Statements = {
    async query<R extends pg.QueryResultRow>(statement: Sent) {
      sent.push(statement);
      return { rows: rows as R[], rowCount: rows.length };
    },
  };
  return { statements, sent };
}

test("a statement is built once, and sent under its name with the values of each call", async () => {
  let built = 0;
  const findName = prepared("find_name", ["id", "organizationId"], (db, at) => {
    built++;
    return db
      .selectFrom("runs")
      .select(["name", "rowTotal"])
      .where("organizationId", "=", at.organizationId)
      .where("rootRunId", "=", at.id)
      .where("id", "=", at.id);
  });
  const { statements, sent } = fakeStatements([{ name: "a", row_total: 3 }]);
  expect(await findName(statements, { id: "r1", organizationId: "o1" })).toEqual([{ name: "a", rowTotal: 3 }]);
  await findName(statements, { id: "r2", organizationId: "o2" });
  const text =
    'select "name", "row_total" from "runs" where "organization_id" = $1 and "root_run_id" = $2 and "id" = $3';
  expect(sent).toMatchObject([
    { name: "find_name", text, values: ["o1", "r1", "r1"] },
    { name: "find_name", text, values: ["o2", "r2", "r2"] },
  ]);
  expect(built).toBe(1);
});

test("rows whose columns have their names already are passed on as they are", async () => {
  const findName = prepared("find_name", ["id"], (db, at) =>
    db.selectFrom("runs").select(["name", "rowTotal"]).where("id", "=", at.id),
  );
  const rows = [{ name: "a", rowTotal: null }];
  const statements: Statements = {
    async query<R extends pg.QueryResultRow>({ nameColumn }: { nameColumn?: (column: string) => string }) {
      expect(["name", "row_total"].map((column) => nameColumn?.(column))).toEqual(["name", "rowTotal"]);
      return { rows: rows as unknown as R[], rowCount: 1, hasNames: true };
    },
  };
  expect(await findName(statements, { id: "r1" })).toBe(rows);
});

test("a value that is no parameter is refused, since it would stay that of the first call", async () => {
  const wrong = prepared("wrong", ["id"], (db, at) =>
    db.selectFrom("runs").select("id").where("id", "=", at.id).where("state", "=", "queued"),
  );
  const { statements } = fakeStatements([]);
  await expect(wrong(statements, { id: "r1" })).rejects.toThrow("has a value of its own");
});
