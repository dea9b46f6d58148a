/** A new, empty database for a test file, on the run's one PostgreSQL. */
import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { inject } from "vitest";

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

export async function createTestDatabase(): Promise<TestDatabase> {
  const answer = await fetch(inject("testDatabaseServer"));
  const serverUrl = await answer.text();
  if (!answer.ok) throw new Error(`the PostgreSQL for tests does not start: ${serverUrl}`);
  const name = `rowmill_test_${randomBytes(8).toString("hex")}`;
  // As the embedded database of the service: text compares by code point.
  await runStatement(serverUrl, `create database ${name} template template0 encoding 'UTF8' locale 'C'`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => runStatement(serverUrl, `drop database if exists ${name} with (force)`),
  };
}

async function runStatement(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
