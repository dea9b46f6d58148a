/** Directories for formats that need files to work with: one for each claim on an export. */
import type { Database } from "../../platform/database/database.ts";
import * as directories from "../../platform/work-directories.ts";
import type { ExportRow } from "./exports.ts";

export const makeWorkDirectory = (dataDirectory: string, row: ExportRow): Promise<string> =>
  directories.makeWorkDirectory(dataDirectory, "exports", row);

/** Removes the directories of claims that no running export has any longer. */
export const sweepWorkDirectories = ({ db }: Pick<Database, "db">, dataDirectory: string): Promise<void> =>
  directories.sweepWorkDirectories(dataDirectory, "exports", async ({ organizationId, id, claimNo }) => {
    const current = await db
      .selectFrom("exports")
      .select("id")
      .where("organizationId", "=", organizationId)
      .where("id", "=", id)
      .where("claimNo", "=", claimNo)
      .where("status", "=", "running")
      .executeTakeFirst();
    return current !== undefined;
  });
