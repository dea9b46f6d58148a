/** What a process has done, for its metrics. Counting takes no time that matters, and never fails. */
export interface RecordedRows {
  successes: readonly unknown[];
  failures: readonly { code: string }[];
  usage: { inputTokens: number; outputTokens: number; requests: number; costUsd: string };
}

export interface Meter {
  /** After the commit. */
  countRows(rows: RecordedRows): void;
  countWebhookAttempts(attempts: { succeeded: number; failed: number }): void;
}
