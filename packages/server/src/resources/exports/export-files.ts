/** Where the files of exports are: one folder an export, one file a claim, so that two workers never write one file. */
import type { OrganizationDatabase } from "../../platform/database/database.ts";
import { isRowOf } from "../../platform/database/row-key.ts";
import { formatId } from "../../platform/ids.ts";
import type { ObjectStore } from "../../platform/storage/storage.ts";
import type { ExportJob } from "./exports.ts";

export const newFileKey = (owner: ExportJob, claimNo: number): string => `${folderOf(owner)}${claimNo}`;

/** Keys of all files that can be downloaded, of every organization: for a backup. */
export const READ_FILE_KEYS = "select storage_key as key from exports where status = 'ready' order by storage_key";

const folderOf = ({ organizationId, exportId }: ExportJob): string =>
  `exports/${formatId("organization", organizationId)}/${formatId("export", exportId)}/`;

/** What other claims have left: those of workers that died, or lost their claim after the file was whole. */
export async function deleteOtherFiles(store: ObjectStore, owner: ExportJob, keptKey: string): Promise<void> {
  await store.deleteAll(folderOf(owner), { exceptKey: keptKey });
}

/** Deletes all files of an export that has ended without one or outlived it; `storage_key` stays until that is done. */
export async function deleteAllFiles(
  database: OrganizationDatabase,
  owner: ExportJob,
  store: ObjectStore,
): Promise<void> {
  await store.deleteAll(folderOf(owner));
  await database.db
    .updateTable("exports")
    .set({ storageKey: null })
    .where(isRowOf("exports", owner, owner.exportId))
    .where("status", "in", ["expired", "failed", "canceled"])
    .execute();
}
