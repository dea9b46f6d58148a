/** Every processor, by `processor.type`. A new one is a folder beside this file and a line in `definitions`. */
import type { ProcessorConfig, ProcessorConfigOf, ProcessorType } from "@rowmill/contract/processors";
import type { Schemas } from "../platform/json-schema/schemas.ts";
import type { Connection, ConnectionEgress, Connections } from "./connection-parts.ts";
import { httpDefinition } from "./http/http.ts";
import type { Limiter } from "./limiter/permits.ts";
import type { LargeTexts } from "./large-texts.ts";
import { llmDefinition } from "./llm/llm.ts";
import { mockDefinition } from "./mock/mock.ts";
import type { Processor } from "./processor.ts";
import type { ProcessorDefinition, ProcessorTraits } from "./processor-definition.ts";
import type { BatchApi, BatchParts } from "./provider-batches.ts";
import { transformDefinition } from "./transform/transform.ts";

export interface ProcessorParts {
  /** 0: as many as the machine suggests. */
  transformThreads: number;
  connections: Connections;
  egress: ConnectionEgress;
  limiter: Limiter;
  schemas: Schemas;
  largeTexts: LargeTexts;
}

const definitions: { [T in ProcessorType]: ProcessorDefinition<ProcessorConfigOf<T>, ProcessorParts> } = {
  llm: llmDefinition,
  http: httpDefinition,
  transform: transformDefinition,
  mock: mockDefinition,
};

export interface Processors {
  /** The processor of a stored configuration. */
  of(config: ProcessorConfig): Processor<ProcessorConfig>;
  close(): Promise<void>;
}

export const processorTypes = Object.keys(definitions) as ProcessorType[];

/** What a stored configuration says of itself. */
export const traitsOf = (config: ProcessorConfig): ProcessorTraits<ProcessorConfig> => definitions[config.type];

/** The batch endpoints behind a connection. Undefined: no processor sends batches there. */
export function batchApiOf(parts: BatchParts, connection: Connection): BatchApi | undefined {
  for (const type of processorTypes) {
    const api = definitions[type].batches?.apiOf(parts, connection);
    if (api !== undefined) return api;
  }
  return undefined;
}

export function createProcessors(parts: ProcessorParts): Processors {
  const processors = new Map(processorTypes.map((type) => [type, definitions[type].create(parts)]));
  return {
    of(config) {
      const processor = processors.get(config.type);
      if (processor === undefined) throw new Error(`there is no processor of type ${config.type}`);
      return processor;
    },
    close: async () => {
      for (const processor of processors.values()) await processor.close?.();
    },
  };
}
