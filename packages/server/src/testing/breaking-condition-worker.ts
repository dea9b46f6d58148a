/** The worker process of conditions for tests: it dies at an input with `dies`. */
import { serveRequests } from "../platform/worker-process-port.ts";
import type { ConditionResponse, ConditionRequest } from "../platform/conditions/condition-protocol.ts";

serveRequests((request: ConditionRequest, begin): ConditionResponse => {
  if (request.source === "dies") process.exit(7);
  if (request.type === "check") return { problem: null, firstError: null, codes: new Uint8Array() };
  const inputs = Array.from(request.inputs, String).slice(request.from, request.until);
  const codes = inputs.map((input, at) => {
    begin(request.from + at, 1);
    if (input.includes("dies")) process.exit(7);
    return 1;
  });
  return { problem: null, firstError: null, codes: Uint8Array.from(codes) };
});
