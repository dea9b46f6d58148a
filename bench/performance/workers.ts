/** One worker process and two, beside a process for the API: rows that wait for a service, and rows that compute. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { cpus } from "node:os";
import type { Run } from "@rowmill/client";
import { startBenchProcess, startBenchService } from "../support/service.ts";
import { processors } from "./run-times.ts";
import { perSecond, percent, times } from "./table.ts";
import type { Table } from "./table.ts";
import { finishedRun, secondsOf, uploadRows } from "./world.ts";
import type { World } from "./world.ts";

const RESPONSE_MS = 20;
/**
 * A run has four lanes, which share its calls at once. Each worker process takes one of them at a time (`LANES_AT_ONCE`), so that it has
 * `CALLS_OF_PROCESS` calls at once whatever else there is: a second process adds as many, if nothing that both need holds it up.
 * Where one process could take all lanes, it would already use all processors of a small machine.
 */
const LANES_AT_ONCE = 1;
const CALLS_OF_PROCESS = 32;
const CALLS_OF_RUN = 4 * CALLS_OF_PROCESS;
/**
 * Runs before each measurement, each of as many rows as are measured: the second process is new, the first one has computed a million rows.
 * A new process compiles its code while it computes. A row of its first runs of 200,000, which it shares with the first one, costs both
 * together 21, 15, 13.4, 12.8, 11.1, 12.0, 11.4 and 10.1 µs of processor time, where the first one alone takes 10.3.
 */
const WARM_RUNS = 8;

if (process.argv[1] === import.meta.filename) serve();

export async function measureWorkers(
  world: World,
  table: Table,
  rows: { waiting: number; computing: number },
): Promise<void> {
  table.section(
    "A second worker process",
    [
      `\`http\` rows wait ${RESPONSE_MS} ms each. A process has ${CALLS_OF_PROCESS} of them in flight (\`ROWMILL_WAITING_LANES=${LANES_AT_ONCE}\`, a run with \`concurrency\` ${CALLS_OF_RUN}), so that one leaves the processors idle: what is measured is`,
      "whether a second process adds its full share. With the default settings one process has all of a run's rows in flight, and a second one adds nothing until its processor is full.",
      `\`transform\` rows fill both processors with one process: there a second one must only cost nothing. It has had ${WARM_RUNS} such runs before, with the first one.`,
      "The processes share the machine with the database and the server that they call. The use of the processors is that of the whole machine.",
    ].join("\n"),
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
  const worker = (): ReturnType<typeof startBenchProcess> =>
    startBenchProcess({ ...settings, ROWMILL_ROLE: "worker", ROWMILL_WAITING_LANES: String(LANES_AT_ONCE) });
  const first = await worker();
  world.service = api;
  const dataset = await uploadRows(api.rowmill, Math.max(rows.waiting, rows.computing));
  const kinds = {
    "`http` rows that wait": {
      count: rows.waiting,
      processor: { type: "http", method: "GET", url: `http://127.0.0.1:${port}/{{row.id}}` },
      options: { concurrency: CALLS_OF_RUN },
      warmRuns: [1_000],
      goal: 1.9,
    },
    "`transform` rows": {
      count: rows.computing,
      processor: processors.transform,
      options: {},
      warmRuns: Array.from({ length: WARM_RUNS }, () => rows.computing),
      goal: 1,
    },
  } as const;
  const measured: Record<string, Record<"one" | "two", { rate: number; busy: number }[]>> = {};
  for (let round = 0; round < world.sizes.rounds; round++)
    for (const workers of ["one", "two"] as const) {
      const second = workers === "two" ? await worker() : undefined;
      for (const [name, { count, processor, options, warmRuns }] of Object.entries(kinds)) {
        const jobSpec = await api.rowmill.jobSpecs.create({ name, processor });
        const run = (rows: number): Promise<Run> => finishedRun(api.rowmill, dataset, jobSpec.id, rows, options);
        for (const warm of warmRuns) await run(Math.min(count, warm));
        const busyShare = watchProcessors();
        const ended = await run(count);
        (measured[name] ??= { one: [], two: [] })[workers].push({ rate: count / secondsOf(ended), busy: busyShare() });
      }
      await second?.stop();
    }
  for (const [name, { goal }] of Object.entries(kinds)) {
    const { one, two } = measured[name] ?? { one: [], two: [] };
    for (const [samples, workers] of [
      [one, "one worker"],
      [two, "two workers"],
    ] as const) {
      table.add({ what: `${name}, ${workers}`, samples: samples.map(({ rate }) => rate), show: perSecond });
      table.add({ what: "processors in use meanwhile", samples: samples.map(({ busy }) => busy), show: percent });
    }
    table.add({
      what: `${name}, two ÷ one`,
      samples: two.map(({ rate }, i) => rate / (one[i]?.rate ?? Number.NaN)),
      show: times,
      goal: { least: goal },
    });
  }
  await first.stop();
  await api.stop();
  server.kill();
}

/** From now on: the share of the machine's processors that was in use, by whomever. */
function watchProcessors(): () => number {
  const read = () => {
    const all = cpus().map(({ times: { user, nice, sys, irq, idle } }) => ({ busy: user + nice + sys + irq, idle }));
    return {
      busy: all.reduce((sum, { busy }) => sum + busy, 0),
      idle: all.reduce((sum, { idle }) => sum + idle, 0),
    };
  };
  const before = read();
  return () => {
    const now = read();
    const busy = now.busy - before.busy;
    return busy / (busy + now.idle - before.idle);
  };
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
