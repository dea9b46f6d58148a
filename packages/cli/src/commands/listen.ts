import { Command } from "@commander-js/extra-typings";
import type { Cli, CommandFile } from "../frame/command.ts";
import { usageProblem } from "../frame/problem.ts";

export const listen: CommandFile = {
  examples: [
    [
      "rowmill listen --forward-to http://localhost:3000/hooks",
      "post the events of the organization to a receiver on this machine",
    ],
    ["rowmill listen --forward-to 3000/hooks --events run.*,export.ready", "only these types"],
    ["rowmill listen --print-secret", "the signing secret that the receiver needs"],
  ],
  create: (cli) =>
    new Command("listen")
      .description(
        "Forward events to a receiver on this machine, without a tunnel: they come by a connection of this command, and are signed here like those of webhook endpoints.",
      )
      .option("--forward-to <url>", "where events are posted; 3000/hooks is short for http://localhost:3000/hooks")
      .option("--events <types>", "types and patterns, separated by commas (all but row.*)")
      .option("--header-prefix <word>", "first word of the signature's headers", "Service")
      .option("--print-secret", "print the signing secret, and end")
      .action((options) => start(cli, options)),
};

interface ListenOptions {
  forwardTo?: string;
  events?: string;
  headerPrefix: string;
  printSecret?: true;
}

async function start(cli: Cli, { forwardTo, events, headerPrefix, printSecret }: ListenOptions): Promise<void> {
  const { listenSecret } = await import("../listen/secret.ts");
  const secret = listenSecret(cli.terminal.environment);
  if (printSecret === true) return cli.output.result({ signingSecret: secret }, () => secret);
  if (forwardTo === undefined)
    throw usageProblem("Nothing says where events go.", "Write --forward-to http://localhost:3000/hooks.");
  const { receiverUrl, rememberSession } = await import("../listen/session.ts");
  const url = receiverUrl(forwardTo);
  if (url === undefined)
    throw usageProblem(`"${forwardTo}" is not a URL.`, "Write --forward-to http://localhost:3000/hooks.");
  rememberSession(cli.terminal.environment, { url, headerPrefix });
  const types = events?.split(",").map((part) => part.trim());
  const { listen: listenTo } = await import("../listen/forward-events.ts");
  await listenTo(cli, { url, secret, headerPrefix }, types);
}
