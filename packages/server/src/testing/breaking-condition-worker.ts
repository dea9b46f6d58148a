/** The worker process of conditions for tests: it dies at an input with `dies`, and gets no processor for a while at one with `waits`. */
import { serveRequests } from "../platform/worker-process-port.ts";
import type { ConditionResponse, ConditionRequest } from "../platform/conditions/condition-protocol.ts";

const WAIT_MS = 2_500;
const wait = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);

serveRequests((request: ConditionRequest, begin): ConditionResponse => {
  if (request.source === "dies") process.exit(7);
  if (request.source === "waits") wait();
  if (request.type === "check") return { problem: null, firstError: null, codes: new Uint8Array() };
  const inputs = Array.from(request.inputs, String).slice(request.from, request.until);
  const codes = inputs.map((input, at) => {
    begin(request.from + at, 1);
    if (input.includes("dies")) process.exit(7);
    if (input.includes("waits")) wait();
    return 1;
  });
  return { problem: null, firstError: null, codes: Uint8Array.from(codes) };
});
