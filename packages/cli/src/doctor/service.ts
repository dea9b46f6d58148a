/** What can be wrong with the service that the commands use: its start, its address, its database, store and disk, the clock. */
import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Cli } from "../frame/command.ts";
import { findTarget } from "../frame/client.ts";
import type { Target } from "../frame/client.ts";
import { localDirectory } from "../local/directories.ts";
import { joinLocalService } from "../local/join.ts";
import { partFindings } from "./parts.ts";
import type { Readiness } from "./parts.ts";
import { problemOf } from "./finding.ts";
import type { Finding } from "./finding.ts";
import { checkWithKey } from "./with-key.ts";

const LOOK_LIMIT_MS = 10_000;
/** Signatures of webhooks are refused by receivers whose clock is further away. */
const MAX_CLOCK_SECONDS = 60;
/** The service looks for three seconds at most. */
const EGRESS_LOOKS = 10;
const EGRESS_INTERVAL_MS = 400;
/** Slower ones make every command slow. */
const SLOW_MS = 2_000;

type Findings = AsyncGenerator<Finding, void, void>;

export async function* checkService(cli: Cli, areConnectionsTested: boolean): Findings {
  let target: Looked | undefined;
  try {
    target = (await findTarget(cli)) ?? (await startLocal(cli));
  } catch (error) {
    return yield problemOf("service", error);
  }
  if (target === undefined)
    return yield { level: "note", subject: "service", message: "none is named: `rowmill map` uses one of its own" };
  const { url } = target;
  const from = target.profile === undefined ? (target.name ?? url) : `${url} (profile ${target.profile})`;
  const begun = performance.now();
  const alive = await look(cli, `${url}/healthz`);
  const tookMs = performance.now() - begun;
  if (alive instanceof Error)
    return yield {
      level: "problem",
      subject: "service",
      message: `${from} does not respond: ${alive.message}`,
      advice: "Start it, or name another with --url, ROWMILL_URL or a profile.",
    };
  if (!alive.ok)
    return yield {
      level: "problem",
      subject: "service",
      message: `${from} responds ${alive.status} to /healthz`,
      advice: "Check that this is the address of a Rowmill service.",
    };
  yield { level: "ok", subject: "service", message: `${from} responds in ${Math.round(tookMs)} ms` };
  if (tookMs > SLOW_MS)
    yield {
      level: "warning",
      subject: "service",
      message: "responds slowly",
      advice: "Look at its load and the network.",
    };
  yield* checkClock(alive);
  yield* checkReadiness(cli, url);
  yield* checkWithKey(cli, target, areConnectionsTested);
}

interface Looked extends Target {
  /** Of a service that a person does not know by its address. */
  name?: string;
}

/** The command's own service, where it has been used before. What keeps it from starting is what a person needs to know. */
async function startLocal(cli: Cli): Promise<Looked | undefined> {
  // Its first start may have failed, so that there is no key yet.
  if (!existsSync(localDirectory(cli.terminal.environment).log)) return undefined;
  const local = await joinLocalService(cli);
  cli.atEnd(() => local.leave());
  const { url, apiKey } = local;
  return { url, apiKey, profile: undefined, name: "of this command" };
}

function* checkClock(response: Response): Generator<Finding, void, void> {
  const date = Date.parse(response.headers.get("date") ?? "");
  if (Number.isNaN(date)) return;
  const seconds = Math.round(Math.abs(Date.now() - date) / 1000);
  if (seconds <= MAX_CLOCK_SECONDS) return yield { level: "ok", subject: "clock", message: "is that of the service" };
  yield {
    level: "warning",
    subject: "clock",
    message: `differs from the service's by ${seconds} s`,
    advice: "Set the clocks by NTP: receivers refuse signatures that are too old or too new.",
  };
}

async function* checkReadiness(cli: Cli, url: string): Findings {
  const ready = await look(cli, `${url}/readyz`);
  if (ready instanceof Error) return yield { level: "problem", subject: "database", message: ready.message };
  const text = await ready.text();
  if (!ready.ok)
    return yield {
      level: "problem",
      subject: "database",
      message: messageIn(text) ?? `the service responds ${ready.status} to /readyz`,
      advice: "The service's log says why; look at its database and its disk.",
    };
  yield* partFindings(await untilKnown(cli, url, text));
}

/** Name servers that do not respond take longer than the service lets a probe wait. */
async function untilKnown(cli: Cli, url: string, text: string): Promise<Readiness> {
  let readiness = readinessIn(text);
  for (let left = EGRESS_LOOKS; left > 0 && readiness.egress === "unknown"; left--) {
    await pause(EGRESS_INTERVAL_MS, undefined, { signal: cli.signal });
    const again = await look(cli, `${url}/readyz`);
    if (again instanceof Error || !again.ok) break;
    readiness = readinessIn(await again.text());
  }
  return readiness;
}

async function look(cli: Cli, url: string): Promise<Response | Error> {
  try {
    return await fetch(url, {
      redirect: "manual",
      signal: AbortSignal.any([cli.signal, AbortSignal.timeout(LOOK_LIMIT_MS)]),
    });
  } catch (error) {
    if (cli.signal.aborted) throw error;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return cause instanceof Error ? cause : new Error(String(cause));
  }
}

/** Of services of earlier versions and of proxies, which respond with something else, less is known. */
function readinessIn(text: string): Readiness {
  try {
    return JSON.parse(text) as Readiness; // members are compared with what they may be
  } catch {
    return {};
  }
}

function messageIn(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { error?: { message?: string } }).error?.message;
  } catch {
    return undefined;
  }
}
