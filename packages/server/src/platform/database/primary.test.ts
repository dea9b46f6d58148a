import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { cleanUpLater } from "../../testing/cleanup.ts";
import { waitFor } from "../../testing/wait.ts";
import { createLog } from "../log.ts";
import { askServer, choosePrimary, followPrimary, nameOfDatabase, readServers } from "./primary.ts";
import type { Condition, Server } from "./primary.ts";
import type { StartPatience } from "./wait-for-server.ts";

const patienceOf = (waitMs: number, stopping?: AbortSignal): StartPatience => ({
  log: createLog("silent"),
  until: performance.now() + waitMs,
  stopping,
  hasLogged: false,
});

describe("servers of a connection string", () => {
  test.each([
    ["postgres://u:p@db/name", ["db:5432"]],
    ["postgres://u:p%40ss@a:1,b,[::1]:3/name?sslmode=require", ["a:1", "b:5432", "::1:3"]],
    ["postgresql://a,b", ["a:5432", "b:5432"]],
    ["postgres://u:a@b@c:1,d:2/x", ["c:1", "d:2"]],
    ["postgres:///name?host=/run/postgresql", ["/run/postgresql:5432"]],
    ["postgres://u:p@/name?host=%2Frun%2Fpostgresql&port=5433", ["/run/postgresql:5433"]],
    ["postgresql://?host=a", ["a:5432"]],
    ["postgres:///name?host=a,b&port=1,2", ["a:1", "b:2"]],
    ["postgres:///name?host=a,b&port=1", ["a:1", "b:1"]],
    ["postgres:///name?host=a,b&port=,2", ["a:5432", "b:2"]],
  ])("%s", (text, expected) => {
    expect(readServers(text).map(({ host, port }) => `${host}:${port}`)).toEqual(expected);
  });

  test("have a connection string each, with what they share", () => {
    expect(readServers("postgres://u:p@a:1,[::1]:3/name?sslmode=require").map((one) => one.connectionString)).toEqual([
      "postgres://u:p@a:1/name?sslmode=require",
      "postgres://u:p@[::1]:3/name?sslmode=require",
    ]);
  });

  test("named in the query keep what they share", () => {
    expect(
      readServers("postgres://u@/name?host=a,b&port=1,2&sslmode=require&password=x?y").map(
        (one) => one.connectionString,
      ),
    ).toEqual([
      "postgres://u@/name?host=a&port=1&sslmode=require&password=x%3Fy",
      "postgres://u@/name?host=b&port=2&sslmode=require&password=x%3Fy",
    ]);
    expect(readServers("postgres:///name?host=/s").map((one) => one.connectionString)).toEqual([
      "postgres:///name?host=/s",
    ]);
  });

  test.each(["postgres://u:p@a:1,/name", "postgres:///name", "postgres:///name?host=", "postgres:///name?host=a,"])(
    "%s has one too few",
    (text) => {
      expect(() => readServers(text)).toThrow(/a server without a host/);
    },
  );
});

test.each([
  ["postgres:///name?host=a,/run/postgresql", /directory of a socket beside another server/],
  ["postgres:///name?host=a&port=abc", /"port" in its query/],
  ["postgres:///name?host=a,b,c&port=1,2", /"port" in its query/],
])("%s is refused with a sentence", (text, sentence) => {
  expect(() => readServers(text)).toThrow(sentence);
});

test.each([
  ["postgres://u:p@a:1,b/rowmill?sslmode=require", "a:1,b/rowmill"],
  ["postgres:///rowmill?host=/run/a", "/run/a:5432/rowmill"],
  ["postgres:///rowmill?host=/run/b", "/run/b:5432/rowmill"],
  ["postgres://u:p@/rowmill?host=a,b&port=1", "a:1,b:1/rowmill"],
])("the database of %s is named after its servers", (text, name) => {
  expect(nameOfDatabase(text)).toBe(name);
});

describe("the primary is", () => {
  const [a, b] = readServers("postgres://a,b") as [Server, Server];
  const away = new Error("away");
  test.each<[string, Condition, Condition, Server | undefined, Server | undefined]>([
    ["the only one that writes", "standby", { timeline: 1 }, undefined, b],
    ["the other one, once the current one is gone", away, { timeline: 2 }, a, b],
    ["the one promoted last, though the old one still reports that it is", { timeline: 1 }, { timeline: 2 }, a, b],
    ["the same, when the old one comes back", { timeline: 1 }, { timeline: 2 }, b, b],
    ["the current one, where both are on one timeline", { timeline: 1 }, { timeline: 1 }, b, b],
    ["none while there are only standbys", "standby", "standby", a, undefined],
    ["none while nothing is reached", away, away, a, undefined],
  ])("%s", (_name, ofA, ofB, current, expected) => {
    expect(
      choosePrimary(
        new Map([
          [a, ofA],
          [b, ofB],
        ]),
        current,
      ),
    ).toBe(expected);
  });
});

describe("a start that finds no primary among several servers", () => {
  const servers = readServers("postgres://a,b");
  const refused = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
  const NONE = /None of the database servers of ROWMILL_DATABASE_URL is a primary/;

  test("waits as long as it may, and no longer than until the process is asked to stop", async () => {
    await expect(followPrimary(servers, patienceOf(0), async () => "standby")).rejects.toThrow(NONE);
    const stopping = new AbortController();
    const started = followPrimary(servers, patienceOf(600_000, stopping.signal), async () => {
      setImmediate(() => stopping.abort(new Error("stopped")));
      return refused;
    });
    await expect(started).rejects.toThrow("stopped");
  });

  test("takes the one that is promoted meanwhile", async () => {
    const said: Condition[] = [refused, "standby", refused, { timeline: 2 }];
    const primary = await followPrimary(servers, patienceOf(600_000), async () => said.shift() ?? { timeline: 2 });
    primary.stop();
    expect(said).toEqual([]);
  });

  test("ends at once where waiting cures none of what they say", async () => {
    const wrong = Object.assign(new Error("wrong password"), { code: "28P01" });
    await expect(followPrimary(servers, patienceOf(600_000), async () => wrong)).rejects.toThrow(NONE);
  });
});

test("connections lead to the primary, end when it is another one, and wait while there is none", async () => {
  const taken: string[] = [];
  const listening = await Promise.all(
    ["a", "b"].map(async (name) => {
      const server = createServer((socket: Socket) => {
        taken.push(name);
        socket.on("error", () => {}); // it is destroyed by the other end
      }).listen(0, "127.0.0.1");
      await once(server, "listening");
      cleanUpLater(async () => void server.close());
      return (server.address() as AddressInfo).port; // it listens on TCP
    }),
  );
  const servers = readServers(`postgres://${listening.map((port) => `127.0.0.1:${port}`).join(",")}`);
  const [a, b] = servers as [Server, Server];
  const conditions = new Map<Server, Condition>([
    [a, { timeline: 1 }],
    [b, "standby"],
  ]);
  const primary = await followPrimary(servers, patienceOf(60_000), (server) =>
    Promise.resolve(conditions.get(server) ?? "standby"),
  );
  cleanUpLater(async () => primary.stop());
  const connect = (): Socket => primary.openSocket().connect(1, "nowhere.invalid");

  const first = connect();
  const failed = once(first, "error");
  failed.catch(() => undefined); // it is awaited below
  await once(first, "connect");
  await waitFor(() => taken.length === 1);

  conditions.set(a, new Error("away"));
  conditions.set(b, { timeline: 2 });
  const [error] = (await failed) as [Error];
  expect(error.message).toMatch(/^Connection terminated/);
  const second = connect();
  await once(second, "connect");
  await waitFor(() => taken.length === 2);
  expect(taken).toEqual(["a", "b"]);
  second.destroy();
});

test("a server that does not respond is no primary, and its silence is bounded", async () => {
  const silent = createServer(() => {}).listen(0, "127.0.0.1");
  await once(silent, "listening");
  cleanUpLater(async () => void silent.close());
  const [server] = readServers(`postgres://127.0.0.1:${(silent.address() as AddressInfo).port}/x`) as [Server];
  expect(await askServer(server)).toBeInstanceOf(Error);
});
