/**
 * The formats that are checked. Each takes a time in proportion to the text: those of ajv do, but for `url`; those whose texts
 * are short by definition refuse a longer one unread.
 */
import { fullFormats } from "ajv-formats/dist/formats.js";
import type { Format } from "ajv";

/** Longest text of a format that has a longest text, with room to spare. */
const MAX_CHARACTERS: Readonly<Record<string, number>> = {
  date: 64,
  time: 64,
  "date-time": 64,
  "iso-time": 64,
  "iso-date-time": 64,
  duration: 256,
  // RFC 5321 and RFC 1035.
  email: 320,
  hostname: 254,
  ipv4: 15,
  ipv6: 45,
  uuid: 45,
};

export const formats: Readonly<Record<string, Format>> = Object.fromEntries(
  Object.entries({ ...fullFormats, url: isUrl }).map(([name, format]) => [name, limited(name, format)]),
);

/** ajv's own expression for this one takes the square of the text's length. */
function isUrl(text: string): boolean {
  if (!/^(?:https?|ftp):\/\/[^\s/?#]/i.test(text) || /\s/.test(text) || !URL.canParse(text)) return false;
  const { hostname } = new URL(text);
  // A name on the Internet, or an address.
  return /^[^.].*\.[^.\d][^.]*\.?$/.test(hostname) || /^(?:\d+\.){3}\d+$/.test(hostname) || hostname.startsWith("[");
}

function limited(name: string, format: Format): Format {
  const max = MAX_CHARACTERS[name];
  if (max === undefined) return format;
  const validate = validatorOf(format);
  return (text: string) => text.length <= max && validate(text);
}

function validatorOf(format: Format): (text: string) => boolean {
  if (format instanceof RegExp) return (text) => format.test(text);
  const validate = typeof format === "object" ? format.validate : format;
  if (validate instanceof RegExp) return (text) => validate.test(text);
  if (typeof validate !== "function") throw new Error("a format has no validator");
  // Those of this file are of texts, and say it at once.
  return (text) => (validate as (text: string) => boolean)(text);
}
