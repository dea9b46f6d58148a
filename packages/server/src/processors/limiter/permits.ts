/** What callers and the limiter exchange. */

/** A connection as the limiter knows it. */
export interface LimitedConnection {
  /** `conn_…` */
  id: string;
  organizationId: string;
  /** Null: not limited. */
  rateLimit: { requestsPerMinute: number | null; tokensPerMinute: number | null };
}

export interface LimitedConnections {
  /** The connection as it is now, or was at most a second ago. Undefined: there is none of the organization by this id. */
  find(organizationId: string, connectionId: string): Promise<LimitedConnection | undefined>;
}

export interface PermitRequest {
  connection: LimitedConnection;
  /** Empty for connections that have no models. */
  model: string;
  /** What the call is expected to use, input and output together; 0 where tokens are not counted. */
  tokens: number;
  /** Of the run, 1 to 5: within a process, callers of urgent runs go first (3). */
  priority?: number;
  /** Called while it waits, each second or so: how long the provider has paused all calls; 0: it has not. */
  notePause?: ((ms: number) => void) | undefined;
}

/** Limits that the provider reported; members that it did not report are absent. */
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
  outcome: "responded" | "rate_limited" | "overloaded" | "failed";
  /** Actually used. If absent: what was expected, or none if the call was refused. */
  tokens?: number;
  /** The provider asked to wait this long. */
  retryAfterMs?: number;
  learned?: LearnedLimits;
}

export interface Permit {
  /** Called once, whatever the outcome of the call. */
  settle(end: CallEnd): void;
}

export interface Limiter {
  /** Waits for a slot. Rejects with the signal's reason when it aborts, and the slot is returned. */
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
