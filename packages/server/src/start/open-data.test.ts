/** A start on a database of its own, where the machine has much other work: the database runs, and connections to it take too long or break. */
import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { readConfig } from "../config.ts";
import type { EmbeddedDatabase } from "../platform/database/embedded/embedded-database.ts";
import { createLog } from "../platform/log.ts";
import { startService } from "../start-service.ts";
import { cleanUpLater } from "../testing/cleanup.ts";
import { newDataDirectory } from "../testing/service-process.ts";
import { createTestDatabase } from "../testing/test-database.ts";

/** Before PostgreSQL: it closes the first connection, and passes on the others. */
async function startBefore(url: string): Promise<EmbeddedDatabase> {
  const { hostname, port } = new URL(url);
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    if (++connections === 1) return void near.destroy();
    const far = connect(Number(port), hostname);
    for (const [from, into] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.pipe(into);
      // Either end may go at any time.
      from.on("error", () => into.destroy());
      from.on("close", () => into.destroy());
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanUpLater(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  });
  const own = new URL(url);
  own.host = `127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
  return { connectionString: own.href, wasAdopted: true, stop: () => Promise.resolve(), stopAtOnce: () => undefined };
}

test("a connection that breaks is tried again, and the start says what it waits for", async () => {
  const database = await createTestDatabase();
  cleanUpLater(() => database.drop());
  const config = readConfig({
    ROWMILL_DATA_DIR: await newDataDirectory(),
    ROWMILL_PORT: "0",
    ROWMILL_METRICS_PORT: "off",
    ROWMILL_ROLE: "worker",
    ROWMILL_ADMIN_KEY: "rma_test0123456789",
  });
  const lines: string[] = [];
  const log = createLog("info", (line) => lines.push(line));
  const fail = (error: Error): never => {
    throw error;
  };
  const service = await startService(config, log, fail, {}, startBefore(database.url));
  onTestFinished(() => service.stop());
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  expect(lines.filter((line) => line.includes("the start waits for PostgreSQL"))).toHaveLength(1);
});
