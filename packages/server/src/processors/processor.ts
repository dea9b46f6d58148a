/**
 * What a run does to a row. A processor is named by `processor.type` of a job spec; `prepare` makes a step out of one
 * job spec version for one run, and the step turns rows into outcomes, some rows at a time. Rows and outputs travel as JSON
 * text, one line each, so that a value which nobody looks into is never parsed.
 */
import type { FailureCode } from "@rowmill/contract/failures";

/** A row as a step gets it. */
export interface InputRow {
  /** Position of the row in its dataset, from 0. */
  index: number;
  /** The row: one JSON object on one line. */
  text: string;
}

/** One request to the outside, whatever came of it. */
export interface RowCall {
  /** `conn_…`; absent for a request without a connection. */
  connectionId?: string;
  /** As the job spec asked for it. */
  model?: string;
  /** As the provider reported it. */
  reportedModel?: string;
  /** The provider's own name for the request. */
  requestId?: string;
  inputTokens?: number;
  outputTokens?: number;
  /** US dollars, decimal; absent where no price is known. */
  costUsd?: string;
  /** The most that it may have cost: nobody has reported what it used. */
  costAssumed?: true;
  /** Why the call gave no output. */
  code?: FailureCode;
}

/** A text of a call, redacted first and then cut. */
export interface TracedText {
  body: string | null;
  isCut: boolean;
}

export interface TracedCall {
  request: TracedText & { method: string; url: string; headers: Record<string, string> };
  /** Null: there is no such value, or it cannot be read. */
  response: (TracedText & { status: number; headers: Record<string, string> }) | null;
  /** Null: nothing was counted for it. */
  usage: RowCall | null;
}

export interface RowUsage {
  inputTokens?: number;
  outputTokens?: number;
  requests?: number;
  /** US dollars, decimal: what is known of it. */
  costUsd?: string;
  /** The part of it that is the most that calls may have cost, of those that nobody has reported. */
  assumedCostUsd?: string;
  /** Requests whose price is not known, so that they are missing in `costUsd`. */
  unpricedRequests?: number;
  /** The output was there already: nothing was called for this row. */
  cached?: true;
  calls?: RowCall[];
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
  /** Of the run, as it is now: 1 to 5, higher is served first. */
  priority?: () => number;
  /** A person waits: its checks have a place of their own. Absent in runs. */
  isInteractive?: true;
  /** Of a test whose response shows what was sent and got: called once for each call. */
  noteCall?: (call: TracedCall) => void;
  /** Where the run has a budget, or a test of a job spec none. */
  budget?: Budget;
}

/** Money that a run may spend. Amounts are US dollars as decimal strings with up to twelve places. */
export interface Budget {
  /**
   * Sets aside what a call may cost at most, before it is made; undefined: nobody knows, since its price was taken away.
   * Resolves to undefined if the budget does not have it.
   */
  reserve(amountUsd: string | undefined, signal: AbortSignal): Promise<BudgetReservation | undefined>;
}

export interface BudgetReservation {
  /** Whether a limit was set when the money was reserved: then the call must not be able to cost more than was reserved. */
  isLimited: boolean;
  /** What the call really cost; the rest is free again. Called once, whatever came of the call. */
  settle(spentUsd: string): void;
}

/** `nothing_begins`: the run, or the lane's turn, has come to its end while the row waited for a slot, for money or for a thread. */
export type PostponeReason = "budget_exhausted" | "nothing_begins";

/**
 * Thrown by a step for a row that it has not begun, and will not: nothing was called or paid. The run stops before the row,
 * which stays pending.
 */
export class RowPostponedError extends Error {
  override name = "RowPostponedError";
  readonly reason: PostponeReason;
  constructor(reason: PostponeReason) {
    super(`a row is postponed: ${reason}`);
    this.reason = reason;
  }
}

/** Measures the time that a job spec gives a row. */
export interface AttemptClock {
  /** The clock stands still while the row waits for a slot, for money or for a thread, which says nothing about the row. */
  offTheClock<T>(wait: () => Promise<T>): Promise<T>;
  /**
   * Aborts, with a `RowPostponedError`, when no call is to be begun any more for a row for which nothing was called: what waits for
   * a slot, for money or for a thread waits for nothing then. Absent: it may wait.
   */
  nothingBegins?: AbortSignal;
  /** Why the signal has aborted: then the row may still end by its own outcome, which can say what it has cost. */
  isTimeUp(): boolean;
  /** Called while a call waits for its slot: the provider has paused all calls for so long. Absent: nobody asks. */
  notePause?(ms: number): void;
  /**
   * Called after each call for a row, with what all calls of this attempt have used: where the attempt is ended without an outcome, it is
   * counted all the same. Absent: outcomes alone are counted.
   */
  noteUsage?(row: InputRow, usage: RowUsage): void;
}

export interface Step {
  /** The most rows one `processRows` call takes, by now: it may follow how long the last calls took. */
  maxRowsPerCall: number;
  /**
   * Calls of `processRows` that may be under way at once for a run, where its job spec or the run says no other `concurrency`. For work that
   * waits for others, whose rows end one by one, of all lanes together. For work that computes, of the lanes of this process together: as
   * many as there are threads for it, and 1 without.
   */
  callsAtOnce: number;
  /** No call costs anything: rows whose call the run's deadline ends are skipped with it, like those without a call. */
  callsAreFree?: true;
  /**
   * What two rows must have in common to get the same output from this step: names everything that the output depends on,
   * the row's part of it included. Absent: outputs of this step are never taken from a cache.
   */
  cacheKeyOf?(row: InputRow): string | undefined;
  /**
   * Outputs are JSON on one line for certain: this process has made them from rows of a dataset, which were checked when they
   * were read, or the process or thread that has made them has parsed or printed them, with a limit of their depth below 2,000. Absent:
   * each output is parsed before it is stored or shown.
   */
  outputsAreParsed?: true;
  /**
   * Outcomes in the order of the rows, one each. Rejects only for errors of the service itself, when `signal` aborts, and
   * with a `RowPostponedError`. What is waited for off the clock does not count towards the time of the row. What calls have used is
   * reported to the clock before it rejects.
   */
  processRows(rows: InputRow[], signal: AbortSignal, clock?: AttemptClock): Promise<RowOutcome[]>;
}

/** Tokens of one request, before a provider has counted them. */
export interface TokenRange {
  low: number;
  high: number;
}

/** What one request for a row takes, or why the row would fail before anything is called. */
export type RowEstimate =
  | { ok: true; inputTokens: TokenRange; outputTokens: TokenRange }
  | { ok: false; failure: RowFailure };

/** US dollars, decimal. */
export interface RequestPrice {
  requestUsd: string;
  inputUsdPerMillionTokens: string;
  outputUsdPerMillionTokens: string;
}

export interface UnpricedModel {
  connectionId: string;
  model: string;
}

/** What is known of a job spec's calls before there is one. */
export interface Estimator {
  /** Renders the row, and calls nobody. */
  estimateRow(row: InputRow): Promise<RowEstimate>;
  /** Of one attempt at a row, with every call that it may take. */
  maxRequests: number;
  /** Undefined: not known. */
  price: RequestPrice | undefined;
  /** As of a step: outputs may be taken from a cache. */
  cacheKeyOf?: Step["cacheKeyOf"];
  /** What the same costs in a batch of the provider; undefined: not known, or there are none. */
  batchPrice?: RequestPrice | undefined;
  /** Where others may be called in place of the first: the highest that is known. */
  highestPrice: RequestPrice | undefined;
  /** Whatever may be called and has no price: a budget could not be kept. */
  unpriced: UnpricedModel[];
  /** The member of the configuration that would limit the length of outputs, and is not set. Absent: they are limited. */
  missingOutputLimit?: string;
  /** Of the connection that is called first. */
  rateLimit: { requestsPerMinute: number | null; tokensPerMinute: number | null };
}

export interface Problem {
  /** JSON pointer below `processor`, such as `/code`. */
  path: string;
  message: string;
}

/** A row of a test of a job spec, with what its code wrote to `console`. */
export type TestOutcome = RowOutcome & { logs?: string };

export interface Processor<Config> {
  /** What is wrong with a configuration that fits the contract's schema; called when a job spec is made, outside any transaction. */
  findProblems(config: Config, organizationId: string): Promise<Problem[]>;
  prepare(config: Config, context: RunContext): Promise<Step>;
  /** Absent: it calls nobody, and costs nothing. Prices and limits are those of now. */
  prepareEstimate?(config: Config, organizationId: string): Promise<Estimator>;
  /** Rows of a test, each by itself, with what they write. Absent: a test processes rows as a run does. */
  testRows?(config: Config, rows: InputRow[], context: RunContext, signal: AbortSignal): Promise<TestOutcome[]>;
  /** Ends threads; running calls are rejected. */
  close?(): Promise<void>;
}
