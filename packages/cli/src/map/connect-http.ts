/** `rowmill connect http`: a connection to a service that rows are sent to, with its key and its rate limit. */
import type { Connection } from "@rowmill/client";
import type { Cli } from "../frame/command.ts";
import { Problem, usageProblem } from "../frame/problem.ts";
import { quoted } from "../frame/shell-words.ts";
import { readOptionalSecret } from "../profiles/read-secret.ts";
import { NOT_TESTED, OF_THIS_MACHINE, findByName, rateLimitOf } from "./connect-provider.ts";
import type { ConnectOptions } from "./connect-provider.ts";

export async function connectHttp(cli: Cli, options: ConnectOptions): Promise<void> {
  const baseUrl = options.baseUrl?.replace(/\/+$/, "");
  const name = options.name ?? (baseUrl === undefined ? undefined : new URL(baseUrl).host);
  if (name === undefined) throw missingAddress();
  const prices = options.price === undefined ? {} : { prices: { requestUsd: requestPriceOf(options.price) } };
  // Without an address it is one that is there.
  const { rowmill, isLocal } = await cli.service({ isMade: baseUrl !== undefined });
  if (isLocal) cli.output.note(OF_THIS_MACHINE);
  const { signal } = cli;
  const before = await findByName(rowmill, cli, { name, type: "http" });
  if (before === undefined && baseUrl === undefined) throw missingAddress();
  const secret = await readOptionalSecret(cli, {
    what: `Key of ${name} (Enter: ${before?.hasSecret === true ? "as before" : "none"})`,
    file: options.keyFile,
    variables: [],
  });
  const changes = { ...(secret === undefined ? {} : { secret }), ...prices, ...rateLimitOf(options) };
  const connection =
    before === undefined
      ? await rowmill.connections.create({ type: "http", name, baseUrl: baseUrl ?? "", ...changes }, { signal })
      : await rowmill.connections.update(
          before.id,
          { ...changes, ...(baseUrl === undefined ? {} : { baseUrl }) },
          { signal },
        );
  const how = { isOld: before !== undefined };
  if (!options.test) {
    cli.output.result({ ...connection, test: null }, () => describe(connection, NOT_TESTED, how));
    return;
  }
  const test = await rowmill.connections.test(connection.id, { signal });
  // A response of any kind shows that the service is there: the test has no path and no key, which are those of the job specs.
  if (test.status === null) {
    if (before === undefined) await rowmill.connections.delete(connection.id, { signal });
    const kept = before === undefined ? "Nothing was kept." : "The connection is changed nevertheless.";
    throw new Problem(
      `${connection.baseUrl} does not respond: ${test.message}`,
      `${kept} Check the address and whether the service is up, and repeat the command; --no-test keeps it without a test.`,
      { exit: "error", code: "connection_test_failed" },
    );
  }
  cli.output.result({ ...connection, test }, () => describe(connection, test.message, how));
}

const missingAddress = (): Problem =>
  usageProblem(
    "A connection of type http needs an address.",
    "Write `rowmill connect http --name NAME --base-url https://host.example`.",
  );

function requestPriceOf(price: string): string {
  const requestUsd = /^\$?(\d+(?:\.\d+)?)$/.exec(price)?.[1];
  if (requestUsd === undefined)
    throw usageProblem(`"${price}" is not the price of a request.`, "Write --price 0.002: US dollars for a request.");
  return requestUsd;
}

function describe({ id, name, baseUrl, hasSecret }: Connection, tested: string, { isOld }: { isOld: boolean }): string {
  const header = hasSecret ? " --header 'authorization: Bearer {{connection.secret}}'" : "";
  return [
    `${isOld ? "Updated" : "Connected"}: "${name}" (${id}) at ${baseUrl}, ${hasSecret ? "with a key" : "without a key"}.`,
    tested,
    `Next: rowmill map FILE --http 'GET /path' --connection ${quoted(name)}${header}`,
  ].join("\n");
}
