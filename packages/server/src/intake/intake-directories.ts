/** Directories that intakes work in, and what they keep beside them. */
import { randomUUID } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../config.ts";
import type { Database } from "../platform/database/database.ts";
import type { Claim } from "./upload-claim.ts";

/** A new, private directory for one attempt, which may be still to come; its name shows whose it is. */
export async function makeIntakeDirectory(
  dataDirectory: string,
  claim: Pick<Claim, "organizationId" | "uploadId" | "claimNo">,
): Promise<string> {
  const name = [claim.organizationId, claim.uploadId, claim.claimNo, randomUUID()].join(".");
  const directory = join(intakeRoot(dataDirectory), name);
  await mkdir(join(directory, "work"), { recursive: true, mode: 0o700 });
  await mkdir(codeCacheOf(dataDirectory), { recursive: true, mode: 0o700 });
  return directory;
}

/** Removes directories of attempts that are over: their upload has ended, or another attempt has it. */
export async function sweepIntakeDirectories({
  config,
  database,
}: {
  config: Config;
  database: Database;
}): Promise<void> {
  const root = intakeRoot(config.ROWMILL_DATA_DIR);
  await mkdir(root, { recursive: true, mode: 0o700 });
  for (const name of await readdir(root)) {
    const [, organizationId, uploadId, claimNo] = DIRECTORY_NAME.exec(name) ?? [];
    if (organizationId === undefined || uploadId === undefined) continue;
    const current = await database.db
      .selectFrom("datasetUploads")
      .select("id")
      .where("organizationId", "=", organizationId)
      .where("id", "=", uploadId)
      .where((eb) =>
        eb.or([
          eb.and({ state: "processing", claimNo: Number(claimNo) }),
          // It is read ahead.
          eb.and({ state: "awaiting_content", claimNo: Number(claimNo) - 1 }),
        ]),
      )
      .executeTakeFirst();
    if (!current) await rm(join(root, name), { recursive: true, force: true });
  }
}

/** `<organization>.<upload>.<claim>.<random>` */
const DIRECTORY_NAME = /^([0-9a-f-]{36})\.([0-9a-f-]{36})\.(\d+)\.[0-9a-f-]{36}$/;

/** What the readers' code compiles to. It is checked before it is used, and made again if it is missing. */
export const codeCacheOf = (dataDirectory: string): string => join(dataDirectory, "cache");

const intakeRoot = (dataDirectory: string): string => join(dataDirectory, "tmp", "intake");
