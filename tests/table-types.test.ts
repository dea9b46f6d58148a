/** What the code says of each table (`platform/database/*-tables.ts`, `tables.ts`) is what the migrations have made. */
import { globSync, readFileSync } from "node:fs";
import { Client } from "pg";
import { expect, test } from "vitest";
import { createMigratedDatabase } from "@rowmill/server/testing/test-database";

const folder = "packages/server/src/platform/database";
const INTERFACE = /^export interface (\w+) \{\n([^}]*(?:\{[^}]*\}[^}]*)*?)^\}/gm;
const COLUMN = /^ {2}(\w+): ((?:[^;{]|\{[^}]*\})*);/gm;

interface Column {
  isNullable: boolean;
  /** May be left out on insert. */
  isOptional: boolean;
  /** What is read: that of `typeof`, or a class. */
  type: string;
}
type Columns = Record<string, Column>;

/** What a type of the code means for its column. */
function describeType(text: string): Column {
  const maybe = /^(?:Maybe|Nullable)/.test(text);
  const [, read = text, insert] = /^ColumnType<(.*), ([^,]+), [^,]+>$/s.exec(text) ?? [];
  const isNullable = maybe || read.endsWith(" | null") || /^Generated(?:Always)?<[^<]* \| null>$/.test(read);
  const isOptional = isNullable || insert === "never" || /^(?:\w+WithDefault|Generated|GeneratedAlways)\b/.test(text);
  const inner = (/^(?:Maybe|Generated|GeneratedAlways)<(.*)>$/s.exec(read)?.[1] ?? read).replace(/ \| null$/, "");
  return { isNullable, isOptional, type: typeNameOf(inner) };
}

function typeNameOf(inner: string): string {
  if (/Jsonb|^Record<|^\{|^BulkFilter$/.test(inner)) return "jsonb";
  if (/Time/.test(inner) || inner === "Date") return "Date";
  if (inner.endsWith("[]")) return "array";
  return /^(?:number|boolean|Buffer)$/.test(inner) ? inner : "string";
}

function readDescribed(): Record<string, Columns> {
  const sources = globSync(`${folder}/*tables.ts`).map((path) => readFileSync(path, "utf8"));
  const interfaces = new Map(
    sources.flatMap((source) =>
      [...source.matchAll(INTERFACE)].map(([, name = "", body = ""]) => [name, body] as const),
    ),
  );
  const membersOf = (name: string): (readonly [string, string])[] =>
    [...(interfaces.get(name) ?? "").matchAll(COLUMN)].map(([, member = "", type = ""]) => [member, type.trim()]);
  return Object.fromEntries(
    membersOf("Tables").map(([table, name]) => [
      toSnakeCase(table),
      Object.fromEntries(membersOf(name).map(([column, type]) => [toSnakeCase(column), describeType(type)])),
    ]),
  );
}

async function readMade(connectionString: string): Promise<Record<string, Columns>> {
  const client = new Client({ connectionString });
  await client.connect();
  const { rows } = await client.query<{ table: string; column: string; type: string; null: boolean; default: boolean }>(
    `select table_name as "table", column_name as "column", data_type as "type", is_nullable = 'YES' as "null",
       column_default is not null or is_identity = 'YES' or is_generated = 'ALWAYS' as "default"
     from information_schema.columns where table_schema = 'public'`,
  );
  await client.end();
  const made: Record<string, Columns> = {};
  for (const { table, column, type, null: isNullable, default: hasDefault } of rows)
    (made[table] ??= {})[column] = { isNullable, isOptional: isNullable || hasDefault, type: readAs(type) };
  return made;
}

/** What `pg` makes of a column, by the parsers of `database.ts`. */
function readAs(type: string): string {
  if (type === "ARRAY") return "array";
  if (type === "jsonb") return "jsonb";
  if (type === "bytea") return "Buffer";
  if (type === "boolean") return "boolean";
  if (type.startsWith("timestamp") || type === "date") return "Date";
  if (["smallint", "integer", "bigint", "double precision", "real"].includes(type)) return "number";
  return "string"; // text, uuid, json, numeric
}

const toSnakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

test("every table is described with the columns, types, nulls and defaults that it has", async () => {
  const database = await createMigratedDatabase();
  const made = await readMade(database.url);
  await database.drop();
  const described = readDescribed();
  expect(Object.keys(described).length).toBeGreaterThan(30);
  const differences = Object.entries(described).flatMap(([table, columns]) => {
    const names = new Set([...Object.keys(columns), ...Object.keys(made[table] ?? {})]);
    return [...names].flatMap((name) => {
      const [said, is] = [columns[name], made[table]?.[name]];
      if (said === undefined) return [`${table}.${name} is not described`];
      if (is === undefined) return [`${table}.${name} does not exist`];
      // What every insert writes may have a default.
      const isOptional = said.isOptional && !is.isOptional;
      const differs = said.type !== is.type || said.isNullable !== is.isNullable || isOptional;
      return differs ? [`${table}.${name}: described as ${JSON.stringify(said)}, made as ${JSON.stringify(is)}`] : [];
    });
  });
  expect(differences).toEqual([]);
});
