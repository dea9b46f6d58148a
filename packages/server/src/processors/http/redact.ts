/** Takes a connection's secret out of what a service answered: some answer with the headers that they were sent. */
import { isDeeperThan } from "../../platform/json-text.ts";
import { parseExactJson } from "../templates/exact-json.ts";
import { MAX_ANSWER_DEPTH, MIN_REDACTED_SECRET_CHARACTERS } from "./limits.ts";

const INSTEAD = "[secret]";

export interface Redact {
  /** For texts that only quote an answer. */
  text: (text: string) => string;
  /** For outputs, which stay JSON. A short secret may be part of anything, and stays. */
  output: (json: string) => string;
}

/** Null: no secret was sent. */
export function createRedact(secret: string | null): Redact {
  const same = (text: string): string => text;
  if (secret === null) return { text: same, output: same };
  const inJson = JSON.stringify(secret).slice(1, -1);
  // As it is, as JSON writes it, with and without its slashes escaped, as URLs do, and as Basic authentication does with
  // nothing before it.
  const spellings = new Set([
    secret,
    inJson,
    inJson.replaceAll("/", "\\/"),
    encodeURIComponent(secret),
    Buffer.from(secret).toString("base64"),
  ]);
  const text = (quoted: string): string => {
    let redacted = quoted;
    for (const spelling of spellings) redacted = redacted.replaceAll(spelling, INSTEAD);
    return redacted;
  };
  if (secret.length < MIN_REDACTED_SECRET_CHARACTERS) return { text, output: same };
  const isRepeated = (json: string): boolean => spellings.values().some((spelling) => json.includes(spelling));
  return {
    text,
    output(json) {
      // What is nested so deep is refused, and shown to nobody.
      if (!isRepeated(json) || isDeeperThan(json, MAX_ANSWER_DEPTH)) return json;
      return JSON.stringify(redactValue(parseExactJson(json), text));
    },
  };
}

/** A number with the secret in its digits becomes a text: it would be none without them. */
function redactValue(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === "string") return redact(value);
  if (typeof value === "number" || JSON.isRawJSON(value)) {
    const digits = JSON.stringify(value);
    const redacted = redact(digits);
    return redacted === digits ? value : redacted;
  }
  if (Array.isArray(value)) return value.map((element) => redactValue(element, redact));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [redact(name), redactValue(member, redact)]));
}
