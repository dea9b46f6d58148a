/** One event to a receiver on this machine, signed as the service signs its deliveries, so that the receiver's own check runs. */
import { createHmac } from "node:crypto";

/** As of the service's own attempts. */
const TIMEOUT_MS = 15_000;

export interface Forwarded {
  /** Null where there was no response. */
  status: number | null;
  durationMs: number;
  /** Why there was none. */
  reason: string | null;
}

export interface Receiver {
  url: string;
  secret: string;
  headerPrefix: string;
}

export async function forward(
  { url, secret, headerPrefix }: Receiver,
  event: { id: string },
  signal: AbortSignal,
): Promise<Forwarded> {
  const body = JSON.stringify(event);
  const startedAt = performance.now();
  const durationMs = (): number => Math.round(performance.now() - startedAt);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "user-agent": "Rowmill-Webhooks/1",
        ...signedHeaders(secret, headerPrefix, event.id, body, Date.now()),
      },
      body,
      // As the service: a redirect is a failure.
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    await response.body?.cancel();
    return { status: response.status, durationMs: durationMs(), reason: null };
  } catch (error) {
    signal.throwIfAborted();
    return { status: null, durationMs: durationMs(), reason: reasonOf(error) };
  }
}

export const isDelivered = ({ status }: Forwarded): boolean => status !== null && status >= 200 && status < 300;

function signedHeaders(
  secret: string,
  prefix: string,
  id: string,
  body: string,
  nowMs: number,
): Record<string, string> {
  const seconds = String(Math.floor(nowMs / 1000));
  const own = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const standard = createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64");
  return {
    "content-type": "application/json",
    [`${prefix}-Webhook-Id`]: id,
    [`${prefix}-Webhook-Timestamp`]: seconds,
    [`${prefix}-Webhook-Signature`]: `v1=${own}`,
    "webhook-id": id,
    "webhook-timestamp": seconds,
    "webhook-signature": `v1,${standard}`,
  };
}

/** fetch itself only says that it failed. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === "TimeoutError") return `no response within ${TIMEOUT_MS / 1000} s`;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof Error && "code" in cause && cause.code === "ECONNREFUSED") return "nothing listens there";
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}
