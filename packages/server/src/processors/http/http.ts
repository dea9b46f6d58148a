import type { ProcessorConfigOf } from "@rowmill/contract/processors";
import type { ConnectionEgress, Connections } from "../connections.ts";
import type { Limiter } from "../limiter/limiter.ts";
import type { Processor } from "../processor.ts";

export interface HttpParts {
  connections: Connections;
  egress: ConnectionEgress;
  limiter: Limiter;
}

export function createHttpProcessor(_parts: HttpParts): Processor<ProcessorConfigOf<"http">> {
  return {
    findProblems: () => Promise.reject(new Error("being written")),
    prepare: () => Promise.reject(new Error("being written")),
  };
}
