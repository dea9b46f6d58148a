/** One worker process and two, beside a process for the API: rows that wait for a service, and rows that compute. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { startBenchProcess, startBenchService } from "../support/service.ts";
import { processors } from "./runs.ts";
import { perSecond, times } from "./table.ts";
import type { Table } from "./table.ts";
import { finishedRun, secondsOf, uploadRows } from "./world.ts";
import type { World } from "./world.ts";

const RESPONSE_MS = 20;
/** What a person would set for a service that takes them all. */
const CALLS_AT_ONCE = 256;

if (process.argv[1] === import.meta.filename) serve();

export async function measureWorkers(
  world: World,
  table: Table,
  rows: { waiting: number; computing: number },
): Promise<void> {
  table.section(
    "A second worker process",
    `\`http\` rows wait ${RESPONSE_MS} ms each, ${CALLS_AT_ONCE} at once in the run. The processes share the machine with the database and the server that they call.`,
  );
  const server = fork(import.meta.filename);
  process.once("exit", () => server.kill());
  const [port] = (await once(server, "message")) as [number]; // what `serve` sends
  const settings = {
    ...world.settings,
    ROWMILL_CONNECTION_ALLOWED_ORIGINS: `http://127.0.0.1:${port}`,
  };
  await world.service.stop();
  const api = await startBenchService({ ...settings, ROWMILL_ROLE: "api" });
  const worker = (): ReturnType<typeof startBenchProcess> => startBenchProcess({ ...settings, ROWMILL_ROLE: "worker" });
  const first = await worker();
  world.service = api;
  const dataset = await uploadRows(api.rowmill, Math.max(rows.waiting, rows.computing));
  const kinds = {
    "`http` rows that wait": {
      count: rows.waiting,
      processor: { type: "http", method: "GET", url: `http://127.0.0.1:${port}/{{row.id}}` },
      goal: 1.9,
    },
    "`transform` rows": { count: rows.computing, processor: processors.transform, goal: 1 },
  } as const;
  const rates: Record<string, { one: number[]; two: number[] }> = {};
  for (let round = 0; round < world.sizes.rounds; round++)
    for (const workers of ["one", "two"] as const) {
      const second = workers === "two" ? await worker() : undefined;
      for (const [name, { count, processor }] of Object.entries(kinds)) {
        const jobSpec = await api.rowmill.jobSpecs.create({ name, processor });
        await finishedRun(api.rowmill, dataset, jobSpec.id, Math.min(count, 1_000));
        const ended = await finishedRun(api.rowmill, dataset, jobSpec.id, count, { concurrency: CALLS_AT_ONCE });
        (rates[name] ??= { one: [], two: [] })[workers].push(count / secondsOf(ended));
      }
      await second?.stop();
    }
  for (const [name, { goal }] of Object.entries(kinds)) {
    const { one, two } = rates[name] ?? { one: [], two: [] };
    table.add({ what: `${name}, one worker`, samples: one, show: perSecond });
    table.add({ what: `${name}, two workers`, samples: two, show: perSecond });
    table.add({
      what: `${name}, two ÷ one`,
      samples: two.map((rate, i) => rate / (one[i] ?? Number.NaN)),
      show: times,
      goal: { least: goal },
    });
  }
  await first.stop();
  await api.stop();
  server.kill();
}

/** The other process: responds to each request after a while. */
function serve(): void {
  const server = createServer((request, response) => {
    request.resume();
    setTimeout(
      () => response.writeHead(200, { "content-type": "application/json" }).end('{"score":0.75}'),
      RESPONSE_MS,
    );
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port)); // it listens on TCP
  process.once("disconnect", () => process.exit());
}
