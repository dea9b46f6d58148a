import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { cleanUpLater } from "../testing/cleanup.ts";
import { waitFor } from "../testing/wait.ts";
import type { ScriptResponse, ScriptRequest } from "../testing/worker-script.ts";
import { childConditions } from "./program-files.ts";
import { workersClosed } from "./http/errors.ts";
import { ProcessNotStartedError } from "./process-not-started.ts";
import { readProcessorMs } from "./step-time.ts";
import { WorkerProcess } from "./worker-process.ts";

/** For requests that must not reach it, on a loaded machine. */
const LONG_MS = 60_000;

const worker = new WorkerProcess<ScriptRequest, ScriptResponse>({
  script: new URL("../testing/worker-script.ts", import.meta.url),
  maxHeapMegabytes: 64,
  closedError: workersClosed,
});
cleanUpLater(() => worker.close());

async function pidOf(): Promise<number> {
  const end = await worker.perform({ steps: 1, at: -1, what: "nothing" }, LONG_MS);
  if (end.outcome !== "responded") throw new Error(JSON.stringify(end));
  return end.response.pid;
}

test("one process serves one request after the other, without our environment", async () => {
  const end = await worker.perform({ steps: 1_000, at: -1, what: "nothing" }, LONG_MS);
  if (end.outcome !== "responded") throw new Error(JSON.stringify(end));
  expect(end.response.environment).not.toContain("PATH");
  expect(await pidOf()).toBe(end.response.pid);
});

test("a step that never ends is ended, and named, among many", async () => {
  const before = await pidOf();
  const end = await worker.perform({ steps: 5_000, at: 4_321, what: "hang" }, 1_500);
  expect(end).toMatchObject({ outcome: "ended", reason: "time", at: 4_321 });
  if (end.outcome !== "ended") return;
  // The results of what came before it.
  expect(end.results.size).toBe(4_321);
  expect(end.results.get(4_320)).toBe(4_321 % 256);
  expect(await pidOf()).not.toBe(before);
});

test.skipIf(process.platform !== "linux")(
  "a step that got no processor is not ended at its limit, as on a busy machine",
  async () => {
    const own = new WorkerProcess<ScriptRequest, ScriptResponse>({
      script: new URL("../testing/worker-script.ts", import.meta.url),
      maxHeapMegabytes: 64,
      maxStretch: 1_000,
      closedError: workersClosed,
    });
    onTestFinished(() => own.close());
    // Its own start is over: on a slow machine that alone would be more than the limit.
    const first = await own.perform({ steps: 1, at: -1, what: "nothing" }, LONG_MS);
    if (first.outcome !== "responded") throw new Error(JSON.stringify(first));
    let used = -1;
    await expect
      .poll(async () => {
        const before = used;
        used = (await readProcessorMs(first.response.pid)) ?? -1;
        return used === before;
      })
      .toBe(true);
    const paused = await own.perform({ steps: 3, at: 1, what: "pause" }, 200);
    expect(paused).toMatchObject({ outcome: "responded" });
    const hung = await own.perform({ steps: 3, at: 1, what: "hang" }, 200);
    expect(hung).toMatchObject({ outcome: "ended", reason: "time" });
  },
);

test("a step that takes all memory by the growth of one array ends its process, and not this one", async () => {
  const end = await worker.perform({ steps: 3, at: 1, what: "grow" }, LONG_MS);
  expect(end).toMatchObject({ outcome: "ended", reason: "memory", at: 1 });
  expect(await pidOf()).toBeGreaterThan(0);
});

test("a process that dies by itself is an error, and the next request has another", async () => {
  const end = await worker.perform({ steps: 1, at: 0, what: "exit" }, LONG_MS);
  expect(end).toMatchObject({ outcome: "broke", at: 0, error: { message: "a worker process ended with code 7" } });
  expect(await pidOf()).toBeGreaterThan(0);
});

test("the step at which a process dies by itself is named among many, and what came before it has its results", async () => {
  const end = await worker.perform({ steps: 5_000, at: 4_321, what: "exit" }, LONG_MS);
  expect(end).toMatchObject({ outcome: "broke", at: 4_321 });
  expect(end.outcome === "broke" ? end.results.size : undefined).toBe(4_321);
});

test("the kill of a process by somebody else is no fault of its request, which is done by the next one", async () => {
  const pid = await pidOf();
  const ended = worker.perform({ steps: 3, at: 1, what: "pause" }, LONG_MS);
  process.kill(pid, "SIGKILL");
  expect(await ended).toMatchObject({ outcome: "responded" });
});

test("after a restart the next request has another process, and after the end none", async () => {
  const own = new WorkerProcess<ScriptRequest, ScriptResponse>({
    script: new URL("../testing/worker-script.ts", import.meta.url),
    maxHeapMegabytes: 64,
    closedError: workersClosed,
  });
  const nothing = { steps: 1, at: -1, what: "nothing" } as const;
  const [first, second] = [await own.perform(nothing, LONG_MS), await own.restart()];
  expect(first.outcome).toBe("responded");
  expect(second).toBeUndefined();
  // A request may come to a slot that is being emptied for it when the service stops.
  const [emptied] = await Promise.allSettled([own.restart().then(() => own.perform(nothing, LONG_MS)), own.close()]);
  expect(emptied).toMatchObject({ status: "rejected", reason: { code: "service_unavailable" } });
});

test("what a process reports late is not counted in its next turn", async () => {
  expect(await worker.perform({ steps: 1, at: 0, what: "report_late" }, LONG_MS)).toMatchObject({
    outcome: "responded",
  });
  const end = await worker.perform({ steps: 2, at: 1, what: "hang" }, 500);
  expect(end).toEqual({
    outcome: "ended",
    reason: "time",
    at: 1,
    results: new Map([[0, 1]]),
    workedMs: expect.any(Number) as number,
  });
});

test("a request that cannot be sent rejects, and the next one has its turn", async () => {
  const unsendable = { steps: 1, at: -1, what: "nothing", more: () => {} } as const;
  await expect(worker.perform(unsendable, LONG_MS)).rejects.toThrow("could not be cloned");
  expect(await pidOf()).toBeGreaterThan(0);
});

test("a process that cannot be started since too many files are open rejects the turn, and does not end this process", async () => {
  const parent = startParent(
    `import { openSync, closeSync } from "node:fs";
     const open = [];
     try { for (;;) open.push(openSync("/dev/null")); } catch {}
     const refused = await worker.perform({ steps: 1, at: -1, what: "nothing" }, ${LONG_MS}).catch((error) => error.message);
     for (const file of open) closeSync(file);
     const end = await worker.perform({ steps: 1, at: -1, what: "nothing" }, ${LONG_MS});
     console.log(JSON.stringify([refused, end.outcome]));
     await worker.close();`,
    ["sh", "-c", 'ulimit -n 100 && exec "$@"', "sh"],
  );
  expect(JSON.parse(await text(parent.stdout))).toEqual([
    "a worker process could not be started: this process has too many open files; raise its limit (`ulimit -n`, `LimitNOFILE`) (EMFILE)",
    "responded",
  ]);
});

test("a process that dies before it has its request counts as one that cannot be started", async () => {
  const own = new WorkerProcess<ScriptRequest, ScriptResponse>({
    script: new URL("../testing/there-is-no-such-script.ts", import.meta.url),
    maxHeapMegabytes: 64,
    closedError: workersClosed,
  });
  onTestFinished(() => own.close());
  const refused = own.perform({ steps: 1, at: -1, what: "nothing" }, LONG_MS);
  await expect(refused).rejects.toThrow(ProcessNotStartedError);
  await expect(refused).rejects.toThrow("a worker process could not be started: a worker process ended with code 1");
});

test("an idle one does not keep its parent from ending", async () => {
  const parent = startParent(
    // Without the timer that ends an idle process, nothing but this process's own end does.
    `globalThis.setTimeout = () => ({ unref() {} });
     const end = await worker.perform({ steps: 1, at: -1, what: "nothing" }, ${LONG_MS});
     console.log(end.outcome);`,
  );
  expect(await once(parent, "exit")).toEqual([0, null]);
});

test("it reads nothing but the program", async () => {
  const end = await worker.perform({ steps: 1, at: 0, what: "read_file" }, LONG_MS);
  expect(end.outcome === "responded" ? end.response.text : undefined).toContain("restricted");
});

test("after the kill of its parent it ends, also in the middle of a step", async () => {
  const parent = startParent(
    `const end = await worker.perform({ steps: 1, at: -1, what: "nothing" }, ${LONG_MS});
     console.log(end.response.pid);
     await worker.perform({ steps: 1, at: 0, what: "hang" }, ${LONG_MS});`,
  );
  const [line] = (await once(createInterface({ input: parent.stdout }), "line")) as [string];
  const pid = Number(line);
  expect(isAlive(pid)).toBe(true);
  parent.kill("SIGKILL");
  await waitFor(() => !isAlive(pid), { what: "the worker process has ended" });
});

/** A process with a `worker` of its own that runs this code. */
function startParent(code: string, before: readonly [string, ...string[]] = ["env"]) {
  const [command, ...args]: [string, ...string[]] = [
    ...before,
    process.execPath,
    ...childConditions,
    "--input-type=module",
    "-e",
    `import { WorkerProcess } from ${JSON.stringify(new URL("./worker-process.ts", import.meta.url).href)};
     const worker = new WorkerProcess({ script: new URL("../testing/worker-script.ts", ${JSON.stringify(import.meta.url)}), maxHeapMegabytes: 64, closedError: () => new Error("closed") });
     ${code}`,
  ];
  const parent = spawn(command, args, {
    stdio: ["ignore", "pipe", "inherit"],
    cwd: fileURLToPath(new URL(".", import.meta.url)),
  });
  cleanUpLater(async () => void parent.kill("SIGKILL"));
  return parent;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
