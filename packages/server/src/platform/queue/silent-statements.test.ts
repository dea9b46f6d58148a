/** Statements of the queue whose bytes the network swallows. */
import { expect, test } from "vitest";
import { cleanUpLater } from "../../testing/cleanup.ts";
import { startSilentNetwork } from "../../testing/silent-network.ts";
import { createTestDatabase, openTestPool } from "../../testing/test-database.ts";
import { waitFor } from "../../testing/wait.ts";
import { createLog } from "../log.ts";
import { openQueue } from "./queue.ts";

test("a statement without a response ends, and the queue goes on by another connection", async () => {
  const database = await createTestDatabase();
  cleanUpLater(() => database.drop());
  const pool = openTestPool(database.url, 1);
  cleanUpLater(() => pool.end());
  const url = new URL(database.url);
  const network = await startSilentNetwork({ host: url.hostname, port: Number(url.port) });
  url.port = String(network.port);
  const queue = await openQueue(url.href, ["news"], createLog("silent"), { connections: 1 });
  cleanUpLater(() => queue.stop());
  await queue.enqueueNow("news", {});

  network.silence();
  await queue.enqueueNow("news", {}).catch(() => undefined);
  await waitFor(() => queue.enqueueNow("news", { isLast: true }).then(() => true), { what: "a job is queued" });
  const { rows } = await pool.query("select 1 from pgboss.job where name = 'news' and data ? 'isLast'");
  expect(rows).toHaveLength(1);
});
