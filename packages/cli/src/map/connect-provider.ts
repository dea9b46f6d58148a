/** `rowmill connect`: one connection to a provider, tested before it is kept, with prices. */
import type { Connection, ConnectionTest, Rowmill } from "@rowmill/client";
import type { Cli } from "../frame/command.ts";
import { hasService } from "../frame/client.ts";
import { Problem } from "../frame/problem.ts";
import { quoted } from "../frame/shell-words.ts";
import { readOptionalSecret, readSecret } from "../profiles/read-secret.ts";
import { pricesOf } from "./connection.ts";
import { isListed } from "./list-prices.ts";
import { startOf } from "./model-server.ts";
import { addressIn, isOnThisMachine } from "./providers.ts";
import type { Provider } from "./providers.ts";
import { plural } from "../frame/numbers.ts";

/** Names of models that are shown. */
const MAX_SHOWN_MODELS = 5;

export interface ConnectOptions {
  name?: string;
  baseUrl?: string;
  keyFile?: string;
  price?: string;
  /** Requests a minute. */
  rateLimit?: number;
  /** False: it is kept as it is. */
  test: boolean;
}
type Prices = { models: NonNullable<NonNullable<Connection["prices"]>["models"]> } | "list" | undefined;

export async function connectTo(cli: Cli, provider: Provider, options: ConnectOptions): Promise<void> {
  const { signal } = cli;
  const name = options.name ?? provider.name;
  const baseUrl = addressOf(cli, provider, options);
  const needsKey = options.keyFile !== undefined || (provider.keyVariables.length > 0 && !isOnThisMachine(baseUrl));
  const source = {
    what: `API key of ${provider.name}`,
    file: options.keyFile,
    // The environment's key belongs to the provider: another address must not receive it.
    variables: options.baseUrl === undefined ? provider.keyVariables : [],
  };
  const before = (await hasService(cli))
    ? await findByName(await cli.client(), cli, { name, type: provider.type })
    : undefined;
  const isSamePlace = before?.baseUrl === baseUrl;
  const asBefore = { ...source, what: `${source.what} (Enter: as before)` };
  const readKey = () => (isSamePlace && before.hasSecret ? readOptionalSecret(cli, asBefore) : readSecret(cli, source));
  let secret = needsKey ? await readKey() : undefined;
  // Not before there is a key: to make a service takes seconds.
  const { rowmill, isLocal } = await cli.service({ isMade: true });
  if (isLocal) cli.output.note(OF_THIS_MACHINE);
  // What somebody has set stays, unless it is that of another address.
  const hasOwnPrices = isSamePlace && before.prices !== null && before.priceList === null;
  const prices =
    hasOwnPrices && options.price === undefined
      ? undefined
      : await findPrices(rowmill, cli, provider, baseUrl, options.price);
  const changes = {
    baseUrl,
    ...(secret === undefined ? {} : { secret }),
    ...(prices === undefined ? {} : { prices }),
    ...rateLimitOf(options),
  };
  const connection =
    before === undefined
      ? await rowmill.connections.create({ type: provider.type, name, ...changes }, { signal })
      : await rowmill.connections.update(before.id, changes, { signal });
  const how = { provider: provider.name, isOld: before !== undefined };
  if (!options.test) {
    cli.output.result({ ...connection, test: null }, () => describe(connection, NOT_TESTED, how));
    return;
  }
  let test = await rowmill.connections.test(connection.id, { signal });
  // A server on this machine may ask for a key, too.
  if (test.status === 401 && secret === undefined && cli.terminal.isInteractive) {
    cli.output.note(`${baseUrl} asks for a key.`);
    secret = await readSecret(cli, source);
    await rowmill.connections.update(connection.id, { secret }, { signal });
    test = await rowmill.connections.test(connection.id, { signal });
  }
  if (!test.ok) {
    // A new connection that does not work is of no use; one that was there keeps its new key, which a person may still correct.
    if (before === undefined) await rowmill.connections.delete(connection.id, { signal });
    const hasKey = secret !== undefined || connection.hasSecret;
    throw testFailed(test, { isOld: before !== undefined, hasKey, provider: provider.name });
  }
  cli.output.result({ ...connection, test }, () => describe(connection, modelsOf(test, provider.name), how));
}

function addressOf(cli: Cli, provider: Provider, { baseUrl }: ConnectOptions): string {
  const named = baseUrl === undefined ? addressIn(provider, cli.terminal.environment) : undefined;
  if (named !== undefined) cli.output.note(`Using the address in ${named.variable}: ${named.url}`);
  return (baseUrl ?? named?.url ?? provider.baseUrl).replace(/\/+$/, "");
}

/** Names may repeat. Throws where only connections of other types have it. */
export async function findByName(
  rowmill: Rowmill,
  { signal }: Cli,
  { name, type }: Pick<Connection, "name" | "type">,
): Promise<Connection | undefined> {
  for await (const connection of rowmill.connections.list({ name, type: [type] }, { signal })) return connection;
  for await (const other of rowmill.connections.list({ name }, { signal }))
    throw new Problem(
      `There is a connection "${name}" already, of the type ${other.type}.`,
      "Choose another name with --name.",
      { exit: "usage", code: "other_type" },
    );
  return undefined;
}

export const rateLimitOf = ({ rateLimit }: ConnectOptions): { rateLimit?: { requestsPerMinute: number } } =>
  rateLimit === undefined ? {} : { rateLimit: { requestsPerMinute: rateLimit } };

/** What a person says; else nothing for models on this machine; else the list, where it knows the provider. */
async function findPrices(
  rowmill: Rowmill,
  { signal }: Cli,
  { type }: Provider,
  baseUrl: string,
  price: string | undefined,
): Promise<Prices> {
  const own = pricesOf(price, { model: "*", baseUrl });
  if (own?.models !== undefined) return { models: own.models };
  return (await isListed(rowmill, { type, baseUrl }, signal)) ? "list" : undefined;
}

export const NOT_TESTED = "It was not tested: the first call shows whether its address and its key are right.";

/** Where it is kept, if no service is named. */
export const OF_THIS_MACHINE =
  "The connection is in the service of this machine that `rowmill map` uses; --url, ROWMILL_URL or a profile name another one.";

interface Tried {
  isOld: boolean;
  hasKey: boolean;
  provider: string;
}

function testFailed(test: ConnectionTest, tried: Tried): Problem {
  const { status, message } = test;
  return new Problem(`${tried.provider} did not accept the test: ${message}`, adviceFor(test, tried), {
    exit: status === 401 || status === 403 ? "not_allowed" : "error",
    code: "connection_test_failed",
  });
}

function adviceFor({ status }: ConnectionTest, { isOld, hasKey, provider }: Tried): string {
  const kept = isOld ? "The connection is changed nevertheless. " : "Nothing was kept. ";
  if (status === 401 && !hasKey) return `${kept}Give its key with --key-file FILE (- reads stdin).`;
  if (status === 401 || status === 403) return `${kept}Check the key, and repeat the command.`;
  if (status === null && startOf[provider] !== undefined) return `${kept}${startOf[provider]}`;
  // A wrong address responds so, too: most end with /v1.
  if (status === 404 || status === 405)
    return `${kept}Check the address. Where the server does not list its models, add --no-test.`;
  return `${kept}Check the address and whether the provider is up, and repeat the command.`;
}

function modelsOf({ models = [] }: ConnectionTest, provider: string): string {
  if (models.length === 0)
    return `It lists no models.${provider === "ollama" ? " `ollama pull llama3.2` fetches one." : ""}`;
  const shown = models.slice(0, MAX_SHOWN_MODELS).join(", ");
  const more = models.length > MAX_SHOWN_MODELS ? ` and ${models.length - MAX_SHOWN_MODELS} more` : "";
  return `Models: ${shown}${more}.`;
}

function describe(connection: Connection, tested: string, { isOld }: Pick<Tried, "isOld">): string {
  return [
    `${isOld ? "Updated" : "Connected"}: "${connection.name}" (${connection.id}) at ${connection.baseUrl}.`,
    tested,
    describePrices(connection),
    `Next: rowmill map FILE --connection ${quoted(connection.name)} --model MODEL --prompt 'TEXT {{COLUMN}}'`,
  ].join("\n");
}

function describePrices({ prices, priceList }: Connection): string {
  if (priceList !== null)
    return `Prices: the list of ${priceList.asOf}, ${plural(priceList.ageDays, "day")} old. It may be outdated: compare it with your provider's.`;
  const all = prices?.models?.["*"];
  if (all === undefined)
    return prices === null
      ? "Prices: none are known; give them with --price IN/OUT, or budgets cannot be used."
      : "Prices: its own.";
  return `Prices: $${all.inputUsdPerMillionTokens} in, $${all.outputUsdPerMillionTokens} out for a million tokens.`;
}
