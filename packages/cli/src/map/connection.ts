/** The connection of the model: one that is named, or one that is made from the environment and found again by its name. */
import type { Connection, Rowmill } from "@rowmill/client";
import type { Cli } from "../frame/command.ts";
import { findId } from "../frame/find.ts";
import { readNamedFile } from "../frame/named-file.ts";
import { Problem, usageProblem } from "../frame/problem.ts";
import { askYesNo } from "../frame/questions.ts";
import { quoted } from "../frame/shell-words.ts";
import type { MapOptions } from "./map-options.ts";
import { isListed } from "./list-prices.ts";
import { requireModelServer } from "./model-server.ts";
import { findModel, isOnThisMachine } from "./providers.ts";
import type { FoundModel } from "./providers.ts";

/** The last characters of a secret that the service shows: enough to see that it is another one. */
const SHOWN_CHARACTERS = 4;

export interface Connected {
  connectionId: string;
  /** Where the prices are those of the service's list, and not of this command's user. */
  priceList: Connection["priceList"];
  /** Nobody has said what a call costs: it counts as nothing, since the address is on this machine. A gateway may pass it on. */
  isPriceAssumed: boolean;
}

export interface ModelPlace {
  model: string;
  /** Throws where the model is to be on this machine, and nothing listens at its address: every row would fail after its retries. */
  requireServer(): Promise<void>;
  /** Makes the connection where it is missing. */
  connect(rowmill: Rowmill): Promise<Connected>;
}

/** Everything that can be wrong without a service is said here. */
export function placeModel(cli: Cli, options: MapOptions, isLocal: boolean): ModelPlace {
  const { model = "", connection, baseUrl } = options;
  if (connection !== undefined) {
    if (baseUrl !== undefined)
      throw usageProblem("--connection and --base-url exclude each other.", "A connection has an address of its own.");
    if (options.price !== undefined)
      throw usageProblem(
        "--connection and --price exclude each other.",
        "A connection has prices of its own: `rowmill connect PROVIDER --name NAME --price IN/OUT` changes them.",
      );
    return {
      model,
      requireServer: () => Promise.resolve(),
      connect: (rowmill) => findConnection(cli, rowmill, connection),
    };
  }
  if (baseUrl !== undefined && !URL.canParse(baseUrl))
    throw usageProblem(`"${baseUrl}" is not a URL.`, "Write --base-url http://127.0.0.1:8000/v1.");
  const found = findModel(model, baseUrl, cli.terminal.environment);
  if (found === undefined)
    throw usageProblem(
      `Nothing says where the model "${model}" is.`,
      "Use a name such as ollama/NAME or openrouter/NAME, --base-url URL, or --connection NAME.",
    );
  if (found.missingKey !== undefined)
    throw new Problem(
      `There is no key for ${found.provider}.`,
      `Set ${found.missingKey}. Or keep the key with \`rowmill connect ${found.provider}\`, and use --connection ${found.provider} --model ${quoted(found.model)}${options.price === undefined ? "" : " without --price, which belongs to the connection"}.`,
      { exit: "not_allowed", code: "no_provider_key" },
    );
  const prices = pricesOf(options.price, found);
  return {
    model: found.model,
    // For a service elsewhere, this machine is another one.
    requireServer: () => (isLocal ? requireModelServer(found) : Promise.resolve()),
    connect: async (rowmill) => {
      const connection = await ensureConnection(cli, rowmill, found, prices, isLocal);
      return {
        connectionId: connection.id,
        priceList: connection.priceList,
        isPriceAssumed: isAssumed(found, connection),
      };
    },
  };
}

type Prices = Connection["prices"];

async function findConnection(cli: Cli, rowmill: Rowmill, named: string): Promise<Connected> {
  const connectionId = await findId(rowmill, "connection", named);
  const { priceList } = await rowmill.connections.get(connectionId, { signal: cli.signal });
  return { connectionId, priceList, isPriceAssumed: false };
}

async function ensureConnection(
  cli: Cli,
  rowmill: Rowmill,
  found: FoundModel,
  prices: Prices,
  isLocal: boolean,
): Promise<Connection> {
  const { signal } = cli;
  const name = `${found.provider} (rowmill map)`;
  const secret = found.apiKey;
  const others: Connection[] = [];
  for await (const connection of rowmill.connections.list(undefined, { signal })) {
    if (connection.baseUrl !== found.baseUrl || connection.type !== found.type) continue;
    if (connection.name !== name) {
      others.push(connection);
      continue;
    }
    const changes = {
      ...(secret === undefined || showsSecret(connection, secret) ? {} : { secret }),
      ...(prices === null
        ? await pricesOfList(cli, rowmill, connection)
        : { prices: mergePrices(connection.prices, prices) }),
    };
    if (Object.keys(changes).length === 0) return connection;
    return rowmill.connections.update(connection.id, changes, { signal });
  }
  // Where another connection shows the same key, its users share it already.
  if (!isLocal && secret !== undefined && !others.some((other) => showsSecret(other, secret)))
    await agreeToStore(
      cli,
      found,
      others.map((other) => other.name),
    );
  const shared = { name, baseUrl: found.baseUrl, ...(secret === undefined ? {} : { secret }) };
  const priced =
    prices?.models === undefined
      ? await pricesOfList(cli, rowmill, { type: found.type, baseUrl: found.baseUrl, prices: null })
      : { prices: { models: prices.models } };
  return rowmill.connections.create({ type: found.type, ...shared, ...priced }, { signal });
}

/** Without prices nobody could agree to a price, and there could be no budget. Prices that somebody has set stay. */
async function pricesOfList(
  { signal }: Cli,
  rowmill: Rowmill,
  connection: Pick<Connection, "type" | "baseUrl" | "prices">,
): Promise<{ prices?: "list" }> {
  if (connection.prices !== null) return {};
  return (await isListed(rowmill, connection, signal)) ? { prices: "list" } : {};
}

/** On a service that others use, a key from this environment becomes a connection that they can use, too. `others`: to the same address. */
async function agreeToStore(cli: Cli, { provider, baseUrl }: FoundModel, others: string[]): Promise<void> {
  const where = provider === "custom" ? new URL(baseUrl).host : provider;
  const question = `Store the key for ${where} from this environment on the service, as a connection that its users share?`;
  const response = await askYesNo(cli, question, false);
  if (response === true) return;
  const named = others.map((name) => `"${name}"`).join(", ");
  const [first] = others;
  const made = provider === "custom" ? `openai --base-url ${baseUrl}` : provider;
  throw new Problem(
    first === undefined
      ? `The service has no connection for ${where}.`
      : `The service has no connection for ${where} that this command has made.`,
    first === undefined
      ? `\`rowmill connect ${made}\` makes one: name it with --connection. Or run this in a terminal and agree to store your key there.`
      : `It has ${named} at ${baseUrl}: add --connection ${quoted(first)}, without --price. Or run this in a terminal and agree to store your key there.`,
    { exit: "no_consent", code: "no_connection_for_model" },
  );
}

function showsSecret({ redactedSecret }: Connection, secret: string): boolean {
  return redactedSecret !== null && redactedSecret.endsWith(secret.slice(-SHOWN_CHARACTERS));
}

/** `--price IN/OUT` is US dollars for a million tokens; a model on this machine costs nothing. */
export function pricesOf(price: string | undefined, { model, baseUrl }: Pick<FoundModel, "model" | "baseUrl">): Prices {
  if (price === undefined)
    return isOnThisMachine(baseUrl)
      ? { models: { "*": { inputUsdPerMillionTokens: "0", outputUsdPerMillionTokens: "0" } } }
      : null;
  const match = /^\$?(\d+(?:\.\d+)?)\/\$?(\d+(?:\.\d+)?)$/.exec(price);
  if (match?.[1] === undefined || match[2] === undefined)
    throw usageProblem(
      `"${price}" is not a price.`,
      "Write --price 0.25/2.00: US dollars for a million tokens in and out.",
    );
  return { models: { [model]: { inputUsdPerMillionTokens: match[1], outputUsdPerMillionTokens: match[2] } } };
}

/** A price of the model itself is one that somebody gave, now or before. */
const isAssumed = ({ model, baseUrl, isFree }: FoundModel, { prices }: Connection): boolean =>
  !isFree && isOnThisMachine(baseUrl) && prices?.models?.[model] === undefined;

function mergePrices(
  known: Prices,
  given: NonNullable<Prices>,
): { models: NonNullable<NonNullable<Prices>["models"]> } {
  return { models: { ...known?.models, ...given.models } };
}

/** `@file` is the content of a file, for prompts that are longer than a line. */
export function textOrFile(text: string): string {
  return text.startsWith("@") ? readNamedFile(text.slice(1)) : text;
}
