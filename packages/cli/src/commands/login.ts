import { Command } from "@commander-js/extra-typings";
import { RowmillApiError } from "@rowmill/client";
import type { Cli, CommandFile } from "../frame/command.ts";
import { clientOf, requireAddress } from "../frame/client.ts";
import { Problem } from "../frame/problem.ts";

const DEFAULT_URL = "http://127.0.0.1:8080";

export const login: CommandFile = {
  examples: [
    [
      "rowmill login --url https://rowmill.example.com",
      "ask for an API key, test it, and keep it as the profile `default`",
    ],
    [
      "rowmill login --url https://rowmill.example.com --name work --key-file key.txt",
      "a profile of its own, with a key from a file",
    ],
  ],
  create: (cli) =>
    new Command("login")
      .description(
        "Keep the address of a service and an API key as a profile. The key is tested first, and never shown.",
      )
      .option("--name <profile>", "name of the profile", "default")
      .option("--key-file <file>", "read the key from a file; - reads stdin")
      .action(({ name, keyFile }) => signIn(cli, name, keyFile)),
};

async function signIn(cli: Cli, name: string, file: string | undefined): Promise<void> {
  const { readSecret } = await import("../profiles/read-secret.ts");
  const { saveProfile } = await import("../profiles/save-profile.ts");
  const { environment } = cli.terminal;
  const { configFile, readProfiles } = await import("@rowmill/client/profiles");
  // A person who signs in again names the profile alone.
  const known = readProfiles(configFile(environment)).profiles[name]?.url;
  const url = (cli.common.url ?? (environment["ROWMILL_URL"] || known || DEFAULT_URL)).replace(/\/+$/, "");
  requireAddress(url);
  const apiKey = await readSecret(cli, { what: "API key", file, variables: ["ROWMILL_API_KEY"] });
  const me = await (await clientOf({ url, apiKey })).me({ signal: cli.signal }).catch((error: unknown) => {
    if (!(error instanceof RowmillApiError) || error.status !== 401) throw error;
    throw new Problem(
      `${url} does not accept this key: ${error.message}`,
      "Copy the whole key, or ask for a new one. The profile is as it was.",
      { exit: "not_allowed", code: error.code, cause: error },
    );
  });
  const saved = saveProfile(environment, name, { url, apiKey });
  const { kind, organizationId, apiKeyId } = me;
  cli.output.result(
    { url, profile: name, isDefault: saved.isDefault, file: saved.file, kind, organizationId, apiKeyId },
    () =>
      [
        `Signed in to ${url}${organizationId === null ? " with its admin key" : ` (${organizationId})`}.`,
        `Profile "${name}" is in ${saved.file}${saved.isDefault ? ", and commands use it from now on" : `; use it with --profile ${name}, or \`rowmill profiles use ${name}\``}.`,
      ].join("\n"),
  );
}
