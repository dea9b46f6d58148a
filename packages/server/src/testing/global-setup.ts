/**
 * Once per run of the tests: one PostgreSQL for all files, started when the first of them asks; a database that is migrated
 * once and copied by each of them; one folder for all temporary files; and a place where they note which responses they have
 * seen. `ROWMILL_TEST_DATABASE_URL` names another server to use (15 or newer, as a superuser).
 */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";
import { pino } from "pino";
import type { TestProject } from "vitest/node";
import { openDatabase } from "../platform/database/database.ts";
import { startEmbeddedDatabase } from "../platform/database/embedded/embedded-database.ts";
import type { EmbeddedDatabase } from "../platform/database/embedded/embedded-database.ts";
import { migrateDatabase } from "../platform/database/migrate.ts";
import { prepareRoles } from "../platform/database/roles.ts";
import { queueTables } from "../platform/queue/queue-tables.ts";
import { openQueue } from "../platform/queue/queue.ts";
import { COVERAGE_PATH_VARIABLE } from "./contract-coverage-path.ts";
import { checkCoverage } from "./contract-coverage.ts";
import { closeDatabase, createDatabase, databaseAt, dropDatabase } from "./database-statements.ts";
import { FileSlots, FILES_AT_ONCE } from "./file-slots.ts";
import { guardFolder } from "./guarded-folder.ts";
import { prepareProgram } from "./make-program.ts";
import { lendSlot } from "./slot-connection.ts";
import { makeTemporaryFolder } from "./temporary-folder.ts";

/** A look costs microseconds. */
const STARTER_CHECK_MS = 500;

declare module "vitest" {
  interface ProvidedContext {
    /**
     * `GET /server`: the connection string of a superuser on the run's PostgreSQL. `GET /template`: the name of a database
     * there that has all tables, for `create database … template …`. `GET /cluster`: a directory of an embedded database that has them
     * and is stopped, to copy. `GET /console`: a response when the console is built of its present sources. `GET /program`: the directory of the modules that processes are started from. `GET /slot`: a response that
     * begins when a test file may, and lasts until it has ended.
     */
    testDatabaseServer: string;
    /** Lines of `operationId status`. */
    seenResponsesFile: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await makeTemporaryFolder();
  process.env["TMPDIR"] = folder;
  guardFolder(folder);
  endWithStarter();
  const seenResponsesFile = join(folder, "seen-responses");
  await writeFile(seenResponsesFile, "");
  let embedded: Promise<EmbeddedDatabase> | undefined;
  const findServer = async (): Promise<string> => {
    const external = process.env["ROWMILL_TEST_DATABASE_URL"];
    if (external !== undefined) return external;
    embedded ??= startForTests(join(folder, "postgres"));
    return (await embedded).connectionString;
  };
  let template: Promise<string> | undefined;
  let program: Promise<string> | undefined;
  const findProgram = async (): Promise<string> => (program ??= prepareProgram());
  const findTemplate = async (): Promise<string> => (template ??= createTemplate(await findServer()));
  let cluster: Promise<string> | undefined;
  const findCluster = async (): Promise<string> => (cluster ??= makeCluster(join(folder, "cluster")));
  let builtConsole: Promise<string> | undefined;
  const findConsole = async (): Promise<string> => (builtConsole ??= buildConsole());
  // Files that need no database do not wait for one: it starts at the first request.
  const slots = new FileSlots(FILES_AT_ONCE);
  const desk = createServer((request, response) => {
    if (request.url === "/slot") {
      lendSlot(slots, response);
      return;
    }
    const places = {
      "/template": findTemplate,
      "/cluster": findCluster,
      "/console": findConsole,
      "/program": findProgram,
    };
    const find = new Map(Object.entries(places)).get(request.url ?? "") ?? findServer;
    find().then(
      (text) => response.end(text),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  desk.listen(0, "127.0.0.1");
  await once(desk, "listening");
  desk.unref();
  const { port } = desk.address() as AddressInfo; // it listens on TCP
  project.provide("testDatabaseServer", `http://127.0.0.1:${port}`);
  project.provide("seenResponsesFile", seenResponsesFile);

  return async () => {
    desk.closeAllConnections();
    desk.close();
    const seen = await readFile(seenResponsesFile, "utf8");
    const coverage = checkCoverage(seen);
    if (seen !== "")
      console.log(
        `contract: ${coverage.seen} of ${coverage.declared} declared responses (operation × status) were seen`,
      );
    const coveragePath = process.env[COVERAGE_PATH_VARIABLE];
    if (coveragePath !== undefined) await writeFile(coveragePath, JSON.stringify(coverage));
    await dropTemplate(process.env["ROWMILL_TEST_DATABASE_URL"], await template);
    await (await embedded)?.stop();
    // The browser of a process of the tests ends after it, and writes its profile there until then.
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
  };
}

/** A start of the service would do it; services of tests do not. Returns what was printed. */
async function buildConsole(): Promise<string> {
  const script = join(import.meta.dirname, "../../../console/build.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [script]);
  return stdout;
}

async function startForTests(dataDirectory: string): Promise<EmbeddedDatabase> {
  const database = await startEmbeddedDatabase({ dataDirectory });
  await askForPasswords(dataDirectory);
  const client = new Client({ connectionString: database.connectionString });
  await client.connect();
  // What a power cut would lose does not matter here; tests of crashes start a service with a database of its own. Each copy of the
  // template is a checkpoint, after which every page that is touched would be logged as a whole.
  for (const name of ["fsync", "synchronous_commit", "full_page_writes"])
    await client.query(`alter system set ${name} = off`);
  await client.query("select pg_reload_conf()");
  await client.end();
  return database;
}

/**
 * The password itself in place of the exchange of SCRAM, which takes each side longer than all else that a connection costs: a service
 * of a test opens about twenty.
 */
const askForPasswords = (dataDirectory: string): Promise<void> => {
  const rules = ["all", "replication"].map((databases) => `host ${databases} all 127.0.0.1/32 password\n`);
  return writeFile(join(dataDirectory, "cluster", "pgdata", "pg_hba.conf"), rules.join(""));
};

/** Migrating takes a second, copying what is migrated a tenth of that. */
async function createTemplate(serverUrl: string): Promise<string> {
  const name = `rowmill_template_${randomBytes(8).toString("hex")}`;
  await createDatabase(serverUrl, name, "template0");
  await makeTables(databaseAt(serverUrl, name));
  await closeDatabase(serverUrl, name);
  return name;
}

/** For services that are processes of their own, with a database of their own: making one costs as much as such a process. */
async function makeCluster(directory: string): Promise<string> {
  const database = await startEmbeddedDatabase({ dataDirectory: directory });
  await makeTables(database.connectionString);
  await database.stop();
  await askForPasswords(directory);
  // Each copy finds a port of its own.
  await rm(join(directory, "cluster", "port"));
  return directory;
}

/** As a service leaves them that has started once: a policy for each table is a third of what a first start costs PostgreSQL. */
async function makeTables(url: string): Promise<void> {
  const log = pino({ level: "silent" });
  const database = openDatabase(url, { max: 1, onError: () => {} });
  await migrateDatabase(database.pool, new URL("../platform/database/migrations/", import.meta.url));
  // It names the queues of all parts of the service, which a run without a database does not need to load.
  const { queueNames } = await import("../worker.ts");
  const queue = await openQueue(url, queueNames, log);
  await queue.stop();
  await prepareRoles(database.pool, queueTables, "required", log);
  await database.close();
}

/** The run's own PostgreSQL goes as a whole; somebody else's is left as it was. */
async function dropTemplate(serverUrl: string | undefined, name: string | undefined): Promise<void> {
  if (serverUrl !== undefined && name !== undefined) await dropDatabase(serverUrl, name);
}

/** The process that started the tests may be killed, too; then nobody is left to read what they print. */
function endWithStarter(): void {
  const starter = process.ppid;
  setInterval(() => {
    if (process.ppid !== starter) process.kill(process.pid, "SIGKILL");
  }, STARTER_CHECK_MS).unref();
}
