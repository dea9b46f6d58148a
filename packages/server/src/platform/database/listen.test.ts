import { expect, test } from "vitest";
import { cleanUpLater } from "../../testing/cleanup.ts";
import { startSilentNetwork } from "../../testing/silent-network.ts";
import { createTestDatabase } from "../../testing/test-database.ts";
import { waitFor } from "../../testing/wait.ts";
import { openDatabase } from "./database.ts";
import { listen } from "./notifications.ts";

test("a connection that is silently gone is noticed and replaced, and notifications arrive again", async () => {
  const server = await createTestDatabase();
  cleanUpLater(() => server.drop());
  const url = new URL(server.url);
  const network = await startSilentNetwork({ host: url.hostname, port: Number(url.port) });
  const options = { max: 2, onError: () => {} };
  const through = openDatabase(Object.assign(new URL(url), { port: String(network.port) }).href, options);
  cleanUpLater(() => through.close());
  const direct = openDatabase(server.url, options);
  cleanUpLater(() => direct.close());

  let woken = 0;
  const lines: string[] = [];
  const listener = listen(through, { news: () => woken++ }, (error) => lines.push(String(error)), {
    pauseMs: 20,
    // Longer than a busy machine takes for a response.
    timeoutMs: 5_000,
  });
  cleanUpLater(async () => listener.stop());
  await waitFor(() => woken === 1, { what: "the connection listens" });
  await direct.pool.query("notify news");
  await waitFor(() => woken === 2, { what: "a notification has arrived" });
  expect(lines).toEqual([]);

  network.silence();
  await direct.pool.query("notify news");
  // What was sent meanwhile may be lost: a new connection wakes everybody once.
  await waitFor(() => woken === 3, { what: "there is a new connection" });
  expect(lines.join("")).toContain("the connection does not respond");
  await direct.pool.query("notify news");
  await waitFor(() => woken === 4, { what: "a notification has arrived by the new connection" });
});
