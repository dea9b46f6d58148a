/**
 * The limiter that all worker processes share, at its work: four worker processes, one database, and a process with providers
 * that allow 600 requests a minute (or 60 000 tokens), each counting in a way of its own, and each reporting more or less of it.
 *
 * 1. how much of the allowance is used, and how many of the requests are refused;
 * 2. permits a second of one process and of two where nothing is limited, and how long it takes to get there.
 *
 * `node --conditions=@rowmill/source bench/limiter.ts [seconds]`
 */
import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setImmediate as yieldOnce, setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Pool as HttpPool } from "undici";
import { openDatabase } from "@rowmill/server/platform/database/database";
import { startEmbeddedDatabase } from "@rowmill/server/platform/database/embedded/embedded-database";
import { migrateDatabase } from "@rowmill/server/platform/database/migrate";
import { formatId, newUuid } from "@rowmill/server/platform/ids";
import { createLog } from "@rowmill/server/platform/log";
import { readLearnedLimits } from "@rowmill/server/processors/limiter/learned-limits";
import { createLimiter } from "@rowmill/server/processors/limiter/limiter";
import type { CallEnd, Limiter } from "@rowmill/server/processors/limiter/permits";
import { windows } from "./support/allowances.ts";
import { verdict } from "./support/measure.ts";
import { makeGuardedFolder } from "./support/guarded-folder.ts";

const WORKERS = 4;
/** Of each worker and provider: far more than the allowance needs. */
const CALLERS = 8;
const PER_MINUTE = 600;
const TOKENS_PER_MINUTE = 60_000;
const EXPECTED_TOKENS = 100;
/** Responses take between a third and all of that. */
const LATENCY_MS = 300;
/** What comes first is looked at by itself: what a provider allows must be found out first. */
const FIRST_SECONDS = 60;
const USE_TARGET = 0.95;
const REFUSED_TARGET = 0.01;

const FAST_CALLERS = 64;
const FAST_SECONDS = 6;
const FAST_TARGET = 2_000;
const RAMP_TARGET_SECONDS = 2;

/** What a provider reports: nothing but the status, when to come back, or its limits with each response. */
const reporting = ["nothing", "retry-after", "limits"] as const;
interface Provider {
  window: keyof typeof windows;
  reports: (typeof reporting)[number];
  isConfigured: boolean;
  countsTokens: boolean;
}
const providers: Provider[] = [
  ...(Object.keys(windows) as (keyof typeof windows)[]).flatMap((window) => [
    { window, reports: "retry-after" as const, isConfigured: true, countsTokens: false },
    { window, reports: "limits" as const, isConfigured: false, countsTokens: false },
    { window, reports: "retry-after" as const, isConfigured: false, countsTokens: false },
    { window, reports: "nothing" as const, isConfigured: false, countsTokens: false },
  ]),
  { window: "sliding minute", reports: "retry-after", isConfigured: true, countsTokens: true },
  { window: "bucket of a minute", reports: "limits", isConfigured: false, countsTokens: true },
];

/** What came of the requests to each provider so far. */
interface Tally {
  responses: number;
  refused: number;
  tokens: number;
}
interface FromServer {
  port: number;
  tallies: Tally[];
  /** From the first request to the latest. */
  seconds: number;
}
interface FromWorker {
  /** Permits in each tenth of a second. */
  permits: number[];
}
interface Task {
  databaseUrl: string;
  organizationId: string;
  connectionIds: string[];
  /** Of the providers; undefined: nothing is limited, and calls take no time. */
  port?: number;
  seconds: number;
}

if (process.argv[2] === "server") serve();
else if (process.argv[2] === "worker") process.once("message", (task: Task) => void work(task));
else await main(Number(process.argv[2] ?? 180));

function serve(): void {
  const allowances = providers.map(({ window, countsTokens }) =>
    windows[window](countsTokens ? TOKENS_PER_MINUTE : PER_MINUTE),
  );
  const tallies: Tally[] = providers.map(() => ({ responses: 0, refused: 0, tokens: 0 }));
  let firstAt = Infinity;
  let latestAt = -Infinity;
  const server = createServer((request, response) => {
    const [, index = "0", tokens = "0"] = (request.url ?? "").split("/");
    const [provider, allowance, tally] = [providers[Number(index)], allowances[Number(index)], tallies[Number(index)]];
    if (provider === undefined || allowance === undefined || tally === undefined) return response.writeHead(404).end();
    const now = performance.now();
    firstAt = Math.min(firstAt, now);
    latestAt = now;
    const waitMs = allowance.take(provider.countsTokens ? Number(tokens) : 1, now);
    const headers: Record<string, string> = {};
    if (provider.reports === "limits") {
      const { remaining, resetMs } = allowance.left(now);
      const unit = provider.countsTokens ? "tokens" : "requests";
      headers[`x-ratelimit-limit-${unit}`] = String(provider.countsTokens ? TOKENS_PER_MINUTE : PER_MINUTE);
      headers[`x-ratelimit-remaining-${unit}`] = String(remaining);
      headers[`x-ratelimit-reset-${unit}`] = `${(resetMs / 1000).toFixed(3)}s`;
    }
    if (waitMs === undefined) {
      tally.responses++;
      tally.tokens += Number(tokens);
      setTimeout(() => response.writeHead(200, headers).end(), (LATENCY_MS * (1 + 2 * Math.random())) / 3);
    } else {
      tally.refused++;
      if (provider.reports !== "nothing") headers["retry-after-ms"] = String(Math.ceil(waitMs));
      response.writeHead(429, headers).end();
    }
    return undefined;
  });
  let port = 0;
  const report = () => process.send?.({ port, tallies, seconds: (latestAt - firstAt) / 1000 } satisfies FromServer);
  server.listen(0, "127.0.0.1", 4096, () => {
    port = (server.address() as AddressInfo).port; // it listens on TCP
    report();
  });
  process.on("message", report);
}

async function work(task: Task): Promise<void> {
  const database = openDatabase(task.databaseUrl, { max: 4, onError: (error) => console.error(error) });
  const limiter = createLimiter({ database, log: createLog("warn") });
  const { port } = task;
  const permits: number[] = [];
  if (port === undefined) await callNobody(limiter, task, permits);
  else await callProviders(limiter, task, port);
  await limiter.close();
  await database.close();
  process.send?.({ permits } satisfies FromWorker);
  process.disconnect();
}

async function callProviders(limiter: Limiter, task: Task, port: number): Promise<void> {
  const stopping = AbortSignal.timeout(task.seconds * 1000);
  const http = new HttpPool(`http://127.0.0.1:${port}`, { connections: 256 });
  const caller = async (index: number, { isConfigured, countsTokens }: Provider): Promise<void> => {
    const rateLimit = {
      requestsPerMinute: isConfigured && !countsTokens ? PER_MINUTE : null,
      tokensPerMinute: isConfigured && countsTokens ? TOKENS_PER_MINUTE : null,
    };
    const connection = { organizationId: task.organizationId, id: task.connectionIds[index] ?? "", rateLimit };
    while (!stopping.aborted) {
      const permit = await limiter.acquire(
        { connection, model: "bench", tokens: countsTokens ? EXPECTED_TOKENS : 0 },
        stopping,
      );
      const tokens = countsTokens ? Math.round(EXPECTED_TOKENS * (0.5 + Math.random())) : 0;
      const { statusCode, headers, body } = await http.request({ method: "GET", path: `/${index}/${tokens}` });
      await body.dump();
      permit.settle(endOf(statusCode, headers, tokens));
    }
  };
  await Promise.allSettled(
    providers.flatMap((provider, index) => Array.from({ length: CALLERS }, () => caller(index, provider))),
  );
  await http.close();
}

function endOf(status: number, headers: IncomingHttpHeaders, tokens: number): CallEnd {
  const learned = readLearnedLimits(
    Object.fromEntries(
      Object.entries(headers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
    ),
  );
  const wait = headers["retry-after-ms"];
  return {
    outcome: status === 200 ? "responded" : "rate_limited",
    tokens: status === 200 ? tokens : 0,
    ...(wait === undefined ? {} : { retryAfterMs: Number(wait) }),
    ...(learned === undefined ? {} : { learned }),
  };
}

async function callNobody(limiter: Limiter, task: Task, permits: number[]): Promise<void> {
  const startedAt = performance.now();
  const connection = {
    organizationId: task.organizationId,
    id: task.connectionIds[0] ?? "",
    rateLimit: { requestsPerMinute: null, tokensPerMinute: null },
  };
  const never = new AbortController().signal;
  const caller = async (): Promise<void> => {
    for (;;) {
      const permit = await limiter.acquire({ connection, model: "bench", tokens: 0 }, never);
      const tenth = Math.floor((performance.now() - startedAt) / 100);
      permits[tenth] = (permits[tenth] ?? 0) + 1;
      await yieldOnce();
      permit.settle({ outcome: "responded" });
      if (tenth >= task.seconds * 10) return;
    }
  };
  await Promise.all(Array.from({ length: FAST_CALLERS }, caller));
}

async function main(seconds: number): Promise<void> {
  const folder = makeGuardedFolder("rowmill-bench-limiter-");
  const embedded = await startEmbeddedDatabase({ dataDirectory: join(folder, "postgres") });
  const children: ChildProcess[] = [];
  const start = (role: string): ChildProcess => {
    const child = fork(fileURLToPath(import.meta.url), [role]);
    children.push(child);
    return child;
  };
  // A benchmark that fails takes its processes along.
  process.once("exit", () => {
    for (const child of children) child.kill("SIGKILL");
  });
  try {
    const database = openDatabase(embedded.connectionString, { max: 2, onError: (error) => console.error(error) });
    await migrateDatabase(
      database.pool,
      new URL("platform/database/migrations/", import.meta.resolve("@rowmill/server/main")),
    );
    const newTask = (connections: number): Omit<Task, "seconds"> => ({
      databaseUrl: embedded.connectionString,
      organizationId: newUuid(),
      connectionIds: Array.from({ length: connections }, () => formatId("connection", newUuid())),
    });
    const isUsed = await measureUse(start, { ...newTask(providers.length), seconds });
    const isFast = await measureSpeed(start, () => ({ ...newTask(1), seconds: FAST_SECONDS }));
    await database.close();
    if (!isUsed || !isFast) process.exitCode = 1;
  } finally {
    for (const child of children) child.kill();
    await embedded.stop();
    await rm(folder, { recursive: true });
  }
}

async function measureUse(start: (role: string) => ChildProcess, task: Task): Promise<boolean> {
  const server = start("server");
  const ask = async (): Promise<FromServer> => {
    const [reply] = (await once(server, "message")) as [FromServer];
    return reply;
  };
  const { port } = await ask();
  const workers = Array.from({ length: WORKERS }, () => start("worker"));
  for (const worker of workers) worker.send({ ...task, port } satisfies Task);
  const tally = async (): Promise<FromServer> => {
    server.send("report");
    return await ask();
  };
  const ended = workers.map((worker) => once(worker, "message"));
  await pause(Math.min(FIRST_SECONDS, task.seconds / 2) * 1000);
  const first = await tally();
  await Promise.all(ended);
  const last = await tally();
  const misses = report(first, last);
  console.log(
    `use >= ${USE_TARGET * 100} %, refused < ${REFUSED_TARGET * 100} %, limit configured or reported: ` +
      verdict(misses === 0, "every kind of provider"),
  );
  return misses === 0;
}

/** Prints a line a provider; returns how many of those whose limit is known miss the targets. */
function report(first: FromServer, last: FromServer): number {
  const lateSeconds = last.seconds - first.seconds;
  const shareOf = (part: Tally, provider: Provider, during: number): string => {
    const { use, refused } = rate(part, provider, during);
    return `${(use * 100).toFixed(1).padStart(6)} % ${(refused * 100).toFixed(2).padStart(6)} %`;
  };
  console.log(
    `${"provider".padEnd(28)}${"known".padEnd(14)}first ${Math.round(first.seconds)} s: used, refused   ${Math.round(lateSeconds)} s after: used, refused`,
  );
  let misses = 0;
  for (const [index, provider] of providers.entries()) {
    const [early, all] = [first.tallies[index], last.tallies[index]];
    if (early === undefined || all === undefined) continue;
    const late: Tally = {
      responses: all.responses - early.responses,
      refused: all.refused - early.refused,
      tokens: all.tokens - early.tokens,
    };
    const known = provider.isConfigured ? "configured" : provider.reports;
    console.log(
      `${`${provider.window}${provider.countsTokens ? ", tokens" : ""}`.padEnd(28)}${known.padEnd(14)}` +
        `${shareOf(early, provider, first.seconds).padStart(26)}   ${shareOf(late, provider, lateSeconds)}`,
    );
    const { use, refused } = rate(late, provider, lateSeconds);
    const isKnown = provider.isConfigured || provider.reports === "limits";
    if (isKnown && !provider.countsTokens && (use < USE_TARGET || refused >= REFUSED_TARGET)) misses++;
  }
  return misses;
}

function rate(part: Tally, { countsTokens }: Provider, seconds: number): { use: number; refused: number } {
  const used = countsTokens ? part.tokens / TOKENS_PER_MINUTE : part.responses / PER_MINUTE;
  return { use: (used * 60) / seconds, refused: part.refused / Math.max(1, part.responses + part.refused) };
}

async function measureSpeed(start: (role: string) => ChildProcess, newTask: () => Task): Promise<boolean> {
  let isMet = true;
  for (const count of [1, 2]) {
    const task = newTask();
    const workers = Array.from({ length: count }, () => start("worker"));
    const ended = workers.map((worker) => once(worker, "message") as Promise<[FromWorker]>);
    for (const worker of workers) worker.send(task);
    for (const [{ permits }] of await Promise.all(ended)) {
      const ramp = permits.findIndex((permitted) => permitted >= FAST_TARGET / 10) / 10;
      const late = permits.slice((FAST_SECONDS * 10) / 2, FAST_SECONDS * 10);
      const perSecond = (late.reduce((sum, permitted) => sum + permitted, 0) / late.length) * 10;
      const isFast = perSecond >= FAST_TARGET && ramp >= 0 && ramp <= RAMP_TARGET_SECONDS;
      isMet &&= isFast;
      console.log(
        `no limit, ${count} of ${count} processes: ${Math.round(perSecond)} permits/s each, ${FAST_TARGET}/s after ${ramp.toFixed(1)} s: ` +
          verdict(isFast, `${FAST_TARGET}/s within ${RAMP_TARGET_SECONDS} s`),
      );
    }
  }
  return isMet;
}
