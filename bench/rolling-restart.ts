/**
 * A rolling restart under load: two processes that serve the API and two that work, on one PostgreSQL and one folder, each at an address
 * of its own; SIGTERM for one after the other, twice, while clients create things and runs are processed. Clients do what is
 * asked of them: a request that gets no response, or 503, is repeated at the other address with the same Idempotency-Key.
 *
 * Reports how requests ended at their first attempt and in the end, and what the database has of what was acknowledged. Fails where
 * something is lost or doubled, or a response has another 5xx than 503.
 *
 *     npm run bench rolling-restart [--namespaces]
 *
 * `--namespaces`: each process in a Linux network namespace of its own, with its own address (as root). The folder of the store is
 * what they share.
 */
import { rmSync } from "node:fs";
import { randomBytes, randomUUID } from "node:crypto";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { setTimeout as pause } from "node:timers/promises";
import { Rowmill } from "@rowmill/client";
import { findPostgresql15, startPostgresql15 } from "../scripts/checks/postgresql-15.ts";
import { createNetworkNamespaces } from "./support/network-namespaces.ts";
import { startBenchProcess, startBenchService } from "./support/service.ts";
import { findFreePort } from "@rowmill/server/platform/free-port";
import { makeGuardedFolder } from "./support/guarded-folder.ts";

const ROUNDS = 2;
/** Far below what a small machine can do, so that only restarts delay requests. */
const REQUESTS_PER_SECOND = 10;
const ROWS_OF_RUN = 200;
/** As the client of Rowmill: 0.5 s at first; more often, since a process is away for seconds. */
const MAX_ATTEMPTS = 20;
const RETRY_PAUSE_MS = 300;

const binaries = findPostgresql15();
if (binaries === undefined) throw new Error("needs PostgreSQL 15 (on Debian: apt-get install postgresql-15)");
const { values: options } = parseArgs({ options: { namespaces: { type: "boolean", default: false } } });
const numbers = [2, 3, 4, 5];
const network = options.namespaces ? createNetworkNamespaces(numbers) : undefined;
process.once("exit", () => network?.remove());
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
const addressOf = network?.addressOf ?? ((number: number) => `127.0.0.${number}`);
const howToStart = (number: number) => (network === undefined ? {} : { commandPrefix: network.commandIn(number) });
const postgresql = await startPostgresql15(binaries, network);
const folder = makeGuardedFolder("rowmill-rolling-");
const port = await findFreePort("127.0.0.2");

const shared = {
  ROWMILL_DATABASE_URL: postgresql.connectionString,
  ROWMILL_STORAGE_URL: `file://${join(folder, "store")}`,
  ROWMILL_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
  ROWMILL_DATABASE_CONNECTIONS: "10",
  ROWMILL_RATE_LIMIT_PER_MINUTE: "0",
  ROWMILL_PORT: String(port),
};
const settingsOf = (number: number) => ({
  ...shared,
  ROWMILL_ROLE: number <= 3 ? "api" : "worker",
  ROWMILL_HOST: addressOf(number),
  ROWMILL_DATA_DIR: join(folder, String(number)),
});

const first = await startBenchService(settingsOf(2), howToStart(2));
const processes = new Map<number, { url: string; stop(): Promise<void> }>([[2, first]]);
for (const number of numbers.slice(1))
  processes.set(number, await startBenchProcess(settingsOf(number), howToStart(number)));
const addresses = [2, 3].map((number) => `http://${addressOf(number)}:${port}`);

const firstAttempts = new Map<string, number>();
const ends = new Map<string, number>();
const count = (map: Map<string, number>, key: string): void => void map.set(key, (map.get(key) ?? 0) + 1);
let mostAttempts = 0;
let longestMs = 0;
const acknowledged = new Set<string>();
const problems: string[] = [];
let sent = 0;

/** One request with its retries. Resolves with the body of the last response. */
async function request(method: string, path: string, body?: object): Promise<Record<string, unknown> | undefined> {
  const key = randomUUID();
  const begun = performance.now();
  const offset = sent++;
  for (let attempt = 1; ; attempt++) {
    const outcome = await send((addresses[(offset + attempt) % addresses.length] ?? "") + path, method, key, body);
    if (attempt === 1) count(firstAttempts, outcome.label);
    if (outcome.status >= 500 && outcome.status !== 503) problems.push(`${method} ${path}: ${outcome.label}`);
    const mayRetry = outcome.status === 0 || outcome.status === 503;
    if (mayRetry && attempt < MAX_ATTEMPTS) {
      await pause(RETRY_PAUSE_MS);
      continue;
    }
    mostAttempts = Math.max(mostAttempts, attempt);
    longestMs = Math.max(longestMs, performance.now() - begun);
    count(ends, outcome.label);
    if (mayRetry) problems.push(`${method} ${path}: ${outcome.label} after ${attempt} attempts`);
    return outcome.body;
  }
}

async function send(url: string, method: string, key: string, body?: object) {
  try {
    const response = await fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${first.apiKey}`,
        "content-type": "application/json",
        ...(method === "POST" ? { "idempotency-key": key } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const read = (await response.json()) as Record<string, unknown>; // every response of these paths is an object
    return { status: response.status, label: String(response.status), body: read };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "no response";
    return { status: 0, label: code, body: undefined };
  }
}

async function createSpec(): Promise<void> {
  const name = `spec ${randomUUID()}`;
  const created = await request("POST", "/v1/job-specs", { name, processor: { type: "mock" } });
  if (typeof created?.["id"] === "string") acknowledged.add(created["id"]);
}

const rowmill = new Rowmill({ apiKey: first.apiKey, baseUrl: addresses[0] ?? "", maxRetries: 10 });
const content = Array.from({ length: ROWS_OF_RUN }, (_, n) => `{"n":${n}}\n`).join("");
const dataset = await rowmill.datasets.upload({ name: "Rows", format: "jsonl", content });
const spec = await rowmill.jobSpecs.create({ name: "Rows", processor: { type: "mock", delayMs: 20 }, concurrency: 4 });
const runs: string[] = [];
async function createRun(): Promise<void> {
  const body = { datasetId: dataset.id, jobSpecId: spec.id, scope: { type: "all" } };
  const created = await request("POST", "/v1/runs", body);
  if (typeof created?.["id"] === "string") runs.push(created["id"]);
}

const over = new AbortController();
const inFlight = new Set<Promise<unknown>>();
const load = (async () => {
  for (let n = 0; !over.signal.aborted; n++) {
    const work =
      n % (REQUESTS_PER_SECOND * 2) === 0 ? createRun() : n % 2 === 0 ? createSpec() : request("GET", "/v1/runs");
    inFlight.add(work);
    void work.finally(() => inFlight.delete(work));
    await pause(1000 / REQUESTS_PER_SECOND);
  }
})();

const stops: string[] = [];
for (let round = 1; round <= ROUNDS; round++)
  for (const number of numbers) {
    await pause(2_000);
    const begun = performance.now();
    await processes.get(number)?.stop();
    const stoppedMs = performance.now() - begun;
    processes.set(number, await startBenchProcess(settingsOf(number), howToStart(number)));
    const awayMs = performance.now() - begun;
    stops.push(`${settingsOf(number).ROWMILL_ROLE} ${stoppedMs.toFixed(0)}/${awayMs.toFixed(0)}`);
  }
over.abort();
await load;
await Promise.all(inFlight);

let doubled = 0;
for (const id of runs) {
  const run = await rowmill.runs.waitFor(id);
  if (run.state !== "succeeded" || run.rows.succeeded !== ROWS_OF_RUN) problems.push(`${id}: ${run.state}`);
  const indexes = new Set<number>();
  let outputs = 0;
  for await (const output of rowmill.runs.outputs(id)) {
    outputs++;
    indexes.add(output.index);
  }
  if (outputs !== indexes.size) doubled++;
  if (indexes.size !== ROWS_OF_RUN) problems.push(`${id}: ${indexes.size} outputs`);
}
const stored = new Set<string>();
for await (const { id, name } of rowmill.jobSpecs.list()) if (name.startsWith("spec ")) stored.add(id);
const lost = [...acknowledged].filter((id) => !stored.has(id)).length;
const extra = [...stored].filter((id) => !acknowledged.has(id)).length;

const show = (map: Map<string, number>): string => [...map].map(([key, n]) => `${key} ${n}`).join(", ");
console.log(`restarts (ms until it has ended / until it serves again): ${stops.join(", ")}`);
console.log(`requests ${sent}; first attempts: ${show(firstAttempts)}; in the end: ${show(ends)}`);
console.log(`most attempts of a request ${mostAttempts}, longest ${longestMs.toFixed(0)} ms`);
console.log(
  `created ${acknowledged.size}: lost ${lost}, doubled ${extra}; runs ${runs.length} of ${ROWS_OF_RUN} rows: with doubled rows ${doubled}`,
);
for (const problem of problems) console.log(`problem: ${problem}`);

for (const each of processes.values()) await each.stop();
postgresql.stop();
rmSync(folder, { recursive: true, force: true });
process.exit(problems.length + lost + extra + doubled === 0 ? 0 : 1);
