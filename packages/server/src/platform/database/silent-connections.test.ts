import { DatabaseError } from "pg";
import { describe, expect, test } from "vitest";
import { cleanUpLater } from "../../testing/cleanup.ts";
import { startSilentNetwork } from "../../testing/silent-network.ts";
import { createTestDatabase } from "../../testing/test-database.ts";
import { isUnavailable, openDatabase } from "./database.ts";
import { ConnectionWatch } from "./silent-connections.ts";
import type { WatchedClient } from "./silent-connections.ts";

/** A connection whose statement waits, and what it was closed with. */
function connectionOf(processID: number): WatchedClient & { closedWith: Error[]; receive(): void } {
  const closedWith: Error[] = [];
  const stream = {
    bytesRead: 0,
    bytesWritten: 10,
    destroy: ((error: Error) => void closedWith.push(error)) as never,
  };
  return {
    connection: { stream },
    readyForQuery: false,
    processID,
    getTransactionStatus: () => "I",
    closedWith,
    receive: () => void (stream.bytesRead += 1),
  };
}

/** A watch over connections, and what it has asked for; `respond` is a server's part. */
function startWatch(clients: readonly WatchedClient[], respond: (pids: readonly number[]) => readonly number[]) {
  const questions: (readonly number[])[] = [];
  const watch = new ConnectionWatch(async (pids) => {
    questions.push(pids);
    return new Set(respond(pids));
  });
  for (const client of clients) watch.add(client);
  const look = async (times: number): Promise<void> => {
    for (let n = 0; n < times; n++) await watch.look();
  };
  return { watch, questions, look };
}

describe("a connection whose statement waits", () => {
  test("is left alone while PostgreSQL works on it, and asked about after each three looks without a byte", async () => {
    const client = connectionOf(7);
    const { questions, look } = startWatch([client], (pids) => pids);
    await look(2);
    expect(questions).toEqual([]);
    await look(100);
    expect(questions).toEqual(Array.from({ length: 34 }, () => [7]));
    expect(client.closedWith).toEqual([]);
  });

  test("is closed at the second question for which PostgreSQL does not work on it, two looks after the first", async () => {
    const [lost, busy] = [connectionOf(7), connectionOf(8)];
    const { questions, look } = startWatch([lost, busy], () => [8]);
    await look(4);
    expect([questions.length, lost.closedWith]).toEqual([1, []]);
    await look(1);
    expect(questions).toEqual([[7, 8], [7]]);
    const [error] = lost.closedWith;
    expect(isUnavailable(error)).toBe(true);
    expect(busy.closedWith).toEqual([]);
  });

  test("is asked about later again where the first question took long, as on a busy server", async () => {
    let now = 0;
    let questions = 0;
    const watch = new ConnectionWatch(
      async () => {
        questions += 1;
        now += 1_500;
        return new Set();
      },
      () => now,
    );
    const client = connectionOf(7);
    watch.add(client);
    for (let n = 0; n < 8; n++) await watch.look();
    expect([questions, client.closedWith]).toEqual([1, []]);
    await watch.look();
    expect([questions, client.closedWith.length]).toEqual([2, 1]);
  });

  test("takes along connections that nobody uses and that were as silent, and no other one", async () => {
    const lost = connectionOf(7);
    const unused = { ...connectionOf(8), readyForQuery: true };
    const inTransaction = { ...connectionOf(9), readyForQuery: true, getTransactionStatus: () => "T" };
    const usedLately = { ...connectionOf(10), readyForQuery: true };
    const taken = { ...connectionOf(11), readyForQuery: true };
    const { watch, look } = startWatch([lost, unused, inTransaction, usedLately], () => []);
    watch.add(taken, () => true);
    await look(4);
    usedLately.receive();
    expect(unused.closedWith).toEqual([]);
    await look(1);
    const all = [lost, unused, inTransaction, usedLately, taken];
    expect(all.map(({ closedWith }) => closedWith.length)).toEqual([1, 1, 0, 0, 0]);
    expect(isUnavailable(unused.closedWith[0])).toBe(true);
  });

  test.each([
    ["a byte comes between the questions", (client: ReturnType<typeof connectionOf>) => client.receive()],
    ["its response is complete", (client: ReturnType<typeof connectionOf>) => (client.readyForQuery = true)],
  ])("stays where %s", async (_what, happen) => {
    const client = connectionOf(7);
    const { questions, look } = startWatch([client], () => []);
    await look(4);
    happen(client);
    await look(3);
    expect([questions.length, client.closedWith]).toEqual([1, []]);
  });

  test("stays where a byte comes while PostgreSQL is asked", async () => {
    const client = connectionOf(7);
    const { look } = startWatch([client], () => (client.receive(), []));
    await look(100);
    expect(client.closedWith).toEqual([]);
  });

  test("is not closed by a question that follows one without a response: the server may have stood still", async () => {
    const client = connectionOf(7);
    const responses = [[], undefined, []];
    const { questions, look } = startWatch([client], () => {
      const response = responses[questions.length - 1];
      if (response === undefined) throw new Error("no response");
      return response;
    });
    await look(3);
    expect(questions.length).toBe(1);
    await look(2);
    expect(questions.length).toBe(2);
    await look(1);
    expect([questions.length, client.closedWith]).toEqual([3, []]);
  });

  test("is closed after a minute in which PostgreSQL gives no response, and not where it refuses connections", async () => {
    let refusal = new Error("no response");
    const client = connectionOf(7);
    const { look } = startWatch([client], () => {
      throw refusal;
    });
    await look(59);
    expect(client.closedWith).toEqual([]);
    refusal = new DatabaseError("too many clients", 0, "error");
    await look(100);
    expect(client.closedWith).toEqual([]);
    refusal = new Error("no response");
    await look(1);
    expect(isUnavailable(client.closedWith[0])).toBe(true);
  });

  test("is not asked about while a question is under way", async () => {
    let questions = 0;
    const watch = new ConnectionWatch(() => {
      questions += 1;
      return new Promise(() => undefined);
    });
    watch.add(connectionOf(7));
    for (let n = 0; n < 10; n++) void watch.look();
    expect(questions).toBe(1);
  });
});

test("a statement fails whose bytes the network has swallowed, the next one has a new connection, and a long one goes on", async () => {
  const server = await createTestDatabase();
  cleanUpLater(() => server.drop());
  const url = new URL(server.url);
  const network = await startSilentNetwork({ host: url.hostname, port: Number(url.port) });
  const options = { max: 2, onError: () => undefined };
  const through = openDatabase(Object.assign(new URL(url), { port: String(network.port) }).href, options);
  cleanUpLater(() => through.close());
  const direct = openDatabase(server.url, options);
  cleanUpLater(() => direct.close());
  // As long as the other one waits: PostgreSQL is asked about it, too.
  const long = direct.pool.query<{ ended: string }>("select 'yes' as ended from pg_sleep(8)");

  const clients = [await through.pool.connect(), await through.pool.connect()];
  for (const client of clients) client.release();
  network.silence();
  const error: unknown = await through.pool.query("select 1").catch((thrown: unknown) => thrown);
  expect(String(error)).toContain("Connection terminated: PostgreSQL does not work on the statement");
  expect(isUnavailable(error)).toBe(true);
  expect((await through.pool.query<{ one: number }>("select 1 as one")).rows).toEqual([{ one: 1 }]);
  expect((await long).rows).toEqual([{ ended: "yes" }]);
});
