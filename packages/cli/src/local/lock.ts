/**
 * A lock that the operating system releases when its holder dies, on every platform: an exclusive transaction of SQLite, which
 * Node brings along. A file with a process id in it would have to be cleared after a kill, and the id may be another process's by then.
 */
import { DatabaseSync } from "node:sqlite";

/** SQLITE_BUSY: another process has it. */
const BUSY = 5;

/** Undefined while another process has it. The lock ends with the process at the latest. */
export function takeLock(file: string): { release(): void } | undefined {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec("begin exclusive");
  } catch (error) {
    database.close();
    if (error instanceof Error && "errcode" in error && error.errcode === BUSY) return undefined;
    throw error;
  }
  return { release: () => database.close() };
}
