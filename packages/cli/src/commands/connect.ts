import { Argument, Command, Option } from "@commander-js/extra-typings";
import { integer } from "../frame/arguments.ts";
import type { Cli, CommandFile } from "../frame/command.ts";
import { usageProblem } from "../frame/problem.ts";
import type { ConnectOptions } from "../map/connect-provider.ts";
import { providers } from "../map/providers.ts";

/** Not a provider of models: any service that rows are sent to. */
const HTTP = "http";
const names = providers.map(({ name }) => name).join(", ");
const providerArgument = new Argument("<provider>", "such as openai, or http");
// For completion in shells. Not `choices`: for a name that is not one of them, the command prints what to do for other providers.
providerArgument.argChoices = [...providers.map(({ name }) => name), HTTP];

export const connect: CommandFile = {
  examples: [
    ["rowmill connect openai", "ask for the key, test it, and load the list prices"],
    [
      "rowmill connect openrouter --key-file key.txt --price 0.10/0.40",
      "with a key from a file and a price of your own",
    ],
    ["rowmill connect ollama", "models on this machine, which need no key and cost nothing"],
    ["rowmill connect groq --name fast --base-url https://proxy.example.com/v1", "another name and another address"],
    [
      "rowmill connect http --name Companies --base-url https://api.example.com --rate-limit 600",
      "a service for `rowmill map --http 'GET /path' --connection Companies`; asks for its key",
    ],
  ],
  create: (cli) =>
    new Command("connect")
      .description(
        `Make a connection to a provider of models, or to a service for --http, or give an existing one a new key. Providers: ${names}, and ${HTTP} for any other service.`,
      )
      .addArgument(providerArgument)
      .option("--name <name>", "name of the connection (the provider's, or the host)")
      .option("--base-url <url>", "another address than the provider's; that of the service for http")
      .option("--key-file <file>", "read the key from a file; - reads stdin")
      .option(
        "--price <in/out>",
        "US dollars for a million tokens in and out, for every model; for http, for a request",
      )
      .option("--no-test", "keep it without a test, such as for a server that does not list its models")
      .addOption(new Option("--rate-limit <count>", "most requests a minute").argParser(integer(1)))
      .action((provider, options) => connectProvider(cli, provider, options)),
};

async function connectProvider(cli: Cli, typed: string, options: ConnectOptions): Promise<void> {
  const provider = providers.find(({ name }) => name === typed.toLowerCase());
  const { baseUrl } = options;
  if (baseUrl !== undefined && !/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? ""))
    throw usageProblem(`"${baseUrl}" is not a URL.`, "Write --base-url https://host.example/v1.");
  if (typed.toLowerCase() === HTTP) {
    const { connectHttp } = await import("../map/connect-http.ts");
    return connectHttp(cli, options);
  }
  if (provider === undefined)
    throw usageProblem(
      `There is no provider "${typed}".`,
      `There are ${names}. For another one: openai with --base-url. For a service that is not a model: http.`,
    );
  const { connectTo } = await import("../map/connect-provider.ts");
  await connectTo(cli, provider, options);
}
