/** Every processor, by `processor.type`. A new one is a folder beside this file and a line here. */
import type { ProcessorConfigOf, ProcessorType } from "@rowmill/contract/processors";
import { mockProcessor } from "./mock/mock.ts";
import type { Processor } from "./processor.ts";
import { createTransformProcessor } from "./transform/transform.ts";
import type { TransformProcessor } from "./transform/transform.ts";

export type Processors = { [T in ProcessorType]: Processor<ProcessorConfigOf<T>> } & {
  transform: TransformProcessor;
  close(): Promise<void>;
};

export function createProcessors(options: { transformThreads: number }): Processors {
  const transform = createTransformProcessor(
    options.transformThreads === 0 ? {} : { threads: options.transformThreads },
  );
  return { transform, mock: mockProcessor, close: () => transform.close() };
}

/** The processor of a stored configuration. */
export function processorOf(
  processors: Processors,
  config: { type: ProcessorType },
): Processor<{ type: ProcessorType }> {
  return processors[config.type];
}
