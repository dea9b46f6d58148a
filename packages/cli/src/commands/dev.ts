import { Command, InvalidArgumentError } from "@commander-js/extra-typings";
import type { Cli, CommandFile } from "../frame/command.ts";
import { usageProblem } from "../frame/problem.ts";

const DEFAULT_PORT = 8080;
const MAX_PORT = 65_535;

export const dev: CommandFile = {
  examples: [
    [
      "rowmill dev",
      "a service on http://127.0.0.1:8080 with an organization, a key and the profile `dev`, until Ctrl-C",
    ],
    ["rowmill dev --port 0 --data ./rowmill-data", "on a free port, with data in a folder of this project"],
  ],
  create: (cli) =>
    new Command("dev")
      .description(
        "Start a service for development in this terminal. Models and webhook receivers on this machine work over plain HTTP; it listens on loopback only.",
      )
      .option("--port <port>", `port; 0 chooses a free one (default \`ROWMILL_PORT\`, or \`${DEFAULT_PORT}\`)`, portOf)
      .option("--data <folder>", "where its data are (below the user's data directory)")
      .option("--name <profile>", "the profile that is written", "dev")
      .action((options) => runDev(cli, options)),
};

async function runDev(cli: Cli, options: { port?: number; data?: string; name: string }): Promise<void> {
  const { shortPath, startDevService } = await import("../local/dev-service.ts");
  const { port = portIn(cli.terminal.environment), data, name } = options;
  const service = await startDevService(cli, { port, data, profile: name });
  const { url, loginUrl, keyFile, saved } = service;
  cli.output.result({ url, loginUrl, profile: name, keyFile, data: service.data, isDefault: saved.isDefault }, () =>
    [
      `Service  ${url} (until Ctrl-C)`,
      `Console  ${loginUrl} (signs you in once)`,
      `Key      ${shortPath(keyFile)}, in the profile "${name}" (${saved.isDefault ? "the default" : `--profile ${name}`})`,
      `Next     rowmill connect openai · rowmill listen --forward-to 3000/hooks`,
    ].join("\n"),
  );
  if ((await service.ended) !== 0) cli.exitWith("error");
}

function portOf(text: string): number {
  if (!isPort(text)) throw new InvalidArgumentError(`It must be a port from 0 to ${MAX_PORT}.`);
  return Number(text);
}

/** Of the settings of the service, the one that an option of this command has, too. */
function portIn({ ROWMILL_PORT: text = "" }: Cli["terminal"]["environment"]): number {
  if (text === "") return DEFAULT_PORT;
  if (!isPort(text))
    throw usageProblem(
      `ROWMILL_PORT is "${text}": it must be a port from 0 to ${MAX_PORT}.`,
      "Correct it, or use --port.",
    );
  return Number(text);
}

const isPort = (text: string): boolean => /^\d+$/.test(text) && Number(text) <= MAX_PORT;
