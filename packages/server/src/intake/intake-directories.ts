/** Directories that intakes work in, and what they keep beside them. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../config.ts";
import type { Database } from "../platform/database/database.ts";
import { isRow } from "../platform/database/row-key.ts";
import { makeWorkDirectory, sweepWorkDirectories } from "../platform/work-directories.ts";
import type { Claim } from "./upload-claim.ts";

/** A directory for one attempt, which may be still to come. */
export async function makeIntakeDirectory(
  dataDirectory: string,
  { organizationId, uploadId, claimNo }: Pick<Claim, "organizationId" | "uploadId" | "claimNo">,
): Promise<string> {
  const directory = await makeWorkDirectory(dataDirectory, "intake", { organizationId, id: uploadId, claimNo });
  await mkdir(join(directory, "work"), { mode: 0o700 });
  await mkdir(codeCacheOf(dataDirectory), { recursive: true, mode: 0o700 });
  return directory;
}

/** Removes directories of attempts that are over: their upload has ended, or another attempt has it. */
export const sweepIntakeDirectories = ({ config, database }: { config: Config; database: Database }): Promise<void> =>
  sweepWorkDirectories(config.ROWMILL_DATA_DIR, "intake", async ({ organizationId, id, claimNo }) => {
    const current = await database.db
      .selectFrom("datasetUploads")
      .select("id")
      .where(isRow({ organizationId }, id))
      .where((eb) =>
        eb.or([
          eb.and({ state: "processing", claimNo }),
          // It is read ahead.
          eb.and({ state: "awaiting_content", claimNo: claimNo - 1 }),
        ]),
      )
      .executeTakeFirst();
    return current !== undefined;
  });

/** What the readers' code compiles to. It is checked before it is used, and made again if it is missing. */
export const codeCacheOf = (dataDirectory: string): string => join(dataDirectory, "cache");
