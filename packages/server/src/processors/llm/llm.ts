/**
 * The `llm` processor: one conversation with a model for every row. See `complete-row.ts` for the course of a row, `call.ts` for
 * that of a call, `models.ts` for how a provider is spoken to, and `docs/processors.md` for what a job spec can say.
 */
import { newUuid } from "../../platform/ids.ts";
import type { Processor, RunContext } from "../processor.ts";
import type { ProcessorDefinition } from "../processor-definition.ts";
import { stringsOf } from "../templates/references.ts";
import { batchApiOf } from "./batch-apis.ts";
import { createDialects } from "./dialects.ts";
import { prepareLlmEstimate } from "./estimate-llm.ts";
import { targetsOf } from "./llm-config.ts";
import type { LlmConfig } from "./llm-config.ts";
import { createStep } from "./llm-step.ts";
import type { LlmStep } from "./llm-step.ts";
import { findLlmProblems } from "./problems.ts";
import { DEFAULT_REPAIR_ATTEMPTS } from "./step-state.ts";
import type { LlmParts } from "./step-state.ts";

export interface LlmProcessor extends Processor<LlmConfig> {
  prepare(config: LlmConfig, context: RunContext): Promise<LlmStep>;
}

export const llmDefinition: ProcessorDefinition<LlmConfig, LlmParts> = {
  kind: "calling",
  connectionsOf: (config) => [...new Set(targetsOf(config).map(({ connectionId }) => connectionId))],
  modelOf: ({ model }) => model,
  schemasOf: ({ outputSchema }) => (outputSchema === undefined ? [] : [outputSchema]),
  templates: {
    *textsOf({ messages }) {
      for (const [index, { content }] of messages.entries())
        yield* stringsOf(content, `/processor/messages/${index}/content`);
    },
    mainPath: "/processor/messages",
  },
  batches: { modelOf: ({ connection, model }) => ({ connectionId: connection, model }), apiOf: batchApiOf },
  create: createLlmProcessor,
};

export function createLlmProcessor(parts: LlmParts): LlmProcessor {
  const dialects = createDialects();
  return {
    findProblems: (config, organizationId) => findLlmProblems(parts, config, organizationId),
    prepare: (config, context) => Promise.resolve(createStep(parts, dialects, config, context)),
    prepareEstimate(config, organizationId) {
      const runId = newUuid();
      const step = createStep(parts, dialects, config, { organizationId, runId, rootRunId: runId, retryNumber: 0 });
      return prepareLlmEstimate(parts.connections, config, organizationId, {
        estimateRow: (row) => step.estimate(row),
        cacheKeyOf: (row) => step.cacheKeyOf?.(row),
        repairAttempts: config.repairAttempts ?? DEFAULT_REPAIR_ATTEMPTS,
      });
    },
  };
}
