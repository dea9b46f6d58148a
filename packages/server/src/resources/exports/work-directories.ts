/** Private directories for formats that need files to work with: one a claim, gone with it. */
import { randomUUID } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Database } from "../../platform/database/database.ts";
import type { ExportRow } from "./exports.ts";

/** Its name tells whose it is. The path is absolute, since others work in it who stand elsewhere. */
export async function makeWorkDirectory(dataDirectory: string, row: ExportRow): Promise<string> {
  const name = [row.organizationId, row.id, row.claimNo, randomUUID()].join(".");
  const directory = join(rootOf(dataDirectory), name);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return directory;
}

/** Removes what workers that died have left: no running export has their claim. */
export async function sweepWorkDirectories(database: Database, dataDirectory: string): Promise<void> {
  const root = rootOf(dataDirectory);
  await mkdir(root, { recursive: true, mode: 0o700 });
  for (const name of await readdir(root)) {
    const [, organizationId, exportId, claimNo] = DIRECTORY_NAME.exec(name) ?? [];
    if (organizationId === undefined || exportId === undefined) continue;
    const current = await database.db
      .selectFrom("exports")
      .select("id")
      .where("organizationId", "=", organizationId)
      .where("id", "=", exportId)
      .where("claimNo", "=", Number(claimNo))
      .where("status", "=", "running")
      .executeTakeFirst();
    if (!current) await rm(join(root, name), { recursive: true, force: true });
  }
}

/** `<organization>.<export>.<claim>.<random>` */
const DIRECTORY_NAME = /^([0-9a-f-]{36})\.([0-9a-f-]{36})\.(\d+)\.[0-9a-f-]{36}$/;
const rootOf = (dataDirectory: string): string => resolve(dataDirectory, "tmp", "exports");
