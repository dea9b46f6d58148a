/** What can be wrong with the service that the commands use: its address, its database and store, the key, the clock, its connections. */
import type { Cli } from "../frame/command.ts";
import { explainError } from "../frame/explain-error.ts";
import { clientOf, findTarget } from "../frame/client.ts";
import type { Target } from "../frame/client.ts";
import { Problem } from "../frame/problem.ts";
import type { Finding } from "./finding.ts";

const LOOK_LIMIT_MS = 10_000;
/** Signatures of webhooks are refused by receivers whose clock is further away. */
const MAX_CLOCK_SECONDS = 60;
/** Slower ones make every command slow. */
const SLOW_MS = 2_000;

type Findings = AsyncGenerator<Finding, void, void>;

export async function* checkService(cli: Cli, areConnectionsTested: boolean): Findings {
  let target: Target | undefined;
  try {
    target = await findTarget(cli);
  } catch (error) {
    return yield problemOf("service", error);
  }
  if (target === undefined)
    return yield { level: "note", subject: "service", message: "none is named: `rowmill map` uses one of its own" };
  const { url } = target;
  const from = target.profile === undefined ? url : `${url} (profile ${target.profile})`;
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
  yield* checkKey(cli, target, areConnectionsTested);
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
  if (ready instanceof Error) return yield { level: "problem", subject: "readiness", message: ready.message };
  const text = await ready.text();
  if (ready.ok && isStoreAway(text))
    return yield {
      level: "problem",
      subject: "store",
      message: "cannot be used: uploads and downloads fail",
      advice: "The service's log says why: look at ROWMILL_STORAGE_URL, the keys, their rights and the network.",
    };
  if (ready.ok) return yield { level: "ok", subject: "readiness", message: "database, store and migrations" };
  yield {
    level: "problem",
    subject: "readiness",
    message: messageIn(text) ?? `the service responds ${ready.status} to /readyz`,
    advice: "The service's log says why; look at its database and its disk.",
  };
}

async function* checkKey(cli: Cli, target: Target, areConnectionsTested: boolean): Findings {
  const rowmill = await clientOf(target);
  const { signal } = cli;
  try {
    const me = await rowmill.me({ signal });
    if (me.kind === "admin")
      yield {
        level: "warning",
        subject: "key",
        message: "is the admin key",
        advice: "Use a key of an organization for data.",
      };
    else
      yield { level: "ok", subject: "key", message: `of ${me.organizationId ?? "?"}, with ${me.scopes.length} scopes` };
    if (!areConnectionsTested) return;
    for await (const { id, name } of rowmill.connections.list(undefined, { signal })) {
      const tested = await rowmill.connections.test(id, { signal });
      yield tested.ok
        ? { level: "ok", subject: `connection ${name}`, message: "responds" }
        : {
            level: "problem",
            subject: `connection ${name}`,
            message: tested.message ?? "does not respond",
            advice: "Correct its address or its key, with `rowmill connect`, `rowmill apply` or in the console.",
          };
    }
  } catch (error) {
    yield problemOf("key", error);
  }
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

function isStoreAway(text: string): boolean {
  try {
    return (JSON.parse(text) as { store?: string }).store === "unavailable";
  } catch {
    // Services of earlier versions, and proxies, respond with something else.
    return false;
  }
}

function messageIn(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { error?: { message?: string } }).error?.message;
  } catch {
    return undefined;
  }
}

function problemOf(subject: string, error: unknown): Finding {
  const problem = explainError(error);
  if (!(problem instanceof Problem)) throw problem;
  return { level: "problem", subject, message: problem.message, advice: problem.advice };
}
