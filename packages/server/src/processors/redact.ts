/**
 * Takes a connection's secret out of what a service returned: some respond with the headers that they received. The order is
 * always the same: decode, redact, and only then cut, parse or store. A text that was cut before may end in the beginning of
 * the secret; that is taken out, too.
 */
import { isDeeperThan } from "../platform/json-text.ts";
import { parseExactJson } from "../platform/exact-json.ts";
import { decodeEscapes } from "./decode-escapes.ts";
import { MIN_FOLDED_CHARACTERS, beginningAtEnd, foldSecret } from "./folded-text.ts";
import type { FoldedSecret } from "./folded-text.ts";

const INSTEAD = "[secret]";

/** A shorter secret may stand in a response by chance, and taking it out would change the service's response. */
const MIN_REDACTED_SECRET_CHARACTERS = 8;

/** Shorter beginnings of a secret say nothing of it, and are the ends of many texts. */
const MIN_TAIL_CHARACTERS = 4;

/** JSON in a form in JSON, as echoes of echoes have it; each is a walk over the text. */
const MAX_ENCODINGS = 5;

/** Nobody means to read a text that has the secret at more depths of such encodings; it is left out as a whole. */
const MAX_ROUNDS = 10;

/** Far more than an output may have; what reads JSON by recursion overflows its stack on much deeper text. */
const MAX_DEPTH = 1_000;

/** The longest spelling of one character that `decodeEscapes` knows: `&#x0000002b;`. */
const MAX_ENCODED_CHARACTERS = 12;

/** Values of headers of which it is remembered what is left of them: most come again with every response. */
const MAX_REMEMBERED_VALUES = 100;

/** Longer ones mostly are another one each time. */
const MAX_REMEMBERED_CHARACTERS = 200;

export interface Redact {
  /** For texts that only quote a response. */
  text: (text: string) => string;
  /** The same, for texts that come again and again. */
  header: (value: string) => string;
  /** For responses that are used: JSON stays JSON, other text stays as long as it is. A short secret may be part of anything, and stays. */
  body: (body: string) => string;
}

interface Redactable {
  headers: Record<string, string>;
  body: string;
}

/** Null: no secret was sent. */
export function createRedact(secret: string | null): Redact {
  if (secret === null || secret === "") return NOTHING_TO_HIDE;
  const spellings = spellingsOf(secret);
  const apart = foldSecret([secret, ...bytesOf(secret).flatMap(base64Of)], bytesOf(secret).map(hexOf));
  const isIn = (text: string): boolean => spellings.some((spelling) => text.includes(spelling)) || apart.isIn(text);
  const hide = (text: string): string =>
    apart.replace(
      spellings.reduce((hidden, spelling) => hidden.replaceAll(spelling, INSTEAD), text),
      INSTEAD,
    );

  // Nothing that is decoded gets longer.
  const shortest = Math.min(MIN_FOLDED_CHARACTERS, ...spellings.map(({ length }) => length));

  /** Of what it encodes, the first text that has the secret in it is what is left. */
  function replace(text: string): string {
    let left: string | undefined = text;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      if (left.length < shortest) return left;
      const hidden = hide(left);
      left = firstOf(decodings(hidden), isIn);
      if (left === undefined) return hidden;
    }
    return INSTEAD;
  }

  const isRepeated = (text: string): boolean => isIn(text) || decodings(text).some(isIn);
  // Then it stands within one text of JSON; in a number or elsewhere, what is put in its place is no JSON.
  const isPlain = spellings.every((spelling) => !/["\\]/.test(spelling));
  const text = (quoted: string): string => dropTail(replace(quoted), spellings, apart);
  const header = remembering(text);
  if (secret.length < MIN_REDACTED_SECRET_CHARACTERS) return { text, header, body: same };
  return {
    text,
    header,
    body(body) {
      if (!isRepeated(body)) return body;
      // What is nested so deep is refused, and only quoted.
      if (/^\s*[[{]/.test(body) && isDeeperThan(body, MAX_DEPTH)) return replace(body);
      // Mostly that is all. To walk through the values of a large response takes twenty times as long as to parse it.
      const hidden = isPlain ? hide(body) : body;
      if (!isRepeated(hidden) && isJson(hidden)) return hidden;
      let value: unknown;
      try {
        value = parseExactJson(body);
      } catch {
        // It is other text.
        return replace(body);
      }
      return JSON.stringify(redactValue(value, replace));
    },
  };
}

const same = (text: string): string => text;
const NOTHING_TO_HIDE: Redact = { text: same, header: same, body: same };

/** The same pure function, which looks once at texts that come again. */
function remembering(replace: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    if (text.length > MAX_REMEMBERED_CHARACTERS) return replace(text);
    const before = known.get(text);
    if (before !== undefined) return before;
    const replaced = replace(text);
    if (known.size >= MAX_REMEMBERED_VALUES) known.clear();
    known.set(text, replaced);
    return replaced;
  };
}

/** Takes out the beginning of the secret in which a text may end that was cut. */
function dropTail(text: string, spellings: readonly string[], apart: FoldedSecret): string {
  const end = tailAt(text, spellings, apart);
  if (end !== -1) return text.slice(0, end) + INSTEAD;
  if (!ENCODED.test(text)) return text;
  const longest = Math.max(...spellings.map(({ length }) => length));
  const start = Math.max(0, text.length - longest * MAX_ENCODED_CHARACTERS);
  for (const decoded of decodings(text.slice(start), HALF_ENCODED)) {
    const decodedEnd = tailAt(decoded, spellings, apart);
    if (decodedEnd !== -1) return text.slice(0, start) + decoded.slice(0, decodedEnd) + INSTEAD;
  }
  return text;
}

/** Where a beginning of the secret starts at the end of the text; -1 without one. */
function tailAt(text: string, spellings: readonly string[], apart: FoldedSecret): number {
  const longest = Math.max(...spellings.map((spelling) => beginningAtEnd(text, spelling, MIN_TAIL_CHARACTERS)));
  return longest === 0 ? apart.tailAt(text) : text.length - longest;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Of each connection that is in use: its spellings take longer to find than a response to read. */
const redacts = new WeakMap<Sender, Redact>();

/** A connection, or what else has sent its secret, which it keeps as long as it is. */
interface Sender {
  readonly secret: string | null;
}

/** The same for each call of the object, which ends with it. Undefined: nothing secret was sent. */
export function redactOf(sender: Sender | undefined): Redact {
  if (sender === undefined) return createRedact(null);
  const known = redacts.get(sender);
  if (known !== undefined) return known;
  const made = createRedact(sender.secret);
  redacts.set(sender, made);
  return made;
}

/** The whole response, before anybody reads it. */
export function redactResponse<Redacted extends Redactable>(response: Redacted, redact: Redact): Redacted {
  return { ...response, headers: redactHeaders(response.headers, redact), body: redact.body(response.body) };
}

/** The same object where nothing is to be taken out. */
export function redactHeaders(headers: Record<string, string>, redact: Redact): Record<string, string> {
  const entries = Object.entries(headers);
  if (entries.every(([, value]) => redact.header(value) === value)) return headers;
  return Object.fromEntries(entries.map(([name, value]) => [name, redact.header(value)]));
}

/** As it is, as JSON writes it, as URLs do, in hexadecimal digits, and in base64. */
function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const inHex = secret.length < MIN_REDACTED_SECRET_CHARACTERS ? [] : [hexOf(bytes)];
  return [
    ...new Set([
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
      // What it decodes to, where it looks like an encoding itself.
      decodeEscapes(secret),
      ...inHex,
      ...inHex.map((digits) => digits.toUpperCase()),
      ...base64Of(bytes).flatMap((encoded) => [encoded, encoded.replaceAll("-", "+").replaceAll("_", "/")]),
    ]),
  ].filter((spelling) => spelling !== "");
}

/** In UTF-8, and in UTF-16 as some systems keep texts. */
const bytesOf = (secret: string): Buffer[] => {
  const wide = Buffer.from(secret, "utf16le");
  return [Buffer.from(secret), wide, Buffer.from(wide).swap16()];
};

const hexOf = (bytes: Buffer): string => bytes.toString("hex");

/** Wherever the bytes stand in what was encoded. That of UTF-16 is UTF-7, too. */
function base64Of(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64url");
    // The characters at the ends depend on what stands beside the secret, too.
    const from = Math.ceil((before * 4) / 3);
    const whole = encoded.slice(from, Math.floor(((before + bytes.length) * 4) / 3));
    return whole.length < MIN_REDACTED_SECRET_CHARACTERS ? [] : [whole];
  });
}

const ENCODED = /[\\%&=\0]/;
/** One that was cut. */
const HALF_ENCODED =
  /(?:\\(?:u(?:[0-9a-f]{0,3}|\{[0-9a-f]{0,6})|x[0-9a-f]?|[0-7]{1,2})?|[%=][0-9a-f]?|&[#a-z0-9]{0,10})$/i;
/** What is left when one layer of escapes is taken away after the other. */
function* decodings(text: string, without?: RegExp): Generator<string> {
  let encoded = without === undefined ? text : text.replace(without, "");
  for (let layer = 0; layer < MAX_ENCODINGS && ENCODED.test(encoded); layer++) {
    const decoded = decodeEscapes(encoded);
    if (decoded === encoded) return;
    encoded = without === undefined ? decoded : decoded.replace(without, "");
    yield encoded;
  }
}

function firstOf(texts: Iterable<string>, fits: (text: string) => boolean): string | undefined {
  for (const text of texts) if (fits(text)) return text;
  return undefined;
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
