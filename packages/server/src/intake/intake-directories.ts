/** Directories that intakes work in, and what they keep beside them. */
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Config } from "../config.ts";
import type { Database } from "../platform/database/database.ts";
import { isRow } from "../platform/database/row-key.ts";
import type { Log } from "../platform/log.ts";
import { makeWorkDirectory, sweepLinkedDirectories, sweepWorkDirectories } from "../platform/work-directories.ts";
import type { WorkClaim } from "../platform/work-directories.ts";
import { createSpareReaders } from "./readers/spare-reader.ts";
import type { SpareReaders } from "./readers/spare-reader.ts";
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
export async function sweepIntakeDirectories({ config, database }: { config: Config; database: Database }) {
  const isCurrent = async ({ organizationId, id, claimNo }: WorkClaim): Promise<boolean> => {
    const current = await database.db
      .selectFrom("datasetUploads")
      .select("id")
      .where(isRow({ organizationId }, id))
      .where((eb) =>
        eb.or([
          eb.and({ state: "processing", claimNo }),
          // It is read ahead, by the attempt that begins when all of the content is there.
          eb.and({ claimNo: claimNo - 1 }).and("state", "in", ["awaiting_content", "processing"]),
        ]),
      )
      .executeTakeFirst();
    return current !== undefined;
  };
  await sweepWorkDirectories(config.ROWMILL_DATA_DIR, "intake", isCurrent);
  await sweepLinkedDirectories(spareDirectoryOf(config.ROWMILL_DATA_DIR), isCurrent);
}

/** Each has a directory of its own there. */
const spareDirectoryOf = (dataDirectory: string): string => resolve(dataDirectory, "tmp", "readers");

export const openSpareReaders = ({ ROWMILL_DATA_DIR: dataDirectory }: Config, log: Log): SpareReaders =>
  createSpareReaders({
    directory: spareDirectoryOf(dataDirectory),
    codeCacheDirectory: codeCacheOf(dataDirectory),
    log,
  });

/** What the readers' code compiles to. It is checked before it is used, and made again if it is missing. */
export const codeCacheOf = (dataDirectory: string): string => join(dataDirectory, "cache");
