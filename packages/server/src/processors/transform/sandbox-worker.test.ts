import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { PASSED_BYTES } from "./passed-text.ts";
import { PROGRESS_BYTES } from "./sandbox-protocol.ts";

/** Notes in `workerData.isLoaded` that the engine's JavaScript, which is imported when the first engine is started, is loaded. */
const NOTE_LOADING = `
  import { registerHooks } from "node:module";
  import { workerData } from "node:worker_threads";
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (url.includes("emscripten-module")) workerData.isLoaded[0] = 1;
      return loaded;
    },
  });
`;

test("a thread is ready once its first engine has started, which no customer's code pays for", async () => {
  const isLoaded = new Uint8Array(new SharedArrayBuffer(1));
  const [progress, rows, outputs] = [PROGRESS_BYTES, PASSED_BYTES, PASSED_BYTES].map(
    (bytes) => new SharedArrayBuffer(bytes),
  );
  const worker = new Worker(new URL("./sandbox-worker.ts", import.meta.url), {
    workerData: { progress, rows, outputs, isLoaded },
    execArgv: ["--import", `data:text/javascript,${encodeURIComponent(NOTE_LOADING)}`],
  });
  onTestFinished(async () => void (await worker.terminate()));
  expect(await once(worker, "message")).toEqual([{ type: "ready" }]);
  expect(isLoaded[0]).toBe(1);
  worker.postMessage({ type: "check", code: "export default (row) => row;" });
  expect(await once(worker, "message")).toEqual([{ type: "check", problem: null, retires: false }]);
});
