/**
 * Webhook deliveries of one process, receivers in a second one, the embedded database beside them:
 *
 * 1. deliveries a second to receivers that respond at once, against a bare undici loop that posts the same body over the same
 *    TLS, one connection a request;
 * 2. milliseconds from an event to the first byte at its receivers: 50 endpoints of one organization, all well, and then with
 *    10 of them that never respond.
 *
 * `node --conditions=@rowmill/source bench/webhooks.ts [deliveries]`
 */
import { fork, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client as DatabaseClient } from "pg";
import { Client as HttpClient } from "undici";
import { startEmbeddedDatabase } from "@rowmill/server/platform/database/embedded/embedded-database";
import { newUuid, parseId } from "@rowmill/server/platform/ids";
import { EVENTS_CHANNEL, makeEnvelope } from "@rowmill/server/resources/events/events";
import { createTestAuthority } from "@rowmill/server/testing/certificates";
import { makeGuardedFolder } from "./support/guarded-folder.ts";

/** For the rate: more than one, since an organization has a cap of its own. */
const ORGANIZATIONS = 8;
const ENDPOINTS_EACH = 5;
/** For the latency: one organization, the harder case. */
const LATENCY_ENDPOINTS = 50;
const DEAD_ENDPOINTS = 10;
const LATENCY_EVENTS = 60;
const LATENCY_PAUSE_MS = 500;
/** Alternating, and the median of each: other work on the machine comes and goes. */
const LATENCY_ROUNDS = 3;
const BARE_CONCURRENCY = 64;
const ADMIN_KEY = "rma_benchmark00000000000000000000";

interface FromReceiver {
  port: number;
  /** Milliseconds from each event to its first byte at the receiver. */
  latencies: number[];
}

if (process.argv[2] === "receiver") serveReceiver();
else await main(Number(process.argv[2] ?? 8_000));

/** One server under all names. Requests below /dead get no response. */
function serveReceiver(): void {
  const [key = "", cert = ""] = process.argv.slice(3);
  let latencies: number[] = [];
  let port = 0;
  const server = createServer({ key, cert }, (request, response) => {
    const at = performance.timeOrigin + performance.now();
    if (request.url?.startsWith("/dead") === true) return;
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { createdAt } = JSON.parse(Buffer.concat(chunks).toString()) as { createdAt: string };
      latencies.push(at - Date.parse(createdAt));
      response.writeHead(200).end();
    });
  });
  const report = () => process.send?.({ port, latencies } satisfies FromReceiver);
  server.listen(0, "127.0.0.1", 4096, () => {
    port = (server.address() as AddressInfo).port; // it listens on TCP
    report();
  });
  process.on("message", () => {
    report();
    latencies = [];
  });
}

async function main(deliveries: number): Promise<void> {
  const folder = makeGuardedFolder("rowmill-bench-webhooks-");
  const hosts = Array.from({ length: LATENCY_ENDPOINTS }, (_, i) => `hooks-${i}.example.com`);
  const authority = createTestAuthority();
  const { key, cert } = authority.issue({ hosts });
  await writeFile(join(folder, "ca.pem"), authority.cert);
  const receiver = fork(fileURLToPath(import.meta.url), ["receiver", key, cert]);
  const embedded = await startEmbeddedDatabase({ dataDirectory: join(folder, "postgres") });
  const database = new DatabaseClient({ connectionString: embedded.connectionString });
  let service: ChildProcess | undefined;
  try {
    await database.connect();
    const { port } = await messageOf(receiver);
    const started = await startService({
      ROWMILL_PORT: "0",
      ROWMILL_DATA_DIR: join(folder, "data"),
      ROWMILL_DATABASE_URL: embedded.connectionString,
      ROWMILL_ADMIN_KEY: ADMIN_KEY,
      ROWMILL_LOG_LEVEL: "warn",
      ROWMILL_EGRESS_CONNECT_OVERRIDES: hosts.map((host) => `${host}:443=127.0.0.1:${port}`).join(","),
      ROWMILL_EGRESS_EXTRA_CA: join(folder, "ca.pem"),
    });
    service = started.child;
    const bench: Bench = { url: started.url, database, receiver, hosts };

    const sender: Bare = { host: hosts[0] ?? "", port, ca: authority.cert, count: Math.min(deliveries, 4_000) };
    await measureRate(bench, 2_000);
    const bare = [await measureBare(sender)];
    const own = await measureRate(bench, deliveries);
    bare.push(await measureBare(sender));
    const limit = bare.reduce((sum, rate) => sum + rate, 0) / bare.length;
    console.log(
      `${own.toFixed(0)} deliveries/s; bare undici ${bare.map((rate) => rate.toFixed(0)).join(" and ")} requests/s: ratio ${(own / limit).toFixed(2)}`,
    );
    const well: Latency[] = [];
    const ill: Latency[] = [];
    for (let round = 0; round < LATENCY_ROUNDS; round += 1) {
      well.push(await measureLatency(bench, 0));
      ill.push(await measureLatency(bench, DEAD_ENDPOINTS));
    }
    console.log(
      `event to first byte, ${LATENCY_ENDPOINTS} endpoints: ${say(well)}; with ${DEAD_ENDPOINTS} that never respond: ${say(ill)}; ` +
        `p99 ${(median(ill.map(({ p99 }) => p99)) / median(well.map(({ p99 }) => p99))).toFixed(2)} of it`,
    );
  } finally {
    service?.kill("SIGTERM");
    if (service !== undefined) await once(service, "exit");
    await database.end();
    await embedded.stop();
    receiver.kill();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Bench {
  url: string;
  database: DatabaseClient;
  receiver: ChildProcess;
  hosts: string[];
}

async function startService(settings: Record<string, string>): Promise<{ child: ChildProcess; url: string }> {
  const main = fileURLToPath(new URL("../packages/server/src/main.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=@rowmill/source", main], {
    env: { PATH: process.env["PATH"], ...settings },
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface(child.stdout)) {
    const url = / listens on (http:\S+)$/.exec(line)?.[1];
    if (url === undefined) continue;
    child.stdout.resume();
    return { child, url };
  }
  throw new Error("the service ended at its start");
}

async function messageOf(child: ChildProcess): Promise<FromReceiver> {
  const [message] = (await once(child, "message")) as [FromReceiver];
  return message;
}

interface Bare {
  host: string;
  port: number;
  ca: string;
  count: number;
}

/** What undici alone can do: a new connection, one request, its response, and the connection closed. */
async function measureBare({ host, port, ca, count }: Bare): Promise<number> {
  const body = Buffer.from(makeEvent("00000000-0000-7000-8000-000000000000").payload);
  let left = count;
  const startedAt = performance.now();
  const lane = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const client = new HttpClient(`https://127.0.0.1:${port}`, { connect: { ca, servername: host }, pipelining: 0 });
      const reply = await client.request({ method: "POST", path: "/bare", headers: { host }, body });
      await reply.body.dump();
      await client.close();
    }
  };
  await Promise.all(Array.from({ length: BARE_CONCURRENCY }, lane));
  return count / ((performance.now() - startedAt) / 1000);
}

/** From the commit of the events until the last delivery of them is recorded. */
async function measureRate(bench: Bench, deliveries: number): Promise<number> {
  const eventsEach = Math.ceil(deliveries / (ORGANIZATIONS * ENDPOINTS_EACH));
  const organizations: string[] = [];
  for (let i = 0; i < ORGANIZATIONS; i += 1) organizations.push(await newOrganization(bench, ENDPOINTS_EACH, 0));
  const startedAt = performance.now();
  await insertEvents(
    bench.database,
    Array.from({ length: eventsEach }, () => organizations.map((organization) => makeEvent(organization))).flat(),
  );
  const total = eventsEach * ORGANIZATIONS * ENDPOINTS_EACH;
  await untilSucceeded(bench.database, organizations, total);
  return total / ((performance.now() - startedAt) / 1000);
}

async function untilSucceeded(database: DatabaseClient, organizations: string[], total: number): Promise<void> {
  for (;;) {
    const { rows } = await database.query<{ n: number }>(
      "select count(*)::int as n from webhook_deliveries where organization_id = any($1::uuid[]) and status = 'succeeded'",
      [organizations],
    );
    if (rows[0]?.n === total) return;
    await pause(25);
  }
}

interface Latency {
  p50: number;
  p99: number;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function say(rounds: Latency[]): string {
  const [p50, p99] = [median(rounds.map((round) => round.p50)), median(rounds.map((round) => round.p99))];
  return `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms (${rounds.map((round) => round.p99.toFixed(0)).join(", ")})`;
}

/** Events one after the other, each to all endpoints of one organization. Those that never respond are not measured. */
async function measureLatency(bench: Bench, dead: number): Promise<Latency> {
  const organization = await newOrganization(bench, LATENCY_ENDPOINTS, dead);
  bench.receiver.send("count");
  await messageOf(bench.receiver);
  for (let i = 0; i < LATENCY_EVENTS; i += 1) {
    await insertEvents(bench.database, [makeEvent(organization)]);
    await pause(LATENCY_PAUSE_MS);
  }
  await untilSucceeded(bench.database, [organization], LATENCY_EVENTS * (LATENCY_ENDPOINTS - dead));
  bench.receiver.send("count");
  const { latencies } = await messageOf(bench.receiver);
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

/** With so many endpoints; the first of them never respond. Returns its UUID. */
async function newOrganization(bench: Bench, endpoints: number, dead: number): Promise<string> {
  const organization = await post<{ id: string }>(bench, ADMIN_KEY, "/v1/organizations", { name: "Benchmark" });
  const path = `/v1/organizations/${organization.id}/api-keys`;
  const { key } = await post<{ key: string }>(bench, ADMIN_KEY, path, { name: "Benchmark", scopes: ["*"] });
  for (let i = 0; i < endpoints; i += 1) {
    const url = `https://${bench.hosts[i % bench.hosts.length]}/${i < dead ? "dead" : "well"}/${i}`;
    await post(bench, key, "/v1/webhook-endpoints", { url, eventTypes: ["*"] });
  }
  return parseId("organization", organization.id) ?? "";
}

async function post<Reply>({ url }: Bench, key: string, path: string, body: object): Promise<Reply> {
  const reply = await fetch(url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "idempotency-key": newUuid() },
    body: JSON.stringify(body),
  });
  if (reply.status !== 201) throw new Error(`POST ${path} responded ${reply.status}: ${await reply.text()}`);
  return (await reply.json()) as Reply; // the contract's shape
}

interface BenchEvent {
  organization: string;
  id: string;
  payload: string;
  now: Date;
}

function makeEvent(organization: string): BenchEvent {
  const id = newUuid();
  const now = new Date();
  const run = "run_01jd3v8m7qe6t9yb4c2xk5w0hz";
  const data = { object: "run", id: run, url: `/v1/runs/${run}`, state: "succeeded" } as const;
  const envelope = makeEnvelope({ organizationId: organization, type: "run.succeeded", data }, id, now, false);
  return { organization, id, payload: JSON.stringify(envelope), now };
}

/** As the service records its own. */
async function insertEvents(database: DatabaseClient, events: BenchEvent[]): Promise<void> {
  await database.query(
    `with inserted as (
       insert into events (organization_id, id, type, payload, created_at)
       select organization, id, 'run.succeeded', payload, now from jsonb_to_recordset($1::jsonb)
         as e (organization uuid, id uuid, payload text, now timestamptz) returning 1)
     select pg_notify($2, '') from (select count(*) from inserted) done`,
    [JSON.stringify(events), EVENTS_CHANNEL],
  );
}
