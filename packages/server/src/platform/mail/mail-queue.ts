/**
 * Mail that must not get lost: a job that exists exactly if the transaction commits that asked for it, tried again until the
 * server takes it. A message may be sent twice when a worker dies between the server's response and the queue's; its Message-ID
 * is the same then. The queue keeps it sealed, since a mail may carry a secret.
 */
import { newUuid } from "../ids.ts";
import type { Transaction } from "../database/database.ts";
import type { Log } from "../log.ts";
import type { Job, Queue } from "../queue/queue.ts";
import { openUnlessLost } from "../secrets/sealing.ts";
import type { Sealer } from "../secrets/sealing.ts";
import type { Mail, MailOutcome, Mailer } from "./mailer.ts";

export const MAIL_QUEUE = "mail";
/**
 * Conversations with the server at once, of one worker process: sockets that wait, mostly. A server that is slow to those of one organization
 * leaves places to others; it takes six such organizations until further ones wait. Fewer than the twenty that common servers accept of a client.
 */
export const MAILS_AT_ONCE = { places: 12, mostOfOrganization: 2 };
/** Pauses after the first, second, … attempt: about two days, as long as mail servers themselves keep trying. */
const PAUSES_SECONDS = [1, 10, 60, 300, 1800, 7200, 21_600, 43_200, 86_400];

export interface MailJob {
  /** Whose request has sent it. */
  organizationId: string;
  id: string;
  sealed: string;
  attemptsMade: number;
}

export const placeOfMail = (id: string): string => `mail|${id}`;

export async function enqueueMail(
  tx: Transaction,
  parts: { queue: Queue; sealer: Sealer },
  organizationId: string,
  mail: Omit<Mail, "messageId">,
): Promise<void> {
  const id = newUuid();
  const job: MailJob = {
    organizationId,
    id,
    sealed: parts.sealer.seal(JSON.stringify(mail), placeOfMail(id)),
    attemptsMade: 0,
  };
  await parts.queue.enqueue(tx, MAIL_QUEUE, job);
}

interface MailWorkerParts {
  queue: Queue;
  sealer: Sealer;
  mailer: Mailer | undefined;
  log: Log;
}

/** The worker may have been started with older keys than the process that has sealed it. */
const CANNOT_OPEN: MailOutcome = {
  outcome: "failed",
  isPermanent: false,
  reason: "it was sealed with an encryption key that is not among the keys of this worker",
};

export function createMailWorker({ queue, sealer, mailer, log }: MailWorkerParts) {
  return async function sendMail({ data }: Pick<Job<MailJob>, "data">): Promise<void> {
    const opened = openUnlessLost(() => sealer.open(data.sealed, placeOfMail(data.id)));
    const result: MailOutcome =
      opened === undefined
        ? CANNOT_OPEN
        : mailer === undefined
          ? { outcome: "failed", isPermanent: false, reason: "this worker has no ROWMILL_SMTP_URL" }
          : await mailer.send({ ...(JSON.parse(opened) as Mail), messageId: `${data.id}@rowmill` }); // as it was enqueued
    if (result.outcome === "sent") return;
    const pauseSeconds = result.isPermanent ? undefined : PAUSES_SECONDS[data.attemptsMade];
    const attemptsMade = data.attemptsMade + 1;
    if (pauseSeconds === undefined) {
      log.error({ mailId: data.id, attemptsMade, reason: result.reason }, "a mail was abandoned");
      return;
    }
    log.warn({ mailId: data.id, attemptsMade, reason: result.reason, pauseSeconds }, "a mail will be tried again");
    const next: MailJob = { ...data, attemptsMade };
    await queue.enqueueNow(MAIL_QUEUE, next, { startAfterSeconds: pauseSeconds });
  };
}
