/** What callers and the limiter tell each other. */
import type { Connection } from "../connection-parts.ts";

export interface PermitRequest {
  connection: Pick<Connection, "organizationId" | "id" | "rateLimit">;
  /** Empty for connections that have no models. */
  model: string;
  /** What the call is expected to use, input and output together; 0 where tokens are not counted. */
  tokens: number;
  /** Of the run, 1 to 5: within a process, who waits for an urgent run goes first (3). */
  priority?: number;
}

/** What the provider said of its limits; members that it did not say are absent. */
export interface LearnedLimits {
  requestsPerMinute?: number;
  tokensPerMinute?: number;
  remainingRequests?: number;
  remainingTokens?: number;
  /** Until the requests are full again. */
  requestsResetMs?: number;
  tokensResetMs?: number;
}

export interface CallEnd {
  outcome: "answered" | "rate_limited" | "overloaded" | "failed";
  /** Really used. If absent: what was expected, or none where the call was refused. */
  tokens?: number;
  /** The provider asked everyone to wait so long. */
  retryAfterMs?: number;
  learned?: LearnedLimits;
}

export interface Permit {
  /** Called once, whatever came of the call. */
  settle(end: CallEnd): void;
}

export interface Limiter {
  /** Waits for its turn. Rejects with the signal's reason when it aborts, and the turn is given back. */
  acquire(request: PermitRequest, signal: AbortSignal): Promise<Permit>;
  close(): Promise<void>;
}

/** The limiter as a run sees it: its calls have the run's priority of the moment. */
export const withPriority = (limiter: Limiter, priority: (() => number) | undefined): Limiter =>
  priority === undefined
    ? limiter
    : {
        acquire: (request, signal) => limiter.acquire({ ...request, priority: priority() }, signal),
        close: () => limiter.close(),
      };
