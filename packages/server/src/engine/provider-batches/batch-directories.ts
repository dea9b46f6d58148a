/** Private directories for the files of batches: one a turn, gone with it. */
import { randomUUID } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Database } from "../../platform/database/database.ts";
import type { BatchRecord } from "../../resources/runs/provider-batch-records.ts";

export async function inBatchDirectory<T>(
  dataDirectory: string,
  batch: BatchRecord,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  const name = [batch.organizationId, batch.id, batch.turnNo, randomUUID()].join(".");
  const directory = join(rootOf(dataDirectory), name);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Removes what workers that died have left: no batch has their turn. */
export async function sweepBatchDirectories(database: Database, dataDirectory: string): Promise<void> {
  const root = rootOf(dataDirectory);
  await mkdir(root, { recursive: true, mode: 0o700 });
  for (const name of await readdir(root)) {
    const [, organizationId, batchId, turnNo] = DIRECTORY_NAME.exec(name) ?? [];
    if (organizationId === undefined || batchId === undefined) continue;
    const current = await database.db
      .selectFrom("providerBatches")
      .select("id")
      .where("organizationId", "=", organizationId)
      .where("id", "=", batchId)
      .where("turnNo", "=", Number(turnNo))
      .where("turnJob", "is not", null)
      .executeTakeFirst();
    if (!current) await rm(join(root, name), { recursive: true, force: true });
  }
}

/** `<organization>.<batch>.<turn>.<random>` */
const DIRECTORY_NAME = /^([0-9a-f-]{36})\.([0-9a-f-]{36})\.(\d+)\.[0-9a-f-]{36}$/;
const rootOf = (dataDirectory: string): string => resolve(dataDirectory, "tmp", "batches");
