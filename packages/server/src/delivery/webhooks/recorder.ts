/** Gathers the attempts that end while others are being recorded, so that under load one transaction records many. */
import { setTimeout as pause } from "node:timers/promises";
import { isUnavailable } from "../../platform/database/database.ts";
import type { Log } from "../../platform/log.ts";
import { recordAttempts } from "./record.ts";
import type { FinishedAttempt, Recorded, RecordTools } from "./record.ts";

/** In one transaction; all slots of a process together are not many more. */
const RECORDED_AT_ONCE = 256;

/** Between tries while the database is away. */
const RETRY_PAUSE_MS = 1_000;

export interface Recorder {
  /** Resolves when it is recorded, or when that was given up and logged: then the claim's lease ends by itself. */
  record(attempt: FinishedAttempt): Promise<void>;
  /** From now on nothing is tried again. */
  stopRetrying(): void;
}

export function createRecorder(tools: RecordTools, log: Log, onRecorded: (recorded: Recorded) => void): Recorder {
  const waiting: { attempt: FinishedAttempt; done: () => void }[] = [];
  let isRecording = false;
  let isRetrying = true;

  async function recordWaiting(): Promise<void> {
    if (isRecording) return;
    isRecording = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, RECORDED_AT_ONCE);
      await recordBatch(batch.map(({ attempt }) => attempt));
      for (const { done } of batch) done();
    }
    isRecording = false;
  }

  async function recordBatch(attempts: readonly FinishedAttempt[]): Promise<void> {
    for (;;) {
      try {
        onRecorded(await recordAttempts(tools, attempts));
        return;
      } catch (error) {
        if (isUnavailable(error) && isRetrying) {
          log.warn({ err: error }, "webhook attempts cannot be recorded at the moment");
          await pause(RETRY_PAUSE_MS);
          continue;
        }
        if (attempts.length === 1) {
          log.error({ err: error, webhookDelivery: attempts[0]?.claim.id }, "a webhook attempt could not be recorded");
          return;
        }
        // One that cannot be written must not take the others with it.
        for (const attempt of attempts) await recordBatch([attempt]);
        return;
      }
    }
  }

  return {
    record: (attempt) =>
      new Promise((done) => {
        waiting.push({ attempt, done });
        void recordWaiting();
      }),
    stopRetrying() {
      isRetrying = false;
    },
  };
}
