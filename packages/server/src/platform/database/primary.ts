/**
 * Several servers in one connection string, `postgres://user:password@a:5432,b:5432/database`: one of them is the primary, the others are
 * its standbys. Connections go to the primary, and follow when a standby is promoted.
 *
 * Every server is asked every few seconds. A promotion begins a new timeline, so of two servers that both report to be the primary the
 * later promoted one is right: connections to the other are closed, also those that would hang because its machine is gone.
 */
import { Socket } from "node:net";
import { Client } from "pg";
import { isPassing, waitForServer } from "./wait-for-server.ts";
import type { StartPatience } from "./wait-for-server.ts";

/** With the time of a query, the sum is how long a new primary stays unnoticed: below ten seconds. */
const QUESTION_PAUSE_MS = 2_000;
const QUESTION_TIMEOUT_MS = 3_000;

const DEFAULT_PORT = 5432;
const MAX_PORT = 65_535;

export interface Server {
  host: string;
  port: number;
  /** Of this server alone. */
  connectionString: string;
}

/** What a server says: the timeline that it writes, or that it only reads; an error if it says nothing. */
export type Condition = { timeline: number } | "standby" | Error;

export interface Primary {
  /** For `pg`: names the first server, for the other parts of a connection's settings. */
  connectionString: string;
  /** For `pg`: connects to the primary of the moment, whatever address it is given. */
  openSocket: () => Socket;
  stop(): void;
}

/**
 * In the order of the connection string. As in PostgreSQL's own programs, `host` and `port` may stand in the query: the directory of a
 * socket has no other place.
 */
export function readServers(connectionString: string): Server[] {
  const [, scheme = "", authority = "", rest = ""] = /^(\w+:\/\/(?:[^/]*@)?)([^/?]*)(.*)$/.exec(connectionString) ?? [];
  const named = authority === "" ? readNamedServers(connectionString, scheme, rest) : [];
  if (named.length > 0) return named;
  return authority.split(",").map((address) => {
    const [, host = "", port = String(DEFAULT_PORT)] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(address) ?? [];
    if (host === "")
      throw new Error(
        "ROWMILL_DATABASE_URL names a server without a host: write postgres://user:password@host1:5432,host2:5432/database",
      );
    return {
      host: host.replace(/^\[(.*)\]$/, "$1"),
      port: Number(port),
      connectionString: `${scheme}${host}:${port}${rest}`,
    };
  });
}

/** Servers and database, without who connects and how. */
export function nameOfDatabase(connectionString: string): string {
  const name = /^\w+:\/\/(?:[^/]*@)?([^?]*)/.exec(connectionString)?.[1] ?? "";
  if (name !== "" && !name.startsWith("/")) return name;
  return readServers(connectionString).map(nameOf).join(",") + name;
}

/** Those of the query: one after the other, with a port for each or one for all. */
function readNamedServers(connectionString: string, scheme: string, rest: string): Server[] {
  const queryAt = rest.indexOf("?");
  if (queryAt === -1) return [];
  const path = rest.slice(0, queryAt);
  const query = new URLSearchParams(rest.slice(queryAt + 1));
  const hosts = query.get("host")?.split(",") ?? [];
  if (hosts.includes("")) return [];
  if (hosts.length > 1 && hosts.some((host) => host.startsWith("/")))
    throw new Error(
      "ROWMILL_DATABASE_URL names the directory of a socket beside another server: a socket leads to one server, which is on this machine",
    );
  const ports = readPorts(query.get("port") ?? "", hosts.length);
  return hosts.map((host, at) => {
    const port = ports[at] ?? DEFAULT_PORT;
    if (hosts.length === 1) return { host, port, connectionString };
    query.set("host", host);
    query.set("port", String(port));
    return { host, port, connectionString: `${scheme}${path}?${query.toString()}` };
  });
}

/** As PostgreSQL's own programs take them: one for all hosts, or one for each, where an empty one is the usual port. */
function readPorts(text: string, hosts: number): number[] {
  const ports = text.split(",").map((port) => (port === "" ? DEFAULT_PORT : Number(port)));
  const isRight = ports.length === 1 || ports.length === hosts;
  if (!isRight || ports.some((port) => !Number.isInteger(port) || port < 1 || port > MAX_PORT))
    throw new Error(
      `ROWMILL_DATABASE_URL has a "port" in its query that is not one number from 1 to ${MAX_PORT}, or one for each host`,
    );
  return ports.length === 1 ? Array<number>(hosts).fill(ports[0] ?? DEFAULT_PORT) : ports;
}

/** Undefined while no server is the primary. The current one stays unless another has a later timeline, or it is no longer a primary. */
export function choosePrimary(
  conditions: ReadonlyMap<Server, Condition>,
  current: Server | undefined,
): Server | undefined {
  let chosen: { server: Server; timeline: number } | undefined;
  for (const [server, condition] of conditions) {
    if (condition === "standby" || condition instanceof Error) continue;
    const { timeline } = condition;
    if (chosen === undefined || timeline > chosen.timeline || (timeline === chosen.timeline && server === current))
      chosen = { server, timeline };
  }
  return chosen?.server;
}

export async function askServer({ connectionString }: Server): Promise<Condition> {
  const client = new Client({
    connectionString,
    connectionTimeoutMillis: QUESTION_TIMEOUT_MS,
    query_timeout: QUESTION_TIMEOUT_MS,
    application_name: "rowmill check",
  });
  client.on("error", () => {}); // the statement in flight fails with it
  try {
    await client.connect();
    const { rows } = await client.query<{ timeline: number | null }>(
      `select case when not pg_is_in_recovery()
         then ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int end as timeline`,
    );
    const timeline = rows[0]?.timeline ?? null;
    return timeline === null ? "standby" : { timeline };
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    // Closed without a farewell: a server that hangs would not take it.
    client.connection.stream.destroy();
  }
}

/** Rejects with a sentence if no server is the primary in time. */
export async function followPrimary(
  servers: readonly Server[],
  patience: StartPatience,
  ask: (server: Server) => Promise<Condition> = askServer,
): Promise<Primary> {
  const { log } = patience;
  let current: Server | undefined;
  let isKnown = false;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  const sockets = new Map<Socket, Server>();
  let waiting: ((server: Server) => void)[] = [];

  /** What each server says; `current` and `isKnown` follow it. */
  const look = async (): Promise<ReadonlyMap<Server, Condition>> => {
    const conditions = new Map(await Promise.all(servers.map(async (server) => [server, await ask(server)] as const)));
    const found = choosePrimary(conditions, current);
    if (found === undefined) {
      if (isKnown) log.warn({ servers: describe(conditions) }, "no database server is the primary");
      isKnown = false;
      return conditions;
    }
    if (found !== current) {
      if (current !== undefined) log.warn({ server: nameOf(found) }, "the primary is another database server now");
      current = found;
      for (const [socket, server] of sockets)
        if (server !== found) socket.destroy(new Error("Connection terminated: the primary is another server now"));
    }
    isKnown = true;
    for (const resolve of waiting.splice(0)) resolve(found);
    return conditions;
  };

  const lookAgain = (): void => {
    timer = setTimeout(() => void look().finally(() => !isStopped && lookAgain()), QUESTION_PAUSE_MS);
    timer.unref();
  };

  const find = (): Promise<Server> =>
    isKnown && current !== undefined
      ? Promise.resolve(current)
      : new Promise<Server>((resolve) => {
          waiting.push(resolve);
        });

  await lookUntilFound(look, patience);
  lookAgain();
  return {
    connectionString: servers[0]?.connectionString ?? "",
    openSocket: () => new SocketToPrimary(find, sockets),
    stop() {
      isStopped = true;
      clearTimeout(timer);
      waiting = [];
    },
  };
}

/** Throws a sentence if no server is the primary in time, and at once where waiting cures none of what they say. */
async function lookUntilFound(
  look: () => Promise<ReadonlyMap<Server, Condition>>,
  patience: StartPatience,
): Promise<void> {
  let conditions: ReadonlyMap<Server, Condition> = new Map();
  const find = async (): Promise<void> => {
    conditions = await look();
    if (choosePrimary(conditions, undefined) === undefined)
      throw new Error(
        `None of the database servers of ROWMILL_DATABASE_URL is a primary that can be reached: ${describe(conditions).join("; ")}.`,
      );
  };
  const mayPass = (): boolean => [...conditions.values()].some((one) => one === "standby" || isPassing(one));
  await waitForServer(patience, find, mayPass);
}

/** `sockets`: those that are open, with the server that each has been connected to. */
class SocketToPrimary extends Socket {
  readonly #find: () => Promise<Server>;
  readonly #sockets: Map<Socket, Server>;

  constructor(find: () => Promise<Server>, sockets: Map<Socket, Server>) {
    super();
    this.#find = find;
    this.#sockets = sockets;
  }

  override connect(): this {
    void this.#find().then((server) => {
      if (this.destroyed) return;
      this.#sockets.set(this, server);
      this.once("close", () => this.#sockets.delete(this));
      // The directory of a socket.
      if (server.host.startsWith("/")) super.connect(`${server.host}/.s.PGSQL.${server.port}`);
      else super.connect(server.port, server.host);
    });
    return this;
  }
}

const nameOf = ({ host, port }: Server): string => `${host}:${port}`;

const describe = (conditions: ReadonlyMap<Server, Condition>): string[] =>
  [...conditions].map(([server, condition]) => `${nameOf(server)}: ${describeCondition(condition)}`);

function describeCondition(condition: Condition): string {
  if (condition instanceof Error) return condition.message;
  return condition === "standby" ? "a standby" : `a primary on timeline ${condition.timeline}`;
}
