/** Every processor, by `processor.type`. A new one is a folder beside this file and a line here. */
import type { ProcessorConfigOf, ProcessorType } from "@rowmill/contract/processors";
import type { Schemas } from "../platform/json-schema/schemas.ts";
import type { ConnectionEgress, Connections } from "./connection-parts.ts";
import { createHttpProcessor } from "./http/http.ts";
import type { Limiter } from "./limiter/permits.ts";
import { createLlmProcessor } from "./llm/llm.ts";
import { mockProcessor } from "./mock/mock.ts";
import type { Processor } from "./processor.ts";
import { createTransformProcessor } from "./transform/transform.ts";
import type { TransformProcessor } from "./transform/transform.ts";

export type Processors = { [T in ProcessorType]: Processor<ProcessorConfigOf<T>> } & {
  transform: TransformProcessor;
  close(): Promise<void>;
};

export interface ProcessorParts {
  /** 0: as many as the machine suggests. */
  transformThreads: number;
  connections: Connections;
  egress: ConnectionEgress;
  limiter: Limiter;
  schemas: Schemas;
}

export function createProcessors(parts: ProcessorParts): Processors {
  const { transformThreads } = parts;
  const transform = createTransformProcessor(transformThreads === 0 ? {} : { threads: transformThreads });
  return {
    transform,
    llm: createLlmProcessor(parts),
    http: createHttpProcessor(parts),
    mock: mockProcessor,
    close: () => transform.close(),
  };
}

/** The processor of a stored configuration. */
export function processorOf(
  processors: Processors,
  config: { type: ProcessorType },
): Processor<{ type: ProcessorType }> {
  return processors[config.type];
}
