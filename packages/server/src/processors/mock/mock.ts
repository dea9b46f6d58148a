/**
 * The `mock` processor: returns every row as its own output, and fails and waits as configured. For rehearsals, demos and load
 * tests: it computes nothing, costs nothing, and the same row of the same run always has the same outcome.
 */
import { setTimeout as wait } from "node:timers/promises";
import type { FailureCode } from "@rowmill/contract/failures";
import type { Problem, Processor, InputRow, RowOutcome, RunContext, Step } from "../processor.ts";
import type { ProcessorDefinition } from "../processor-definition.ts";

export interface MockConfig {
  type: "mock";
  /** Rows whose `index + 1` is a multiple of it fail. Absent: none does. */
  failEvery?: number;
  /** These rows fail only while the run's `retryNumber` is smaller. Absent: in every run. */
  failUntilRetry?: number;
  /** The code they fail with; `provider_overloaded` if absent. */
  code?: FailureCode;
  /** How long a row takes. The rows of a call are computed at once, like requests to a provider. */
  delayMs?: number;
}

/** The usual size of a chunk; nothing is gained by more. */
const MAX_ROWS_PER_CALL = 500;

export const mockProcessor: Processor<MockConfig> = {
  findProblems: () => Promise.resolve<Problem[]>([]),
  prepare: (config, context) => Promise.resolve(mockStep(config, context)),
};

export const mockDefinition: ProcessorDefinition<MockConfig, unknown> = {
  kind: "computing",
  connectionsOf: () => [],
  create: () => mockProcessor,
};

function mockStep(config: MockConfig, context: RunContext): Step {
  return {
    maxRowsPerCall: MAX_ROWS_PER_CALL,
    callsAtOnce: 1,
    outputsAreParsed: true,
    async processRows(rows, signal) {
      signal.throwIfAborted();
      if (config.delayMs !== undefined && config.delayMs > 0 && rows.length > 0) {
        await wait(config.delayMs, undefined, { signal });
      }
      return rows.map((row) => outcomeOf(row, config, context));
    },
  };
}

function outcomeOf(row: InputRow, config: MockConfig, context: RunContext): RowOutcome {
  if (!fails(row, config, context)) return { ok: true, output: `{"echo":${row.text}}` };
  const code = config.code ?? "provider_overloaded";
  const message = `The mock processor fails every row whose number is a multiple of ${config.failEvery}.`;
  // Were it tried again within the run, a load test would measure the pauses between attempts.
  return { ok: false, failure: { code, message, triedAgain: false } };
}

function fails(row: InputRow, config: MockConfig, context: RunContext): boolean {
  if (config.failEvery === undefined || (row.index + 1) % config.failEvery !== 0) return false;
  return config.failUntilRetry === undefined || context.retryNumber < config.failUntilRetry;
}
