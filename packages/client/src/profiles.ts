/**
 * Where the service is and which key to use (Node only): `$XDG_CONFIG_HOME/rowmill/config.toml` has profiles, `./.rowmill.toml`
 * may name one of them. What the caller names, a profile, too, wins over the environment, that over the directory, and the directory over
 * the user's default.
 *
 *     profile = "work"             # the default
 *
 *     [profiles.work]
 *     url = "https://rowmill.example.com"
 *     apiKey = "rmk_…"
 *
 * Both files are a subset of TOML: `name = "text"` and tables. The client has no dependencies, so the subset is read here.
 */
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

export interface Profile {
  url?: string;
  apiKey?: string;
}

export interface Profiles {
  /** The name of the default profile. */
  defaultName: string | undefined;
  profiles: Readonly<Record<string, Profile>>;
}

export interface Credentials {
  url: string | undefined;
  apiKey: string | undefined;
  /** The profile that gave one of them. */
  profile: string | undefined;
}

export interface CredentialsInput {
  environment: Readonly<Record<string, string | undefined>>;
  /** Where `.rowmill.toml` may stand. */
  directory: string;
  /** Given by the caller; these win over everything. */
  url?: string | undefined;
  apiKey?: string | undefined;
  profile?: string | undefined;
}

export function configFile(environment: Readonly<Record<string, string | undefined>>): string {
  return join(environment["XDG_CONFIG_HOME"] || join(homedir(), ".config"), "rowmill", "config.toml");
}

/** Throws an Error with a sentence where a file cannot be read or a named profile does not exist. */
export function findCredentials(input: CredentialsInput): Credentials {
  const { environment } = input;
  const ofEnvironment = { url: nonEmpty(environment["ROWMILL_URL"]), apiKey: nonEmpty(environment["ROWMILL_API_KEY"]) };
  const named = input.profile ?? nonEmpty(environment["ROWMILL_PROFILE"]) ?? readDirectoryProfile(input.directory);
  const isComplete = (found: Profile): boolean => found.url !== undefined && found.apiKey !== undefined;
  const withoutProfile = { url: input.url ?? ofEnvironment.url, apiKey: input.apiKey ?? ofEnvironment.apiKey };
  if (isComplete(withoutProfile) && named === undefined) return { ...withoutProfile, profile: undefined };
  const file = configFile(environment);
  const { defaultName, profiles } = readProfiles(file);
  const name = named ?? defaultName;
  const profile = name === undefined ? undefined : profiles[name];
  if (named !== undefined && profile === undefined) {
    const known = Object.keys(profiles);
    throw new Error(`${file} has no profile "${named}"${known.length === 0 ? "" : `; it has ${known.join(", ")}`}.`);
  }
  // The environment may be of another service than the profile that the caller names.
  const url = input.profile === undefined ? withoutProfile.url : input.url;
  const apiKey = input.profile === undefined ? withoutProfile.apiKey : input.apiKey;
  // A profile's key is for the profile's service alone: another address must not receive it.
  const isSameService = url === undefined || (profile?.url !== undefined && sameUrl(profile.url, url));
  return {
    url: url ?? profile?.url ?? ofEnvironment.url,
    apiKey: apiKey ?? (isSameService ? profile?.apiKey : undefined) ?? ofEnvironment.apiKey,
    profile: profile !== undefined && isSameService ? name : undefined,
  };
}

/** No file is no profiles. */
export function readProfiles(file: string): Profiles {
  const tables = parseToml(readIfThere(file), file);
  const profiles: Record<string, Profile> = {};
  for (const [table, values] of tables) {
    const name = table.startsWith("profiles.") ? table.slice("profiles.".length) : undefined;
    if (name !== undefined) profiles[name] = values;
  }
  return { defaultName: tables.get("")?.["profile"], profiles };
}

/** The text of the file; values of other tables are not kept. */
export function formatProfiles({ defaultName, profiles }: Profiles): string {
  const lines = ["# Profiles of Rowmill. It contains API keys: keep it readable for yourself alone.", ""];
  if (defaultName !== undefined) lines.push(`profile = ${JSON.stringify(defaultName)}`, "");
  for (const [name, { url, apiKey }] of Object.entries(profiles)) {
    lines.push(`[profiles.${/^[\w-]+$/.test(name) ? name : JSON.stringify(name)}]`);
    if (url !== undefined) lines.push(`url = ${JSON.stringify(url)}`);
    if (apiKey !== undefined) lines.push(`apiKey = ${JSON.stringify(apiKey)}`);
    lines.push("");
  }
  return lines.join("\n");
}

/** `.rowmill.toml` is often committed, so it may name a profile and nothing else. */
function readDirectoryProfile(directory: string): string | undefined {
  const file = join(directory, ".rowmill.toml");
  const tables = parseToml(readIfThere(file), file);
  for (const [table, values] of tables) {
    const wrong = Object.keys(values).find((name) => table !== "" || name !== "profile");
    if (wrong !== undefined)
      throw new Error(
        `${file} may contain \`profile = "name"\` and nothing else: keys and addresses belong in the user's own file.`,
      );
  }
  return tables.get("")?.["profile"];
}

function parseToml(text: string, file: string): Map<string, Record<string, string>> {
  const tables = new Map<string, Record<string, string>>();
  let values: Record<string, string> = {};
  tables.set("", values);
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    const table = /^\[\s*([\w-]+)\.(?:([\w-]+)|("(?:[^"\\]|\\.)*"))\s*\](?:\s*#.*)?$/.exec(line);
    if (table !== null) {
      values = {};
      tables.set(`${table[1]}.${table[2] ?? textOf(table[3])}`, values);
      continue;
    }
    const pair = /^([\w-]+)\s*=\s*(?:("(?:[^"\\]|\\.)*")|'([^']*)')(?:\s*#.*)?$/.exec(line);
    const value = pair === null ? undefined : (pair[3] ?? textOf(pair[2]));
    // The line itself may contain a key, so it is not quoted.
    if (pair?.[1] === undefined || value === undefined)
      throw new Error(`${file}, line ${index + 1}, is not \`name = "text"\` and not a table such as [profiles.work].`);
    values[pair[1]] = value;
  }
  return tables;
}

/** The escapes of TOML's basic strings that are also JSON's. */
function textOf(quoted: string | undefined): string | undefined {
  try {
    return JSON.parse(quoted ?? "") as string;
  } catch {
    return undefined;
  }
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return "";
    throw new Error(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

const sameUrl = (one: string, other: string): boolean => one.replace(/\/+$/, "") === other.replace(/\/+$/, "");
const nonEmpty = (text: string | undefined): string | undefined => (text === "" ? undefined : text);
