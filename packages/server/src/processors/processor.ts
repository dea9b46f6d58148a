/**
 * What a run does to a row. A processor is named by `processor.type` of a job spec; `prepare` makes a step out of one
 * job spec version for one run, and the step turns rows into outcomes, batch by batch. Rows and outputs travel as JSON
 * text, one line each, so that a value which nobody looks into is never parsed.
 */
import type { FailureCode } from "@rowmill/contract/failures";

export interface RowInHand {
  /** Position of the row in its dataset, from 0. */
  index: number;
  /** The row: one JSON object on one line. */
  text: string;
}

export interface RowUsage {
  inputTokens?: number;
  outputTokens?: number;
  requests?: number;
  costUsd?: string;
}

export interface RowFailure {
  code: FailureCode;
  /** A sentence for the person who wrote the job spec; at most 2 000 characters. */
  message: string;
  details?: Record<string, unknown>;
  /** Overrides the code's default, where it depends on details (HTTP status). */
  retryable?: boolean;
  /** The other side asked to wait this long before the next attempt. */
  retryAfterMs?: number;
  /** False: the run does not try this row again by itself, whatever the code says. */
  triedAgain?: boolean;
}

export type RowOutcome =
  | { ok: true; /** JSON text on one line. */ output: string; usage?: RowUsage }
  | { ok: false; failure: RowFailure; usage?: RowUsage };

export interface RunContext {
  organizationId: string;
  runId: string;
  rootRunId: string;
  /** 0 for a first run. */
  retryNumber: number;
}

export interface Step {
  /** The most rows one `processRows` call takes. */
  maxBatchRows: number;
  /** Outcomes in the order of the rows, one each. Rejects only for errors of the service itself. */
  processRows(rows: RowInHand[], signal: AbortSignal): Promise<RowOutcome[]>;
}

export interface Problem {
  /** JSON pointer below `processor`, such as `/code`. */
  path: string;
  message: string;
}

export interface Processor<Config> {
  /** What is wrong with a configuration that fits the contract's schema; called when a job spec is made, outside any transaction. */
  findProblems(config: Config): Promise<Problem[]>;
  prepare(config: Config, context: RunContext): Promise<Step>;
}
