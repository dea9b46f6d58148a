/** A coordinator and two workers of Citus on PostgreSQL 15, for one step of the tests, where it is installed. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { findPostgresql15, startPostgresql15 } from "./postgresql-15.ts";

const SERVERS = 3;

/** The folder of PostgreSQL's programs; undefined where it has no Citus. */
export function findCitus(): string | undefined {
  const binaries = findPostgresql15();
  if (binaries === undefined) return undefined;
  const shared = sharedFolder(join(binaries, "pg_config")) ?? "/usr/share/postgresql/15";
  return existsSync(join(shared, "extension", "citus.control")) ? binaries : undefined;
}

export async function startCitus(binaries: string): Promise<{ env: Record<string, string>; stop: () => void }> {
  const settings = {
    shared_preload_libraries: "citus",
    max_prepared_transactions: "200",
    max_connections: "200",
    "citus.node_conninfo": "sslmode=disable",
  };
  const servers = await Promise.all(
    Array.from({ length: SERVERS }, () =>
      startPostgresql15(binaries, undefined, { settings, authentication: "trust" }),
    ),
  );
  return {
    env: { ROWMILL_TEST_CITUS: servers.map(({ connectionString }) => connectionString).join(" ") },
    stop: () => servers.forEach((server) => server.stop()),
  };
}

function sharedFolder(pgConfig: string): string | undefined {
  try {
    return execFileSync(pgConfig, ["--sharedir"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    // A part of the packages for development.
    return undefined;
  }
}
