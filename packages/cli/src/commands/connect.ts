import { Argument, Command } from "@commander-js/extra-typings";
import type { Cli, CommandFile } from "../frame/command.ts";
import { usageProblem } from "../frame/problem.ts";
import { providers } from "../map/providers.ts";

const names = providers.map(({ name }) => name).join(", ");
const providerArgument = new Argument("<provider>", "such as openai");
// For completion in shells. Not `choices`: for a name that is not one of them, the command prints what to do for other providers.
providerArgument.argChoices = providers.map(({ name }) => name);

export const connect: CommandFile = {
  examples: [
    ["rowmill connect openai", "ask for the key, test it, and load the list prices"],
    [
      "rowmill connect openrouter --key-file key.txt --price 0.10/0.40",
      "with a key from a file and a price of your own",
    ],
    ["rowmill connect ollama", "models on this machine, which need no key and cost nothing"],
    ["rowmill connect groq --name fast --base-url https://proxy.example.com/v1", "another name and another address"],
  ],
  create: (cli) =>
    new Command("connect")
      .description(`Make a connection to a provider of models, or give an existing one a new key. Providers: ${names}.`)
      .addArgument(providerArgument)
      .option("--name <name>", "name of the connection (the provider's)")
      .option("--base-url <url>", "another address than the provider's")
      .option("--key-file <file>", "read the key from a file; - reads stdin")
      .option("--price <in/out>", "US dollars for a million tokens in and out, for every model")
      .action((provider, options) => connectProvider(cli, provider, options)),
};

interface ConnectOptions {
  name?: string;
  baseUrl?: string;
  keyFile?: string;
  price?: string;
}

async function connectProvider(cli: Cli, typed: string, options: ConnectOptions): Promise<void> {
  const provider = providers.find(({ name }) => name === typed.toLowerCase());
  if (provider === undefined)
    throw usageProblem(
      `There is no provider "${typed}".`,
      `There are ${names}. For any other: openai with --base-url.`,
    );
  const { baseUrl } = options;
  if (baseUrl !== undefined && !URL.canParse(baseUrl))
    throw usageProblem(`"${baseUrl}" is not a URL.`, "Write --base-url https://host.example/v1.");
  const { connectTo } = await import("../map/connect-provider.ts");
  await connectTo(cli, provider, options);
}
