/** The client of the service that options, environment, directory or profile name. */
import { existsSync } from "node:fs";
import type { Rowmill } from "@rowmill/client";
import { attentiveSleep } from "./attentive-sleep.ts";
import type { Awaited } from "./attentive-sleep.ts";
import type { Cli, Service } from "./command.ts";
import { withNoteOnSilence } from "./first-response.ts";
import { Problem, usageProblem } from "./problem.ts";

export interface Target {
  url: string;
  apiKey: string;
  /** The profile that gave the address or the key. */
  profile: string | undefined;
}

/** Undefined where no service is named at all. */
export async function findTarget(cli: Cli): Promise<Target | undefined> {
  const { findCredentials } = await import("@rowmill/client/profiles");
  const { environment, directory } = cli.terminal;
  const { url, profile, local } = cli.common;
  if (local === true) return undefined;
  const found = wrapped(() => findCredentials({ environment, directory, url, profile }));
  if (found.url === undefined) return undefined;
  requireAddress(found.url);
  if (found.apiKey === undefined)
    throw new Problem(
      `There is no API key for ${found.url}.`,
      "Sign in with `rowmill login`, or set ROWMILL_API_KEY.",
      {
        exit: "not_allowed",
        code: "no_api_key",
      },
    );
  return { url: found.url, apiKey: found.apiKey, profile: found.profile };
}

export function requireAddress(url: string): void {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ""))
    throw usageProblem(`"${url}" is not the address of a service.`, "Write it as https://rowmill.example.com.");
}

/** Where an address comes from: a profile, or an option or a variable. */
export interface NamedBy {
  profile: string | undefined;
  setting: "--url" | "ROWMILL_URL";
}

/** Undefined where `error` is about another address than that of the command's service. */
export async function namedBy(cli: Cli, error: unknown): Promise<NamedBy | undefined> {
  const target = await findTarget(cli).catch(() => undefined);
  if (target === undefined || !(error instanceof Error && error.message.includes(target.url))) return undefined;
  if (cli.common.url !== undefined) return { profile: undefined, setting: "--url" };
  return { profile: target.profile, setting: "ROWMILL_URL" };
}

/** Whether there is one that need not be made. */
export async function hasService(cli: Cli): Promise<boolean> {
  return (await findTarget(cli)) !== undefined || (await hasLocalService(cli));
}

async function hasLocalService({ terminal }: Cli): Promise<boolean> {
  const { localDirectory } = await import("../local/directories.ts");
  return existsSync(localDirectory(terminal.environment).key);
}

/** The one that is named, else the command's own where it is used already, or is to be made. */
export async function useService(cli: Cli, isMade: boolean): Promise<Service> {
  const target = await findTarget(cli);
  if (target !== undefined)
    return {
      ...target,
      rowmill: await clientOf(target, cli.output),
      isLocal: false,
      endsWithCommands: false,
      gone: new Promise<never>(() => undefined),
    };
  const hasLocal = isMade || (await hasLocalService(cli));
  if (!hasLocal && cli.common.local === true)
    throw new Problem(
      "There is no local service yet.",
      "`rowmill map FILE …` makes it, and `rowmill connect PROVIDER`.",
      {
        exit: "usage",
        code: "no_service",
      },
    );
  if (!hasLocal)
    throw new Problem(
      "No service is named.",
      "Start one with `rowmill dev`, or name one with --url, ROWMILL_URL or a profile (`rowmill login`).",
      { exit: "usage", code: "no_service" },
    );
  const { joinLocalService } = await import("../local/join.ts");
  const local = await joinLocalService(cli);
  cli.atEnd(() => local.leave());
  return { ...local, rowmill: await clientOf(local), isLocal: true, endsWithCommands: !local.isKept };
}

/** Somebody waits for the command: that the service is away is reported within eight seconds. What waits for runs goes on longer. */
const MAX_RETRIES = 4;

/** `output` is where it is said that the service does not respond. */
export async function clientOf(
  { apiKey, ...service }: Pick<Target, "apiKey"> & Awaited,
  output?: Pick<Cli["output"], "note">,
): Promise<Rowmill> {
  const { Rowmill } = await import("@rowmill/client");
  const noted = output === undefined ? {} : { fetch: withNoteOnSilence(fetch, (text) => output.note(text)) };
  const sleep = attentiveSleep(service);
  return wrapped(() => new Rowmill({ baseUrl: service.url, apiKey, sleep, maxRetries: MAX_RETRIES, ...noted }));
}

function wrapped<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new Problem(error instanceof Error ? error.message : String(error), "Correct it and repeat the command.", {
      exit: "usage",
      cause: error,
    });
  }
}
