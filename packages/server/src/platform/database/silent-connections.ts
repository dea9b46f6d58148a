/**
 * Connections on which a statement waits and no byte comes. Where the network drops what both sides send, as a firewall does that has
 * forgotten a connection, neither side learns of it: Linux repeats what was not confirmed for some 15 minutes, and asks for no sign of life
 * meanwhile. A statement that takes long, or waits for a lock, looks the same from here.
 *
 * So PostgreSQL is asked, by a connection of its own, what it does for the session:
 *
 *   it works on a statement                       ──▶ the connection is left alone, and asked about again after as long a silence
 *   it has none, or there is no such session      ──▶ it is asked once more; if that is still so, the connection is closed
 *   it gives no response                          ──▶ it is asked again; after a minute of silence the connection is closed
 *
 * The statement then fails as one of a server that is gone, and the pool opens another connection. What the network did to one connection, it
 * has mostly done to others: with it go those that nobody uses and that were silent as long, so that no later statement finds out by itself.
 */
import type { Socket } from "node:net";
import { Client, DatabaseError } from "pg";
import type { ClientBase } from "pg";
import { present } from "../present.ts";

/** Silence is counted in looks: a process that stood still finds what came meanwhile after its timers, and a clock would count that time. */
const LOOK_EVERY_MS = 1_000;
/** More than most statements take. */
const SILENT_LOOKS = 3;
/** From the first question to the second: a server that stood still may respond before it takes a statement that came earlier. */
const LEAST_LOOKS_BETWEEN = 2;
/** At least as many times as long as the first question took: on a busy server, a statement also waits longer to be taken. */
const TIMES_THE_QUESTION = 4;
/** While nothing is known of the server, it may go on: until then a statement that it has is better waited for. */
const LONGEST_SILENCE_LOOKS = 60;
const QUESTION_TIMEOUT_MS = 3_000;

/** What `pg` has of a client and its types do not name. */
export interface WatchedClient {
  connection: { stream: Pick<Socket, "bytesRead" | "bytesWritten" | "destroy"> };
  /** False while a statement waits for its response. */
  readyForQuery: boolean;
  /** Of the session. */
  processID: number;
  /** `I`: in no transaction. */
  getTransactionStatus(): string | null;
}

interface Watched {
  client: WatchedClient;
  isTaken: () => boolean;
  /** Sent and received, up to the last look. */
  bytes: number;
  /** In a row, without a byte. */
  silentLooks: number;
  /** At the first question PostgreSQL did not work for it. */
  isSuspected: boolean;
}

/** Those of these sessions for which PostgreSQL works, as far as it can be known. Rejects where there is no response. */
type AskWorking = (pids: readonly number[]) => Promise<ReadonlySet<number>>;

/**
 * Returns what is called with each connection that a pool opens. `isTaken`: somebody has taken it from the pool, and may hold locks or listen
 * by it without a statement.
 */
export function watchConnections(
  connectionString: string,
  openSocket: (() => Socket) | undefined,
  isTaken: (client: ClientBase) => boolean = () => false,
): (client: ClientBase) => void {
  const watch = new ConnectionWatch((pids) => askWorking(connectionString, openSocket, pids));
  let timer: NodeJS.Timeout | undefined;
  return (client) => {
    const stop = watch.add(client as unknown as WatchedClient, () => isTaken(client)); // as in `pg/lib/client.js`; the tests would notice another
    timer ??= setInterval(() => void watch.look(), LOOK_EVERY_MS).unref();
    client.once("end", () => {
      stop();
      if (watch.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    });
  };
}

export class ConnectionWatch {
  readonly #ask: AskWorking;
  readonly #now: () => number;
  readonly #watched = new Set<Watched>();
  #isAsking = false;

  constructor(ask: AskWorking, now: () => number = () => performance.now()) {
    this.#ask = ask;
    this.#now = now;
  }

  get size(): number {
    return this.#watched.size;
  }

  /** Returns what ends it. */
  add(client: WatchedClient, isTaken: () => boolean = () => false): () => void {
    const one: Watched = { client, isTaken, bytes: bytesOf(client), silentLooks: 0, isSuspected: false };
    this.#watched.add(one);
    return () => void this.#watched.delete(one);
  }

  /** Resolves after the question, where one is due. */
  async look(): Promise<void> {
    for (const one of this.#watched) {
      if (!isSilent(one)) Object.assign(one, { bytes: bytesOf(one.client), silentLooks: 0, isSuspected: false });
      else one.silentLooks += 1;
    }
    const silent = [...this.#watched].filter((one) => isWaiting(one) && one.silentLooks >= SILENT_LOOKS);
    if (silent.length === 0 || this.#isAsking) return;
    this.#isAsking = true;
    const askedAt = this.#now();
    try {
      const working = await this.#ask(silent.map(({ client }) => client.processID));
      const looks = looksUntilNext(this.#now() - askedAt);
      const lost = silent.filter((one) => isStillWaiting(one) && isLost(one, working.has(one.client.processID), looks));
      if (lost.length === 0) return;
      for (const one of lost) close(one, "PostgreSQL does not work on the statement, and sent no response");
      for (const one of this.#watched)
        if (isUnused(one) && isSilent(one) && one.silentLooks >= SILENT_LOOKS)
          close(one, "another connection was lost without a word");
    } catch (error) {
      // A server that refuses a connection lives, and nothing is known of its sessions.
      const isSilentItself = !(error instanceof DatabaseError);
      for (const one of silent) {
        // It may have stood still since the question before.
        one.isSuspected = false;
        if (isSilentItself && isStillWaiting(one) && one.silentLooks >= LONGEST_SILENCE_LOOKS)
          close(one, "PostgreSQL gave no response for long");
      }
    } finally {
      this.#isAsking = false;
    }
  }
}

const bytesOf = ({ connection: { stream } }: WatchedClient): number => stream.bytesRead + stream.bytesWritten;

/** Since the last look. */
const isSilent = ({ client, bytes }: Watched): boolean => bytesOf(client) === bytes;
const isWaiting = ({ client }: Watched): boolean => !client.readyForQuery;
const isStillWaiting = (one: Watched): boolean => isWaiting(one) && isSilent(one);
const isUnused = ({ client, isTaken }: Watched): boolean =>
  client.readyForQuery && client.getTransactionStatus() === "I" && !isTaken();

function looksUntilNext(tookMs: number): number {
  // A process that stood still meanwhile has measured itself.
  const busyMs = Math.min(tookMs, QUESTION_TIMEOUT_MS);
  return Math.max(LEAST_LOOKS_BETWEEN, Math.ceil((TIMES_THE_QUESTION * busyMs) / LOOK_EVERY_MS));
}

/** After the response about it; `looks`: until the next question, where this one was the first. */
function isLost(one: Watched, isWorking: boolean, looks: number): boolean {
  if (!isWorking && one.isSuspected) return true;
  one.isSuspected = !isWorking;
  one.silentLooks = isWorking ? 0 : SILENT_LOOKS - looks;
  return false;
}

/** With the beginning by which it is taken for an outage (`isUnavailable`). */
const close = ({ client }: Watched, why: string): void =>
  void client.connection.stream.destroy(new Error(`Connection terminated: ${why}`));

/** A session that has just become idle may have a response on its way. */
const WORKING = `
  select pid, state is null or state not like 'idle%' or clock_timestamp() - state_change < interval '1 s' as works
  from pg_stat_activity where pid = any($1::int[])`;

async function askWorking(
  connectionString: string,
  openSocket: (() => Socket) | undefined,
  pids: readonly number[],
): Promise<ReadonlySet<number>> {
  const client = new Client({
    connectionString,
    connectionTimeoutMillis: QUESTION_TIMEOUT_MS,
    query_timeout: QUESTION_TIMEOUT_MS,
    application_name: "rowmill check",
    ...present({ stream: openSocket }),
  });
  client.on("error", () => {}); // the statement in flight fails with it
  try {
    await client.connect();
    const own = (client as unknown as WatchedClient).processID;
    const { rows } = await client.query<{ pid: number; works: boolean }>(WORKING, [[own, ...pids]]);
    // A pooler between gives numbers of its own: nothing is known of the sessions behind it.
    if (!rows.some(({ pid }) => pid === own)) return new Set(pids);
    return new Set(rows.filter(({ works }) => works).map(({ pid }) => pid));
  } finally {
    // Closed without a farewell: a server that hangs would not take it.
    client.connection.stream.destroy();
  }
}
