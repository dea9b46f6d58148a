/**
 * Rows per second of the `http` processor with 64 rows in flight, beside a bare loop over a pool of undici with 64 sockets, to
 * the same server on this machine, a process of its own. Both in turns, since the machine is never as fast twice; then the
 * processor alone for longer, to see whether its memory stays flat.
 *
 *     node --conditions=@rowmill/source bench/http.ts [requests a round]
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Pool } from "undici";
import { createConnectionEgress } from "@rowmill/server/platform/egress/connection-egress";
import type { Step } from "@rowmill/server/processors/processor";
import { createHttpProcessor } from "@rowmill/server/processors/http/http";
import { createLargeTexts } from "@rowmill/server/processors/large-texts";
import { median, megabytes, thousands, verdict } from "./support/measure.ts";

const IN_FLIGHT = 64;
const ROUNDS = 5;
const LONG_ROUNDS = 10;
const TARGET = 0.5;
/** Garbage that waits for its collection differs by so much from round to round. */
const MAX_GROWTH_BYTES = 32 * 2 ** 20;
const REQUESTS = Number(process.argv[2] ?? 30_000);

if (process.send === undefined) await measure();
else serve(process.send.bind(process));

/** The other process: responds to every request with the same small record. */
function serve(report: (message: unknown) => void): void {
  const reply = JSON.stringify({ id: 1, name: "Ada Lovelace", city: "London", score: 0.75 });
  const headers = { "content-type": "application/json", "content-length": reply.length };
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, headers).end(reply);
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1", () => report((server.address() as AddressInfo).port)); // it listens on TCP
}

async function measure(): Promise<void> {
  const server = fork(import.meta.filename);
  // A benchmark that fails takes its server along.
  process.once("exit", () => server.kill());
  const [port] = (await once(server, "message")) as [number]; // what `serve` sends
  const origin = `http://127.0.0.1:${port}`;
  const pool = new Pool(origin, { connections: IN_FLIGHT });
  const egress = createConnectionEgress({ allowedOrigins: new Set([origin]) });
  const step = await prepare(origin, egress);
  const never = new AbortController().signal;

  const bare = async (n: number): Promise<void> => {
    const reply = await pool.request({ method: "GET", path: `/records/${n}?source=bench` });
    await reply.body.json();
  };
  const row = async (n: number): Promise<void> => {
    const [outcome] = await step.processRows([{ index: n, text: `{"id":${n},"name":"row ${n}"}` }], never);
    if (outcome?.ok !== true) throw new Error(JSON.stringify(outcome));
  };

  for (const warmUp of [bare, row]) await perSecond(warmUp, REQUESTS / 3);
  const ratios: number[] = [];
  const rates = { bare: [] as number[], processor: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    const bareRate = await perSecond(bare, REQUESTS);
    const rowRate = await perSecond(row, REQUESTS);
    rates.bare.push(bareRate);
    rates.processor.push(rowRate);
    ratios.push(rowRate / bareRate);
  }
  const ratio = median(ratios);
  console.log(
    `${IN_FLIGHT} in flight: processor ${thousands(median(rates.processor))} rows/s, bare undici ${thousands(median(rates.bare))} requests/s, ` +
      `${ratio.toFixed(2)}x ${verdict(ratio >= TARGET, `at least ${TARGET}x`)}`,
  );

  const sizes: number[] = [];
  for (let round = 0; round < LONG_ROUNDS; round++) {
    await perSecond(row, REQUESTS);
    globalThis.gc?.();
    sizes.push(process.memoryUsage.rss());
  }
  const growth = (sizes.at(-1) ?? 0) - (sizes[1] ?? 0);
  console.log(
    `memory after ${LONG_ROUNDS * REQUESTS} rows: ${megabytes(sizes.at(-1) ?? 0)}, ${megabytes(growth)} more than after ${2 * REQUESTS}: ` +
      verdict(growth <= MAX_GROWTH_BYTES, `at most ${megabytes(MAX_GROWTH_BYTES)} more`),
  );
  await egress.close();
  await pool.close();
  server.kill();
}

function prepare(origin: string, egress: ReturnType<typeof createConnectionEgress>): Promise<Step> {
  const processor = createHttpProcessor({
    egress,
    connections: { find: () => Promise.resolve(undefined) },
    limiter: { acquire: () => Promise.reject(new Error("nobody asks")), close: () => Promise.resolve() },
    largeTexts: createLargeTexts(),
  });
  return processor.prepare(
    {
      type: "http",
      method: "GET",
      url: `${origin}/records/{{row.id}}?source=bench`,
      headers: { "x-name": "{{row.name}}" },
    },
    { organizationId: "org_bench", runId: "run_bench", rootRunId: "run_bench", retryNumber: 0 },
  );
}

/** So many calls, always so many of them in flight. */
async function perSecond(call: (n: number) => Promise<void>, count: number): Promise<number> {
  let next = 0;
  const startedAt = performance.now();
  const lane = async (): Promise<void> => {
    while (next < count) await call(next++);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  return count / ((performance.now() - startedAt) / 1000);
}
