/** Takes a connection's secret out of what a service answered: some answer with the headers that they were sent. */
import { MIN_REDACTED_SECRET_CHARACTERS } from "./limits.ts";

const INSTEAD = "[secret]";

export interface Redact {
  /** For texts that only quote an answer. */
  always: (text: string) => string;
  /** For outputs: a short secret may be part of anything, and stays. */
  ifLong: (text: string) => string;
}

/** Null: no secret was sent. */
export function createRedact(secret: string | null): Redact {
  const same = (text: string): string => text;
  if (secret === null) return { always: same, ifLong: same };
  // As it is, as JSON writes it, as URLs do, and as Basic authentication does with nothing before it.
  const spellings = new Set([
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    Buffer.from(secret).toString("base64"),
  ]);
  const always = (text: string): string => {
    let redacted = text;
    for (const spelling of spellings) redacted = redacted.replaceAll(spelling, INSTEAD);
    return redacted;
  };
  return { always, ifLong: secret.length < MIN_REDACTED_SECRET_CHARACTERS ? same : always };
}
