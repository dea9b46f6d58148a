import { Command } from "@commander-js/extra-typings";
import type { CommandFile } from "../frame/command.ts";

export const apply: CommandFile = {
  examples: [
    [
      "rowmill apply rowmill.yaml",
      "show what would change, ask, and make connections, job specs, endpoints and alert rules as the file says",
    ],
    ["rowmill apply rowmill.yaml --dry-run", "only show it"],
    [
      "rowmill apply rowmill.yaml --yes --save-secrets secrets.txt",
      "without a question; signing secrets of new endpoints go to a new file",
    ],
  ],
  create: (cli) =>
    new Command("apply")
      .description(
        "Make the service what a YAML or JSON file says. Things are found by their names (endpoints by their description); what the file does not name stays as it is. Of URLs of receivers the service shows the origin and the last four characters: a change between them is not noticed.",
      )
      .argument("<file>", "with connections, jobSpecs, webhookEndpoints, alertRules")
      .option("--dry-run", "show what would change, and end; the service checks values only when they are applied")
      .option("-y, --yes", "do not ask")
      .option("--save-secrets <file>", "write the signing secrets of new endpoints and rules to a new file")
      .action(async (file, options) => {
        const { applyFile } = await import("../apply/apply-changes.ts");
        await applyFile(cli, file, options);
      }),
};
