import { Command } from "@commander-js/extra-typings";
import type { CommandFile } from "../frame/command.ts";
import { plural } from "../frame/numbers.ts";

interface Report {
  snapshotAt: string;
  version: string;
  tables: number;
  rows: number;
  objects: number;
  missingObjects: string[];
  store: "folder" | "s3";
}

export const restore: CommandFile = {
  examples: [
    ["rowmill restore /backups/monday.tar", "into ./data, or ROWMILL_DATA_DIR, where no database may be"],
    [
      "ROWMILL_ENCRYPTION_KEY=… ROWMILL_DATABASE_URL=postgres://… rowmill restore /backups/monday",
      "into an empty database of your own",
    ],
  ],
  create: (cli) =>
    new Command("restore")
      .description(
        "Put a backup into an empty place, after its digests were checked. Settings are those of the service. " +
          "Stop the service that was backed up before you start the restored one: both would do the same work.",
      )
      .argument("<source>", "what `rowmill backup` has written")
      .action(async (source) => {
        const { runBackupProgram } = await import("../local/backup-process.ts");
        const report = await runBackupProgram<Report>(cli, "restore", source);
        for (const key of report.missingObjects)
          cli.output.note(`The backup does not have ${key}: the store had lost it before.`);
        cli.output.result(
          report,
          () =>
            `Restored: ${plural(report.rows, "database row")} of ${plural(report.tables, "table")} and ${plural(report.objects, "file")}, as of ${report.snapshotAt}. Start the service.`,
        );
      }),
};
