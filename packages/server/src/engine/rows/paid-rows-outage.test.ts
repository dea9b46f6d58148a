/** A database that is away for seconds, in the middle of paid calls: their responses are kept until it is back. */
import { connect, createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Connection } from "@rowmill/contract/connections";
import { expectStatus } from "../../testing/api.ts";
import { cleanUpLater } from "../../testing/cleanup.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startModelServer } from "../../testing/model-server.ts";
import { startTestService } from "../../testing/service.ts";
import { createMigratedDatabase } from "../../testing/test-database.ts";
import { waitFor } from "../../testing/wait.ts";

const ROWS = 120;
const CONCURRENCY = 40;
/** Calls that are under way when the database goes have ended, and wait for their record, before it is back. */
const CALL_MS = 1_000;
const OUTAGE_MS = 3_000;

/** A way to the database that can be closed. */
async function startWay(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let server: Server | undefined;
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
  const port = await open(0);
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${port}`;
  return { url: url.href, close, reopen: () => open(port) };
}

test("no response that was paid for is lost, and no row is asked twice", async () => {
  const model = await startModelServer(() => ({ delayMs: CALL_MS }));
  const database = await createMigratedDatabase();
  cleanUpLater(() => database.drop());
  const way = await startWay(database.url);
  cleanUpLater(() => Promise.resolve(way.close()));
  const service = await startTestService({
    ROWMILL_DATABASE_URL: way.url,
    ROWMILL_CONNECTION_ALLOWED_ORIGINS: model.origin,
  });
  const { api } = await service.newOrganization();
  const connection = await api<Connection>("POST", "/v1/connections", {
    body: { name: "Model", type: "openai_compatible", baseUrl: model.baseUrl, secret: "sk-test" },
  });
  expectStatus(connection, 201);
  const dataset = await newDataset(api, numberedRows(ROWS));
  const spec = await newJobSpec(
    api,
    {
      type: "llm",
      connection: connection.body.id,
      model: "small",
      messages: [{ role: "user", content: "row {{row.n}}" }],
    },
    { concurrency: CONCURRENCY },
  );
  const run = await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id });
  await waitFor(() => Promise.resolve(model.calls.length > CONCURRENCY ? true : undefined));
  way.close();
  await pause(OUTAGE_MS);
  await way.reopen();
  expect(await finishedRun(api, run.id)).toMatchObject({ state: "succeeded", usage: { requests: ROWS } });
  expect(model.calls).toHaveLength(ROWS);
});
