/** A database that is away for seconds, in the middle of paid calls: their responses are kept until it is back. */
import { connect, createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Connection } from "@rowmill/contract/connections";
import { findFreePort } from "../../platform/free-port.ts";
import { parseId } from "../../platform/ids.ts";
import { expectStatus } from "../../testing/api.ts";
import { cleanUpLater } from "../../testing/cleanup.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startModelServer } from "../../testing/model-server.ts";
import { startTestService } from "../../testing/service.ts";
import { createMigratedDatabase, openTestPool } from "../../testing/test-database.ts";
import { waitFor } from "../../testing/wait.ts";

const ROWS = 120;
const CONCURRENCY = 40;
/** Calls that are under way when the database goes have ended, and wait for their record, before it is back. */
const CALL_MS = 1_000;
const OUTAGE_MS = 3_000;

/** A way to the database that can be closed, or lose a response. */
async function startWay(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  let nameToLose: string | undefined;
  const open = async (port: number): Promise<number> => {
    const opened = createServer((socket) => {
      const onward = connect(Number(target.port), target.hostname);
      for (const end of [socket, onward]) {
        sockets.add(end);
        end.on("error", () => undefined);
        end.on("close", () => {
          sockets.delete(end);
          socket.destroy();
          onward.destroy();
        });
      }
      socket.on("data", (sent) => {
        if (nameToLose === undefined || !sent.includes(`${nameToLose}\0`)) return;
        nameToLose = undefined;
        onward.unpipe(socket);
        onward.once("data", () => socket.destroy()).resume();
      });
      socket.pipe(onward);
      onward.pipe(socket);
    });
    server = opened;
    await new Promise<void>((resolve) => opened.listen(port, "127.0.0.1", resolve));
    return (opened.address() as AddressInfo).port;
  };
  const close = (): void => {
    server?.close();
    for (const socket of sockets) socket.destroy();
  };
  // No outgoing connection is given it while nobody listens there.
  const port = await open(await findFreePort());
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${port}`;
  /** PostgreSQL does what the next statement of this name says, and its connection breaks with the response. */
  const loseResponseTo = (name: string): void => void (nameToLose = name);
  return { url: url.href, close, reopen: () => open(port), loseResponseTo, hasLost: () => nameToLose === undefined };
}

interface PaidRun {
  databaseUrl: string;
  modelOrigin: string;
  modelUrl: string;
  rows: number;
  concurrency: number;
  settings?: Record<string, string>;
}

async function startPaidRun({ databaseUrl, modelOrigin, modelUrl, rows, concurrency, settings }: PaidRun) {
  const service = await startTestService({
    ROWMILL_DATABASE_URL: databaseUrl,
    ROWMILL_CONNECTION_ALLOWED_ORIGINS: modelOrigin,
    ...settings,
  });
  const { api } = await service.newOrganization();
  const connection = await api<Connection>("POST", "/v1/connections", {
    body: { name: "Model", type: "openai_compatible", baseUrl: modelUrl, secret: "sk-test" },
  });
  expectStatus(connection, 201);
  const dataset = await newDataset(api, numberedRows(rows));
  const spec = await newJobSpec(
    api,
    {
      type: "llm",
      connection: connection.body.id,
      model: "small",
      messages: [{ role: "user", content: "row {{row.n}}" }],
    },
    { concurrency },
  );
  return { api, run: await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id }) };
}

test("no response that was paid for is lost, and no row is asked twice", async () => {
  const model = await startModelServer(() => ({ delayMs: CALL_MS }));
  const database = await createMigratedDatabase();
  cleanUpLater(() => database.drop());
  const way = await startWay(database.url);
  cleanUpLater(() => Promise.resolve(way.close()));
  const { api, run } = await startPaidRun({
    databaseUrl: way.url,
    modelOrigin: model.origin,
    modelUrl: model.baseUrl,
    rows: ROWS,
    concurrency: CONCURRENCY,
  });
  await waitFor(() => Promise.resolve(model.calls.length > CONCURRENCY ? true : undefined));
  way.close();
  await pause(OUTAGE_MS);
  await way.reopen();
  expect(await finishedRun(api, run.id)).toMatchObject({ state: "succeeded", usage: { requests: ROWS } });
  expect(model.calls).toHaveLength(ROWS);
});

test("a lane whose claim of a further chunk meets an outage keeps the chunk whose call is under way", async () => {
  const rows = 6;
  const model = await startModelServer(() => ({ delayMs: CALL_MS }));
  const database = await createMigratedDatabase();
  cleanUpLater(() => database.drop());
  const pool = openTestPool(database.url, 2);
  cleanUpLater(() => pool.end());
  const { api, run } = await startPaidRun({
    databaseUrl: database.url,
    modelOrigin: model.origin,
    modelUrl: model.baseUrl,
    rows,
    concurrency: 1,
    settings: { ROWMILL_CHUNK_ROWS: "1" },
  });
  // Its second chunk is claimed, and waits for the end of the first one's call.
  const claimed = "select 1 from run_chunks where run_id = $1 and state = 'running'";
  const runId = parseId("run", run.id) ?? "";
  await waitFor(async () => (await pool.query(claimed, [runId])).rows.length === 2, { what: "two chunks are claimed" });
  const client = await pool.connect();
  const { rows: own } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  await client.query("begin");
  await client.query("select 1 from runs where id = $1 for update", [runId]);
  const endBlocked = "select pg_terminate_backend(pid) from pg_stat_activity where $1 = any(pg_blocking_pids(pid))";
  await waitFor(async () => (await pool.query(endBlocked, [own[0]?.pid])).rows.length > 0, { what: "the next claim" });
  await client.query("rollback");
  client.release();
  expect(await finishedRun(api, run.id)).toMatchObject({ state: "succeeded", usage: { requests: rows } });
  expect(model.calls).toHaveLength(rows);
});

test("a chunk whose claim got no response is claimed again in the same turn, and counts no death", async () => {
  const rows = 10;
  const model = await startModelServer(() => ({ delayMs: CALL_MS }));
  const database = await createMigratedDatabase();
  cleanUpLater(() => database.drop());
  const pool = openTestPool(database.url, 2);
  cleanUpLater(() => pool.end());
  const way = await startWay(database.url);
  cleanUpLater(() => Promise.resolve(way.close()));
  const { api, run } = await startPaidRun({
    databaseUrl: way.url,
    modelOrigin: model.origin,
    modelUrl: model.baseUrl,
    rows,
    concurrency: 1,
    settings: { ROWMILL_CHUNK_ROWS: "1" },
  });
  const runId = parseId("run", run.id) ?? "";
  const claimed = "select 1 from run_chunks where run_id = $1 and state = 'running'";
  await waitFor(async () => (await pool.query(claimed, [runId])).rows.length === 2, { what: "two chunks are claimed" });
  way.loseResponseTo("claim_chunk");
  expect(await finishedRun(api, run.id)).toMatchObject({ state: "succeeded", usage: { requests: rows } });
  expect(way.hasLost()).toBe(true);
  expect(model.calls).toHaveLength(rows);
  const { rows: counts } = await pool.query(
    "select sum(claim_no)::int as claims, sum(deaths)::int as deaths from run_chunks where run_id = $1",
    [runId],
  );
  expect(counts).toEqual([{ claims: rows + 1, deaths: 0 }]);
});
