import { pino } from "pino";
import { expect, onTestFinished, test, vi } from "vitest";
import { cleanUpLater } from "../../testing/cleanup.ts";
import { startSilentNetwork } from "../../testing/silent-network.ts";
import { createTestDatabase } from "../../testing/test-database.ts";
import { waitFor } from "../../testing/wait.ts";
import { openDatabase } from "./database.ts";
import { RECONNECT_PAUSE_MS, listen, warnOfLoss } from "./notifications.ts";

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

  // Only the test lets time pass: no statement is late because the machine stands still.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  let woken = 0;
  const lines: string[] = [];
  const heartbeat = { pauseMs: 1_000, timeoutMs: 5_000 };
  const listener = listen(through, { news: () => woken++ }, (error) => lines.push(String(error)), heartbeat);
  onTestFinished(() => listener.stop());
  await waitFor(() => woken === 1, { what: "the connection listens" });
  await vi.advanceTimersByTimeAsync(heartbeat.pauseMs);
  const beats =
    "select from pg_stat_activity where datname = current_database() and query = 'select' and state = 'idle'";
  await waitFor(async () => (await direct.pool.query(beats)).rowCount === 1, { what: "a heartbeat has its response" });
  await direct.pool.query("notify news");
  // It comes behind that response.
  await waitFor(() => woken === 2, { what: "a notification has arrived" });
  await vi.advanceTimersByTimeAsync(heartbeat.timeoutMs);
  expect(lines).toEqual([]);

  network.silence();
  await direct.pool.query("notify news");
  await vi.advanceTimersByTimeAsync(heartbeat.pauseMs + heartbeat.timeoutMs + RECONNECT_PAUSE_MS);
  // What was sent meanwhile may be lost: a new connection wakes everybody once.
  await waitFor(() => woken === 3, { what: "there is a new connection" });
  expect(lines.join("")).toContain("the connection does not respond");
  await direct.pool.query("notify news");
  await waitFor(() => woken === 4, { what: "a notification has arrived by the new connection" });
});

test("while the database is away, the loss of the connection is logged once a minute and not at each attempt", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const lines: string[] = [];
  let attempts = 0;
  const connect = () => {
    attempts++;
    return Promise.reject(new Error("connect ECONNREFUSED 127.0.0.1:5432"));
  };
  const database = { pool: { connect } } as unknown as Parameters<typeof listen>[0]; // it comes to nothing else
  const listener = listen(database, {}, warnOfLoss(pino({}, { write: (line) => lines.push(line) })));
  onTestFinished(() => listener.stop());
  await vi.advanceTimersByTimeAsync(59_000);
  expect(attempts).toBe(60);
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: 40, msg: "lost the connection for notifications" });
  await vi.advanceTimersByTimeAsync(2_000);
  expect(lines).toHaveLength(2);
});
