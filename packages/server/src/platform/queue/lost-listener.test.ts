/** The connection by which the queue is notified of new jobs, when its other end is gone without a word. */
import { expect, test } from "vitest";
import { cleanUpLater } from "../../testing/cleanup.ts";
import { startSilentNetwork } from "../../testing/silent-network.ts";
import { createTestDatabase, openTestPool } from "../../testing/test-database.ts";
import { waitFor } from "../../testing/wait.ts";
import { createLog } from "../log.ts";
import { openQueue } from "./queue.ts";
import type { Queue } from "./queue.ts";

test("the queue listens by another connection when the one that it has does not respond", async () => {
  const database = await createTestDatabase();
  cleanUpLater(() => database.drop());
  const pool = openTestPool(database.url, 1);
  cleanUpLater(() => pool.end());
  let queue: Queue | undefined;
  // When the network is gone, too: what waits for a response by it waits until then.
  cleanUpLater(async () => queue?.stop());
  const url = new URL(database.url);
  const network = await startSilentNetwork({ host: url.hostname, port: Number(url.port) });
  url.port = String(network.port);
  const lines: string[] = [];
  const log = createLog("warn", (line) => lines.push(line));
  // A response may take longer than the pause on a busy machine, and never as long as that.
  queue = await openQueue(url.href, ["news"], log, {
    connections: 2,
    heartbeat: { pauseMs: 20, timeoutMs: 5_000 },
  });

  /** Of the sessions whose last statement was a heartbeat. */
  const listening = async (): Promise<number[]> => {
    const sessions =
      "select pid from pg_stat_activity where application_name = 'rowmill queue' and query = 'select' and datname = current_database()";
    return (await pool.query<{ pid: number }>(sessions)).rows.map(({ pid }) => pid);
  };
  await waitFor(async () => (await listening()).length > 0, { what: "the queue listens" });
  const before = await listening();
  network.silence();
  await waitFor(async () => (await listening()).some((pid) => !before.includes(pid)), {
    what: "it listens by another connection",
  });
  expect(lines.join("")).toContain("the queue's database is away");
});
