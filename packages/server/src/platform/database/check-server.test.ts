import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cleanUpLater } from "../../testing/cleanup.ts";
import { createTestDatabase } from "../../testing/test-database.ts";
import { waitFor } from "../../testing/wait.ts";
import { checkOwnSession, checkPrimary, checkServer, checkServerVersion } from "./check-server.ts";
import type { Session } from "./check-server.ts";

const PGBOUNCER = "/usr/sbin/pgbouncer";

const saying = (row: Record<string, unknown>): Session => ({ query: () => Promise.resolve({ rows: [row] }) });

test("a server older than 15 is refused", async () => {
  await checkServerVersion(saying({ number: 150_001, version: "15.1" }));
  await expect(checkServerVersion(saying({ number: 140_012, version: "14.12" }))).rejects.toThrow(
    "Rowmill needs PostgreSQL 15 or newer, and this server is 14.12.",
  );
});

test("a standby is refused", async () => {
  await checkPrimary(saying({ standby: false }));
  await expect(checkPrimary(saying({ standby: true }))).rejects.toThrow(/ROWMILL_DATABASE_URL is a standby/);
});

/** Two clients of a pooler that lends sessions for a transaction, and takes the next one from its free ones by `next`. */
function clientsOfPooler(free: number[], next: (sessions: number[]) => number | undefined): [Session, Session] {
  const client = (): Session => {
    let own: number | undefined;
    return {
      query(text) {
        const pid = own ?? next(free);
        if (text === "begin") own = pid;
        else if (text === "rollback") own = undefined;
        if (own === undefined && pid !== undefined) free.push(pid);
        return Promise.resolve({ rows: [{ pid }] });
      },
    };
  };
  return [client(), client()];
}

describe("a pooler that shares sessions among clients is refused", () => {
  test.each([
    ["the last one used first, as PgBouncer does", [1, 2, 3], (free: number[]) => free.pop()],
    ["one after the other", [1, 2, 3], (free: number[]) => free.shift()],
    ["with two sessions, one after the other", [1, 2], (free: number[]) => free.shift()],
  ])("%s", async (_name, free, next) => {
    await expect(checkOwnSession(...clientsOfPooler(free, next))).rejects.toThrow(/set pool_mode = session/);
  });

  test("and sessions of one's own are not", async () => {
    await expect(checkOwnSession(saying({ pid: 1 }), saying({ pid: 2 }))).resolves.toBeUndefined();
  });
});

test("PostgreSQL itself is taken", async () => {
  const database = await createTestDatabase();
  cleanUpLater(() => database.drop());
  await expect(checkServer(database.url)).resolves.toBeUndefined();
});

describe.runIf(existsSync(PGBOUNCER))("PgBouncer, where it is installed,", () => {
  test.each([
    ["transaction", expect.stringContaining("pool_mode = transaction")],
    ["session", undefined],
  ])("with pool_mode = %s", async (mode, verdict) => {
    const database = await createTestDatabase();
    cleanUpLater(() => database.drop());
    expect(await checkServer(await startPgBouncer(database.url, mode)).catch(String)).toEqual(verdict);
  });
});

/** The address of the same database through it. */
async function startPgBouncer(databaseUrl: string, mode: string): Promise<string> {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  const folder = await mkdtemp(join(tmpdir(), "pgbouncer-"));
  const reserved = createServer().listen(0, "127.0.0.1");
  await once(reserved, "listening");
  const own = (reserved.address() as AddressInfo).port; // it listens on TCP
  await new Promise((resolve) => reserved.close(resolve));
  await writeFile(join(folder, "users"), `"${username}" "${password}"\n`);
  await writeFile(
    join(folder, "settings"),
    `[databases]\n${pathname.slice(1)} = host=${hostname} port=${port} user=${username} password=${password}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n` +
      `listen_port = ${own}\nunix_socket_dir =\nauth_type = any\nauth_file = ${join(folder, "users")}\npool_mode = ${mode}\n`,
  );
  await chmod(folder, 0o755);
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  const child = spawn(PGBOUNCER, [...user, join(folder, "settings")], { stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("close", resolve));
  cleanUpLater(async () => {
    child.kill("SIGKILL");
    await ended;
    await rm(folder, { recursive: true, force: true });
  });
  const url = new URL(databaseUrl);
  url.port = String(own);
  await waitFor(() => accepts(own), { what: "PgBouncer listens" });
  return url.href;
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } finally {
    socket.destroy();
  }
}
