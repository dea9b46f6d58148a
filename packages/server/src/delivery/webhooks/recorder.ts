/** Gathers the attempts that end while others are being recorded, so that under load one transaction records many of an organization. */
import { setTimeout as pause } from "node:timers/promises";
import { isUnavailable } from "../../platform/database/database.ts";
import type { Meter } from "../../platform/meter.ts";
import { isSuccess } from "./webhook-attempt.ts";
import type { Log } from "../../platform/log.ts";
import { recordAttempts } from "./record.ts";
import type { FinishedAttempt, Recorded, RecordParts } from "./record.ts";

/** Of one organization, in one transaction; all slots of a process together are not many more. */
const RECORDED_AT_ONCE = 256;

/** Organizations whose attempts are recorded at the same time: each takes a connection and some round trips. */
const ORGANIZATIONS_AT_ONCE = 3;

/** Between tries while the database is away. */
const RETRY_PAUSE_MS = 1_000;

export interface Recorder {
  /** Resolves when it is recorded, or when that was abandoned and logged: then the claim's lease ends by itself. */
  record(attempt: FinishedAttempt): Promise<void>;
  /** From now on nothing is tried again. */
  stopRetrying(): void;
}

type Waiting = Map<string, { attempt: FinishedAttempt; done: () => void }[]>;

export function createRecorder(
  parts: RecordParts,
  { log, meter }: { log: Log; meter: Meter },
  onRecorded: (recorded: Recorded) => void,
): Recorder {
  /** By organization, in the order in which they came to wait; those in `recording` are in flight. */
  const waiting: Waiting = new Map();
  const recording = new Set<string>();
  let isRetrying = true;

  async function recordWaiting(): Promise<void> {
    for (;;) {
      const organizationId = waiting.keys().find((id) => !recording.has(id));
      if (organizationId === undefined || recording.size >= ORGANIZATIONS_AT_ONCE) return;
      const together = takeFirst(waiting, organizationId);
      recording.add(organizationId);
      await recordTogether(
        organizationId,
        together.map(({ attempt }) => attempt),
      );
      recording.delete(organizationId);
      for (const { done } of together) done();
    }
  }

  /** Returns when they are recorded, or abandoned. */
  async function recordTogether(organizationId: string, attempts: readonly FinishedAttempt[]): Promise<void> {
    for (;;) {
      try {
        onRecorded(await recordAttempts(parts, organizationId, attempts));
        countAttempts(meter, attempts);
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
        for (const attempt of attempts) await recordTogether(organizationId, [attempt]);
        return;
      }
    }
  }

  return {
    record: (attempt) =>
      new Promise((done) => {
        putLast(waiting, attempt, done);
        void recordWaiting();
      }),
    stopRetrying() {
      isRetrying = false;
    },
  };
}

function putLast(waiting: Waiting, attempt: FinishedAttempt, done: () => void): void {
  const { organizationId } = attempt.claim;
  const before = waiting.get(organizationId);
  if (before === undefined) waiting.set(organizationId, [{ attempt, done }]);
  else before.push({ attempt, done });
}

/** What is left of the organization goes to the end. */
function takeFirst(waiting: Waiting, organizationId: string) {
  const all = waiting.get(organizationId) ?? [];
  const first = all.splice(0, RECORDED_AT_ONCE);
  waiting.delete(organizationId);
  if (all.length > 0) waiting.set(organizationId, all);
  return first;
}

function countAttempts(meter: Meter, attempts: readonly FinishedAttempt[]): void {
  const succeeded = attempts.filter(({ result }) => isSuccess(result)).length;
  meter.countWebhookAttempts({ succeeded, failed: attempts.length - succeeded }, attempts);
}
