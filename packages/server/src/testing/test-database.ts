/** A new database for a test file, on the run's one PostgreSQL. */
import { randomBytes } from "node:crypto";
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

async function createFrom(template: string): Promise<TestDatabase> {
  const serverUrl = await ask("/server");
  const name = `rowmill_test_${randomBytes(8).toString("hex")}`;
  await createDatabase(serverUrl, name, template);
  return { url: databaseAt(serverUrl, name), drop: () => dropDatabase(serverUrl, name) };
}

/** For `NODE_COMPILE_CACHE` of processes of the service. */
export const findCompileCache = (): Promise<string> => ask("/compile-cache");

/** An embedded database with all tables that is stopped, to be copied as it is. */
export const findCluster = (): Promise<string> => ask("/cluster");

async function ask(path: string): Promise<string> {
  const response = await fetch(inject("testDatabaseServer") + path);
  const text = await response.text();
  if (!response.ok) throw new Error(`the tests did not get ${path}: ${text}`);
  return text;
}
