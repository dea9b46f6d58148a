import { Command } from "@commander-js/extra-typings";
import type { CommandFile } from "../frame/command.ts";
import { mebibytes, plural } from "../frame/numbers.ts";

interface Report {
  path: string;
  sizeBytes: number;
  snapshotAt: string;
  tables: number;
  rows: number;
  objects: number;
  missingObjects: string[];
  store: "folder" | "s3";
  hasEncryptionKey: boolean;
}

export const backup: CommandFile = {
  examples: [
    ["rowmill backup /backups/monday", "a folder; the data is that of ./data, or of ROWMILL_DATA_DIR"],
    ["rowmill backup /backups/monday.tar", "one file"],
    [
      "ROWMILL_DATABASE_URL=postgres://… ROWMILL_STORAGE_URL=file:///shared/files rowmill backup b.tar --json",
      "of a service with its own PostgreSQL",
    ],
  ],
  create: (cli) =>
    new Command("backup")
      .description(
        "Write a backup of an installation: database and files, as they were at one moment. The service may run meanwhile. " +
          "Settings are those of the service (ROWMILL_DATA_DIR, ROWMILL_DATABASE_URL, ROWMILL_STORAGE_URL). Objects in a bucket are not copied.",
      )
      .argument("<target>", "a folder that does not exist yet, or a file whose name ends in .tar")
      .option(
        "--include-encryption-key",
        "put the encryption key into the backup, too: anyone who has it can read all secrets",
      )
      .action(async (target, { includeEncryptionKey }) => {
        const { runBackupProgram } = await import("../local/backup-process.ts");
        const flags = includeEncryptionKey === true ? ["--include-encryption-key"] : [];
        const report = await runBackupProgram<Report>(cli, "backup", target, ...flags);
        if (!report.hasEncryptionKey)
          cli.output.note(
            "The encryption key is not in the backup: keep it elsewhere, or secrets in it cannot be opened.",
          );
        if (report.store === "s3")
          cli.output.note(
            "Objects in the bucket are not in the backup: the bucket must keep them, by versions or a copy.",
          );
        for (const key of report.missingObjects)
          cli.output.note(`The store does not have ${key}, which the database names: it was lost before.`);
        cli.output.result(
          report,
          () =>
            `${report.path}: ${plural(report.rows, "database row")} of ${plural(report.tables, "table")} and ${plural(report.objects, "file")}, ` +
            `${mebibytes(report.sizeBytes)} MiB, as of ${report.snapshotAt}.`,
        );
      }),
};
