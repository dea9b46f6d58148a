import { Command, Option } from "@commander-js/extra-typings";
import type { ApiKey, Body, Rowmill } from "@rowmill/client";
import { commaSeparated, integer } from "../frame/arguments.ts";
import type { Cli, CommandFile } from "../frame/command.ts";
import { resolveId } from "../frame/ids.ts";
import { ago, pageSize, printList } from "../frame/lists.ts";
import { plural } from "../frame/numbers.ts";
import { Problem } from "../frame/problem.ts";
import { makeSecret, saveOption } from "../frame/secrets.ts";
import { shownOption } from "../runs/run-options.ts";

const DAY_MS = 86_400_000;
/** A table has no place for twenty of them. */
const SHOWN_SCOPES = 3;

export const keys: CommandFile = {
  examples: [
    ["rowmill keys", "the keys of the organization, and when they were used"],
    ["rowmill keys new ci --scopes runs:write,results:read --days 90 --save key.txt", "a key for a program"],
    ["rowmill keys revoke ci", "end one at once"],
  ],
  create: (cli) =>
    new Command("keys")
      .description("List, make and revoke API keys of the organization.")
      .addOption(shownOption())
      .action(({ limit }) => listKeys(cli, limit))
      .addCommand(
        new Command("new")
          .description("Make an API key. It is shown this once.")
          .argument("<name>", "what it is for")
          .addOption(
            new Option(
              "--scopes <scopes>",
              "what it may do, such as runs:write,results:read; the usual scopes, if absent",
            ).argParser(commaSeparated),
          )
          .addOption(new Option("--days <count>", "expires after so many days").argParser(integer(1)))
          .addOption(saveOption())
          .action((name, options) => newKey(cli, name, options)),
      )
      .addCommand(
        new Command("revoke")
          .description("Revoke an API key: it ends at once.")
          .argument("<key>", "id, beginning of it, or name")
          .action((key) => revokeKey(cli, key)),
      ),
};

/** Of the key that is used. */
async function organizationOf(cli: Cli, rowmill: Rowmill): Promise<string> {
  const { organizationId } = await rowmill.me({ signal: cli.signal });
  if (organizationId !== null) return organizationId;
  throw new Problem("The admin key belongs to no organization.", "Use a key of an organization.", {
    exit: "not_allowed",
    code: "organization_key_required",
  });
}

async function listKeys(cli: Cli, limit: number | undefined): Promise<void> {
  const rowmill = await cli.client();
  const organizationId = await organizationOf(cli, rowmill);
  const query = { limit: pageSize(limit) };
  await printList(cli, rowmill.organizations.apiKeys.list(organizationId, query, { signal: cli.signal }), {
    limit,
    empty: "There are no keys.",
    columns: [
      ["key", ({ id }) => id],
      ["begins", ({ redactedKey }) => redactedKey],
      ["state", stateOf],
      ["used", ({ lastUsedAt }) => ago(lastUsedAt)],
      ["scopes", ({ scopes }) => (scopes.length > SHOWN_SCOPES ? `${scopes.length} scopes` : scopes.join(", "))],
      ["name", ({ name }) => name],
    ],
  });
}

function stateOf({ revokedAt, expiresAt }: ApiKey): string {
  if (revokedAt !== null) return "revoked";
  if (expiresAt === null) return "active";
  return Date.parse(expiresAt) < Date.now() ? "expired" : `until ${expiresAt.slice(0, 10)}`;
}

interface NewOptions {
  scopes?: string[];
  days?: number;
  save?: string;
}

async function newKey(cli: Cli, name: string, { scopes, days, save }: NewOptions): Promise<void> {
  const rowmill = await cli.client();
  const body = {
    name,
    ...(scopes === undefined ? {} : { scopes }),
    ...(days === undefined ? {} : { expiresAt: new Date(Date.now() + days * DAY_MS).toISOString() }),
  };
  const organizationId = await organizationOf(cli, rowmill);
  await makeSecret(cli, save, {
    // The service names the scopes that do not exist.
    make: () =>
      rowmill.organizations.apiKeys.create(organizationId, body as Body<"createApiKey">, { signal: cli.signal }),
    member: "key",
    say: ({ id, scopes: given }) =>
      `${id} ${name} is made. It may do ${plural(given.length, "thing")}: ${given.join(", ")}.`,
  });
}

async function revokeKey(cli: Cli, typed: string): Promise<void> {
  const rowmill = await cli.client();
  const organizationId = await organizationOf(cli, rowmill);
  const id = await resolveId("API key", "key", typed, () => usable(rowmill, organizationId));
  await rowmill.organizations.apiKeys.revoke(organizationId, id, { signal: cli.signal });
  cli.output.result({ id, revoked: true }, () =>
    [`${id} is revoked. Runs that it has started go on, within their budgets:`, `  rowmill runs --key ${id}`].join(
      "\n",
    ),
  );
}

/** A name is free again when its key is revoked. */
async function* usable(rowmill: Rowmill, organizationId: string): AsyncGenerator<ApiKey, void> {
  for await (const key of rowmill.organizations.apiKeys.list(organizationId)) if (key.revokedAt === null) yield key;
}
