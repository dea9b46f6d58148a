import { Command } from "@commander-js/extra-typings";
import type { Cli, CommandFile } from "../frame/command.ts";
import type { Finding } from "../doctor/finding.ts";
import { checkCommand, checkLocalService, checkProviders } from "../doctor/here.ts";
import { checkService } from "../doctor/service.ts";

const marks = { ok: ["green", "✓"], note: ["dim", "·"], warning: ["yellow", "!"], problem: ["red", "✗"] } as const;

export const doctor: CommandFile = {
  examples: [
    ["rowmill doctor", "what is wrong here and with the service, and what to do"],
    ["rowmill doctor --connections", "and whether its models can be reached"],
    ["rowmill doctor --json | jq '.findings[] | select(.level == \"problem\")'", "for programs; the exit code is 1"],
  ],
  create: (cli) =>
    new Command("doctor")
      .description(
        "Find out what is wrong: this command, its files, the service, its database, disk, clock, encryption key and egress, your key and limits.",
      )
      .option("--connections", "send a test request through each connection of the service")
      .action(async ({ connections }) => {
        const findings: Finding[] = [];
        const checks = [
          checkCommand(cli),
          checkService(cli, connections === true),
          checkLocalService(cli),
          checkProviders(cli),
        ];
        for (const check of checks)
          for await (const finding of check) {
            findings.push(finding);
            cli.output.event("finding", { ...finding });
            if (cli.output.mode === "text") cli.output.write(`${describeFinding(cli, finding)}\n`);
          }
        const problems = findings.filter(({ level }) => level === "problem").length;
        cli.output.result({ findings, problems }, () =>
          problems === 0 ? "\nNothing is wrong." : `\n${problems === 1 ? "1 problem" : `${problems} problems`}.`,
        );
        if (problems > 0) cli.exitWith("error");
      }),
};

function describeFinding(cli: Cli, { level, subject, message, advice }: Finding): string {
  const [color, mark] = marks[level];
  const line = `${cli.terminal.style("stdout", color, mark)} ${subject}: ${message}`;
  return advice === undefined ? line : `${line}\n    ${advice}`;
}
