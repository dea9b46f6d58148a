/**
 * Once per run of the tests: one PostgreSQL for all files, started when the first of them asks, and a place where they note
 * which answers they have seen. `ROWMILL_TEST_DATABASE_URL` names another server to use (15 or newer, as a superuser).
 */
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import type { TestProject } from "vitest/node";
import { startEmbeddedDatabase } from "../platform/database/embedded/embedded-database.ts";
import type { EmbeddedDatabase } from "../platform/database/embedded/embedded-database.ts";
import { COVERAGE_PATH_VARIABLE } from "./contract-coverage-path.ts";
import { judgeCoverage } from "./contract-coverage.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Answers a GET with the connection string of a superuser on the run's PostgreSQL. */
    testDatabaseServer: string;
    /** Lines of `operationId status`. */
    seenAnswersFile: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "rowmill-tests-"));
  const seenAnswersFile = join(folder, "seen-answers");
  await writeFile(seenAnswersFile, "");
  let embedded: Promise<EmbeddedDatabase> | undefined;
  const findServer = async (): Promise<string> => {
    const external = process.env["ROWMILL_TEST_DATABASE_URL"];
    if (external !== undefined) return external;
    embedded ??= startForTests(join(folder, "postgres"));
    return (await embedded).connectionString;
  };
  // Files that need no database do not wait for one: it starts at the first question.
  const desk = createServer((_request, response) => {
    findServer().then(
      (url) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  desk.listen(0, "127.0.0.1");
  await once(desk, "listening");
  desk.unref();
  const { port } = desk.address() as AddressInfo; // it listens on TCP
  project.provide("testDatabaseServer", `http://127.0.0.1:${port}/`);
  project.provide("seenAnswersFile", seenAnswersFile);

  return async () => {
    desk.closeAllConnections();
    desk.close();
    const seen = await readFile(seenAnswersFile, "utf8");
    const coverage = judgeCoverage(seen);
    if (seen !== "")
      console.log(`contract: ${coverage.seen} of ${coverage.declared} declared answers (operation × status) were seen`);
    const coveragePath = process.env[COVERAGE_PATH_VARIABLE];
    if (coveragePath !== undefined) await writeFile(coveragePath, JSON.stringify(coverage));
    await (await embedded)?.stop();
    await rm(folder, { recursive: true, force: true });
  };
}

async function startForTests(dataDirectory: string): Promise<EmbeddedDatabase> {
  const database = await startEmbeddedDatabase({ dataDirectory });
  const client = new Client({ connectionString: database.connectionString });
  await client.connect();
  // What a power cut would lose does not matter here; tests of crashes start a service with a database of its own.
  await client.query("alter system set fsync = off");
  await client.query("select pg_reload_conf()");
  await client.end();
  return database;
}
