/** `rowmill database distribute`: with the settings of the service, on its own PostgreSQL alone. */
import type { Config } from "../config.ts";
import { distributeDatabase } from "../platform/database/distribute.ts";
import type { Distribution } from "../platform/database/distribute.ts";
import type { Log } from "../platform/log.ts";
import { BackupError } from "./manifest.ts";
import { reachServer, withConnection } from "./reach-database.ts";

export async function distribute(config: Config, log: Log): Promise<Distribution> {
  const url = config.ROWMILL_DATABASE_URL;
  if (url === undefined)
    throw new BackupError(
      "The embedded database is one server: set ROWMILL_DATABASE_URL to the coordinator of a Citus cluster.",
    );
  const database = await reachServer(url, log);
  try {
    return await withConnection(database, distributeDatabase);
  } finally {
    await database.close();
  }
}
