/**
 * The embedded database of this process. It can begin to start before the modules of the service are loaded: making and starting it is
 * the work of other processes, and takes about as long as loading them.
 */
import { join } from "node:path";
import type { Config } from "./config.ts";
import { exists } from "./platform/database/embedded/build-beside.ts";
import { startEmbeddedDatabase } from "./platform/database/embedded/embedded-database.ts";
import type { EmbeddedDatabase } from "./platform/database/embedded/embedded-database.ts";
import type { Log } from "./platform/log.ts";
import { refuseUnfinishedRestore } from "./platform/database/unfinished-restore.ts";
import { keySettings, refuseUnusableKeys } from "./platform/secrets/encryption-key.ts";

type Settings = Pick<
  Config,
  "ROWMILL_DATA_DIR" | "ROWMILL_DATABASE_URL" | "ROWMILL_ENCRYPTION_KEY" | "ROWMILL_ENCRYPTION_KEYS"
>;

/** Undefined where the database is elsewhere. The code that starts it awaits it later: until then its failure is not unhandled. */
export function beginOwnDatabase(
  config: Settings,
  log: Log,
  onExit: (error: Error) => void,
): Promise<EmbeddedDatabase> | undefined {
  if (config.ROWMILL_DATABASE_URL !== undefined) return undefined;
  const starting = startOwnDatabase(config, log, onExit);
  starting.catch(() => undefined);
  return starting;
}

export async function startOwnDatabase(
  config: Settings,
  log: Log,
  onExit: (error: Error) => void,
): Promise<EmbeddedDatabase> {
  // A wrong key is refused before a database is made that it could not open.
  refuseUnusableKeys(keySettings(config));
  const dataDirectory = join(config.ROWMILL_DATA_DIR, "postgres");
  // A restore gives the database its name last.
  if (!(await exists(dataDirectory))) await refuseUnfinishedRestore(config.ROWMILL_DATA_DIR);
  return startEmbeddedDatabase({ dataDirectory, takesBack: true, log, onExit });
}
