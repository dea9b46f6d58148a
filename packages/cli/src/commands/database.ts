import { Command } from "@commander-js/extra-typings";
import type { CommandFile } from "../frame/command.ts";
import { plural } from "../frame/numbers.ts";

interface Report {
  citus: string;
  servers: number;
  distributed: string[];
  alreadyDistributed: string[];
  roles: string[];
}

export const database: CommandFile = {
  examples: [
    [
      "ROWMILL_DATABASE_URL=postgres://… rowmill database distribute",
      "spread the large tables over the servers of a Citus cluster",
    ],
    [
      "ROWMILL_DATABASE_URL=postgres://… rowmill database distribute --json",
      "again, after it was interrupted: which tables are distributed",
    ],
  ],
  create: (cli) =>
    new Command("database").description("Change the database of an installation.").addCommand(
      new Command("distribute")
        .description(
          "Spread the tables that grow with rows over the servers of a Citus cluster. Stop the service before; ROWMILL_DATABASE_URL names " +
            "the coordinator, as the owner of the tables or a superuser. A call that was interrupted is repeated.",
        )
        .action(async () => {
          const { runBackupProgram } = await import("../local/backup-process.ts");
          const report = await runBackupProgram<Report>(cli, "distribute");
          cli.output.result(report, () => sentenceOf(report));
        }),
    ),
};

function sentenceOf({ citus, servers, distributed, alreadyDistributed, roles }: Report): string {
  const logins = `These roles may log in, without a password: ${roles.join(", ")}.`;
  if (distributed.length === 0)
    return `Nothing was to be done: ${alreadyDistributed.join(", ")} are distributed. ${logins}`;
  const before = alreadyDistributed.length === 0 ? "" : ` ${alreadyDistributed.join(", ")} were before.`;
  return `Distributed over ${plural(servers, "server")} of Citus ${citus}: ${distributed.join(", ")}.${before} ${logins} Start the service.`;
}
