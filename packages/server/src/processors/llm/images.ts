/**
 * Images of rows. An image by URL is fetched by the provider, never by the service; but the provider may be a server of the
 * operator's, next to things that customers must not reach, hence the rules for URLs of connections hold for it, too.
 */
import { Buffer } from "node:buffer";
import type { ConnectionEgress } from "../connection-parts.ts";
import type { RowFailure } from "../processor.ts";
import type { ImagePart, Message } from "./conversation.ts";

/** Longer ones are data in disguise. */
const MAX_URL_CHARACTERS = 8_192;

const DATA_URL = /^data:(image\/[a-z0-9.+-]{1,64})?(?:;[a-z0-9=.+-]{1,64})*;base64,/i;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Of every format that models take, what its files begin with. */
const SIGNATURES: [mediaType: string, begins: (head: string) => boolean][] = [
  ["image/png", (head) => head.startsWith("\x89PNG\r\n\x1a\n")],
  ["image/jpeg", (head) => head.startsWith("\xff\xd8\xff")],
  ["image/gif", (head) => head.startsWith("GIF8")],
  ["image/webp", (head) => head.startsWith("RIFF") && head.slice(8, 12) === "WEBP"],
  ["image/avif", (head) => head.slice(4, 12) === "ftypavif"],
  ["image/heic", (head) => /^ftyp(?:heic|heix|mif1)/.test(head.slice(4, 12))],
  ["image/bmp", (head) => head.startsWith("BM")],
  ["image/tiff", (head) => head.startsWith("II*\0") || head.startsWith("MM\0*")],
];

/** As many bytes as the longest signature needs. */
const HEAD_BYTES = 12;

export function readImageUrl(
  text: string,
  path: string,
  mayFetch: (url: URL) => string | undefined,
): ImagePart | RowFailure {
  const trimmed = text.trim();
  if (/^data:/i.test(trimmed)) return readImageData(trimmed, undefined, path);
  const details = { path };
  if (trimmed.length > MAX_URL_CHARACTERS || !URL.canParse(trimmed))
    return { code: "content_rejected", message: "The url of an image is not a URL.", details };
  const url = new URL(trimmed);
  const objection = /^https?:$/.test(url.protocol) ? mayFetch(url) : "The URL must begin with https://.";
  if (objection !== undefined)
    return { code: "egress_denied", message: `The url of an image is not allowed: ${objection}`, details };
  return { type: "image", mediaType: "image/*", url };
}

/** Where the provider is inside the operator's network, each URL must lead out of it by its addresses, too. */
export async function refuseImagesInside(
  egress: ConnectionEgress,
  baseUrl: string,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<RowFailure | undefined> {
  for (const { parts } of messages)
    for (const part of parts) {
      if (part.type !== "image" || part.url === undefined) continue;
      const objection = await egress.findObjection(new URL(baseUrl), part.url, signal);
      if (objection !== undefined)
        return { code: "egress_denied", message: `The url of an image is not allowed: ${objection}` };
    }
  return undefined;
}

/** Base64 as files are written in it: with line breaks, in the alphabet for URLs, or as a whole data URL. */
export function readImageData(text: string, mediaType: string | undefined, path: string): ImagePart | RowFailure {
  const prefix = DATA_URL.exec(text.slice(0, MAX_URL_CHARACTERS));
  const base64 = text
    .slice(prefix?.[0].length ?? 0)
    .replaceAll(/\s+/g, "")
    .replaceAll("-", "+")
    .replaceAll("_", "/");
  const rejected = (message: string): RowFailure => ({ code: "content_rejected", message, details: { path } });
  if (!BASE64.test(base64)) return rejected("The base64 of an image is not base64.");
  const head = Buffer.from(base64.slice(0, Math.ceil(HEAD_BYTES / 3) * 4), "base64").toString("latin1");
  const type = mediaType ?? SIGNATURES.find(([, begins]) => begins(head))?.[0] ?? prefix?.[1]?.toLowerCase();
  if (type === undefined)
    return rejected("The base64 of an image is of no known format; say which with mediaType, such as image/png.");
  return { type: "image", mediaType: type, base64 };
}
