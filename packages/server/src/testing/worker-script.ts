/** A worker process for tests, which does what a request says at each of its steps. */
import { readFileSync } from "node:fs";
import { serveRequests } from "../platform/worker-process-port.ts";

/** For the parent to read a response in, on a loaded machine. */
const LATE_MS = 300;

export interface ScriptRequest {
  steps: number;
  /** What the step of this number does, beside taking no time. */
  at: number;
  what: "nothing" | "hang" | "grow" | "exit" | "read_file" | "report_late" | "pause";
}

export interface ScriptResponse {
  pid: number;
  environment: string[];
  text?: string;
}

serveRequests(({ steps, at, what }: ScriptRequest, begin): ScriptResponse => {
  let text: string | undefined;
  for (let step = 0; step < steps; step++) {
    begin(step, step % 256);
    if (step === at) text = act(what);
    // As if the parent had read the channel before the pipe: it has the response, and has begun its next work item.
    if (step === at && what === "report_late")
      setImmediate(() => {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LATE_MS);
        begin(steps, 1);
        begin(steps + 1, 2);
      });
  }
  return { pid: process.pid, environment: Object.keys(process.env), ...(text === undefined ? {} : { text }) };
});

function act(what: ScriptRequest["what"]): string | undefined {
  if (what === "hang") for (;;);
  if (what === "exit") process.exit(7);
  // Long enough to be killed in it.
  if (what === "pause") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
  if (what === "grow") {
    const grown: number[][] = [];
    // One array that grows in place is what V8 cannot stop at the limit of a thread's heap.
    for (;;) grown.push([grown.length]);
  }
  if (what !== "read_file") return undefined;
  try {
    return readFileSync("/etc/hostname", "utf8");
  } catch (error) {
    return String(error);
  }
}
