/** What a process has done, for its metrics. Counting takes no time that matters, and never fails. */
export interface CountedRow {
  index: number;
  attempts: number;
  durationMs: number;
  /** JSON text. */
  usage: string | null;
  /** Of a failure. */
  code?: string;
}

export interface RecordedRows {
  successes: readonly CountedRow[];
  failures: readonly (CountedRow & { code: string })[];
  usage: { inputTokens: number; outputTokens: number; requests: number; costUsd: string };
}

export interface CountedAttempt {
  claim: {
    organizationId: string;
    eventId: string;
    /** The envelope as it was stored. */
    payload: string;
    attemptsMade: number;
    endpoint: { id: string };
  };
  result: { startedAt: string; durationMs: number; outcome: string; responseStatus: number | null };
}

export interface Meter {
  /** After the commit. */
  countRows(rows: RecordedRows, run: { organizationId: string; id: string }): void;
  countWebhookAttempts(counts: { succeeded: number; failed: number }, attempts: readonly CountedAttempt[]): void;
  /** Rows that a reconciler has repaired. */
  countRepairs(reconciler: string, rows: number): void;
}
