/** What a job spec says of a model and of the conversation with it; see `llm` in the contract. */
import type { ProcessorConfigOf } from "@rowmill/contract/processors";

export type LlmConfig = ProcessorConfigOf<"llm">;

/** A model at a provider: the job spec's own, then its fallbacks. */
export interface Target {
  connectionId: string;
  model: string;
}

export function targetsOf(config: LlmConfig): Target[] {
  const { connection, model, fallbacks = [] } = config;
  return [
    { connectionId: connection, model },
    ...fallbacks.map((fallback) => ({ connectionId: fallback.connection ?? connection, model: fallback.model })),
  ];
}
