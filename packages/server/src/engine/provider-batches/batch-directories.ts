/** Directories for the files of batches: one for each pass of a batch's job. */
import type { Database } from "../../platform/database/database.ts";
import { isRow } from "../../platform/database/row-key.ts";
import { inWorkDirectory, sweepWorkDirectories } from "../../platform/work-directories.ts";
import type { BatchRecord } from "../../resources/runs/provider-batch-records.ts";

export const inBatchDirectory = <T>(
  dataDirectory: string,
  { organizationId, id, turnNo }: BatchRecord,
  work: (directory: string) => Promise<T>,
): Promise<T> => inWorkDirectory(dataDirectory, "batches", { organizationId, id, claimNo: turnNo }, work);

/** Removes the directories of passes that no batch has any longer. */
export const sweepBatchDirectories = ({ db }: Pick<Database, "db">, dataDirectory: string): Promise<void> =>
  sweepWorkDirectories(dataDirectory, "batches", async ({ organizationId, id, claimNo }) => {
    const current = await db
      .selectFrom("providerBatches")
      .select("id")
      .where(isRow({ organizationId }, id))
      .where("turnNo", "=", claimNo)
      .where("turnJob", "is not", null)
      .executeTakeFirst();
    return current !== undefined;
  });
