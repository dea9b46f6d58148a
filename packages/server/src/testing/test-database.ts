/** A new database for a test file, on the run's one PostgreSQL. */
import { randomBytes } from "node:crypto";
import { Pool } from "pg";
import { inject } from "vitest";
import { createDatabase, databaseAt, dropDatabase } from "./database-statements.ts";

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** Without any table. */
export const createTestDatabase = (): Promise<TestDatabase> => createFrom("template0");

/** With all tables, and nothing in them. */
export const createMigratedDatabase = async (): Promise<TestDatabase> => createFrom(await ask("/template"));

/**
 * Without errors of idle connections: `end` resolves before they are closed, and the database may be dropped meanwhile, which
 * PostgreSQL reports to them.
 */
export const openTestPool = (connectionString: string | undefined, max: number): Pool =>
  new Pool({ connectionString, max }).on("error", () => undefined);

async function createFrom(template: string): Promise<TestDatabase> {
  const serverUrl = await ask("/server");
  const name = `rowmill_test_${randomBytes(8).toString("hex")}`;
  await createDatabase(serverUrl, name, template);
  return { url: databaseAt(serverUrl, name), drop: () => dropDatabase(serverUrl, name) };
}

/** The directory of the modules that processes are started from: see `program.ts`. */
export const findProgram = (): Promise<string> => ask("/program");

/** Builds the console where its sources are newer than its last build. */
export const buildConsole = async (): Promise<void> => void (await ask("/console"));

/** An embedded database with all tables that is stopped, to be copied as it is. */
export const findCluster = (): Promise<string> => ask("/cluster");

async function ask(path: string): Promise<string> {
  const response = await fetch(inject("testDatabaseServer") + path);
  const text = await response.text();
  if (!response.ok) throw new Error(`the tests did not get ${path}: ${text}`);
  return text;
}
