/** What a response is to a row: its output, or the failure that its status or its content is. */
import { isUtf8 } from "node:buffer";
import { STATUS_CODES } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, zstdDecompress } from "node:zlib";
import type { FailureCode } from "@rowmill/contract/failures";
import { codeOf } from "../../platform/error-code.ts";
import { isDeeperThan } from "../../platform/json-text.ts";
import { parseRetryAfterSeconds } from "../../platform/egress/retry-after.ts";
import type { Problem, RowFailure } from "../processor.ts";
import type { Redact } from "../redact.ts";
import { parseExactJson } from "../../platform/exact-json.ts";
import { compileTemplate, TemplateError } from "../templates/templates.ts";
import type { ExchangeResponse } from "../../platform/egress/exchange.ts";
import { MAX_RESPONSE_DEPTH, MAX_EXCERPT_CHARACTERS } from "./http-limits.ts";
import { cutText } from "../../platform/text.ts";
import { present } from "../../platform/present.ts";

/** Temporary refusals: timeout, conflict with another running request, too early, too many. */
const PASSING_REFUSALS: ReadonlySet<number> = new Set([408, 409, 425, 429]);

export interface ResponseRules {
  /** Empty: 200 to 299. */
  expectedStatuses: readonly number[];
  /** Undefined: the whole response is the output. */
  pick: ((value: unknown) => unknown) | undefined;
  maxBytes: number;
}

export const isExpected = ({ expectedStatuses }: Pick<ResponseRules, "expectedStatuses">, status: number): boolean =>
  expectedStatuses.length === 0 ? status >= 200 && status <= 299 : expectedStatuses.includes(status);

type Headers = ExchangeResponse["headers"];

export type ClassifiedResponse = { ok: true; output: string } | { ok: false; failure: RowFailure };

/** How the body of a response becomes text. Its headers have been redacted. */
interface Reading {
  maxBytes: number;
  sentSecret: boolean;
  redact: Redact;
}

/** Of a response whose status is expected, unpacked. A pure function: a large response is read in another process. */
export function interpretOutput(
  response: ExchangeResponse,
  { pick }: Pick<ResponseRules, "pick">,
  reading: Pick<Reading, "sentSecret" | "redact">,
): ClassifiedResponse {
  const decoded = toText(response.body, response.headers, reading);
  if (decoded === undefined) return failed("output_not_json", "The response is neither JSON nor text.");
  if ("charset" in decoded) return failed("output_not_json", refuseCharset(decoded.charset));
  const text = reading.redact.body(decoded.text);
  if (pick === undefined && text.trim() === "") return { ok: true, output: "null" };
  const notJson = (message: string): ClassifiedResponse =>
    failed("output_not_json", message, { status: response.status, answer: excerpt(reading.redact.text(text)) });
  // Text that begins otherwise has no depth.
  if (/^\s*[[{]/.test(text) && isDeeperThan(text, MAX_RESPONSE_DEPTH))
    return notJson(`The response is nested deeper than ${MAX_RESPONSE_DEPTH} levels.`);
  let value: unknown;
  try {
    // What is passed on as it stands need not be exact.
    value = pick === undefined ? JSON.parse(text) : parseExactJson(text);
  } catch {
    if (pick === undefined && !isSaidToBeJson(response.headers)) return { ok: true, output: JSON.stringify(text) };
    // The parser's own words repeat the response.
    return notJson("The response is not JSON.");
  }
  // Between tokens a line break is white space, and inside a string there can be none.
  if (pick === undefined) return { ok: true, output: text.trim().replaceAll(/[\r\n]+/g, " ") };
  const picked = pick(value);
  if (!(picked instanceof TemplateError)) return { ok: true, output: JSON.stringify(picked) };
  const path = picked.path.slice(ROOT.length).replace(/^\./, "");
  const details = { path, status: response.status, answer: excerpt(reading.redact.text(text)) };
  return failed("output_schema_invalid", `The response has no ${path}, which \`responsePath\` names.`, details);
}

/** Of any response, to show it; undefined where it is not text, or text in which a secret could not be found. */
export async function readText(response: ExchangeResponse, reading: Reading): Promise<string | undefined> {
  const body = await unpack(response, reading.maxBytes);
  const decoded = "failure" in body ? undefined : toText(body.bytes, response.headers, { ...reading, isCut: true });
  if (decoded === undefined || "charset" in decoded) return undefined;
  return reading.sentSecret && decoded.text.includes("\0") ? undefined : decoded.text;
}

/** Of a response whose status is not. */
export async function describeRefusal(response: ExchangeResponse, reading: Reading): Promise<RowFailure> {
  const { status, headers } = response;
  const body = await unpack(response, reading.maxBytes);
  const decoded = "failure" in body ? undefined : toText(body.bytes, headers, { ...reading, isCut: true });
  const text = decoded === undefined || "charset" in decoded ? "" : reading.redact.text(decoded.text);
  const name = STATUS_CODES[status];
  const retryAfterSeconds = parseRetryAfterSeconds(headers["retry-after"], new Date());
  return {
    code: codeOfStatus(status, reading.sentSecret),
    message: `The service responded with ${status}${name === undefined ? "" : ` (${name})`}${adviceFor(status)}`,
    details: {
      status,
      ...(headers.location === undefined ? {} : { location: excerpt(headers.location) }),
      ...(text === "" ? {} : { answer: excerpt(text) }),
    },
    retryable: status >= 500 || PASSING_REFUSALS.has(status),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterMs: retryAfterSeconds * 1000 }),
  };
}

/**
 * What is neither an error of the service nor expected is refused by the job spec: there the request or `expect` must be
 * changed, as after a 4xx. A 401 to the connection's secret is an error of configuration, at which a run stops early.
 */
function codeOfStatus(status: number, sentSecret: boolean): FailureCode {
  if (status >= 500) return "http_5xx";
  return status === 401 && sentSecret ? "provider_auth_failed" : "http_4xx";
}

function adviceFor(status: number): string {
  if (status >= 300 && status <= 399) return "; redirects are not followed, so name the URL where the response is.";
  return status < 300 ? ", which the job spec does not expect." : ".";
}

/** By code unit; half a pair at the end is dropped. */
const excerpt = (text: string): string => cutText(text, MAX_EXCERPT_CHARACTERS);

const failed = (code: FailureCode, message: string, details?: Record<string, unknown>): ClassifiedResponse => ({
  ok: false,
  failure: { code, message, ...present({ details }) },
});

/**
 * Of every unpacker. Without a length of the body, a connection that is closed early looks like the end of the response; the next call may
 * get the rest. With one, all has arrived that was sent, and the next call, which may cost as much, gets the same.
 */
const ENDS_EARLY = "Z_BUF_ERROR";

const unpackers = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
};

/** It was asked for none, but some servers compress whatever is asked. What unpacks to more than `maxBytes` is not unpacked. */
export async function unpack(
  { headers, body }: ExchangeResponse,
  maxBytes: number,
): Promise<{ bytes: Buffer } | { failure: RowFailure }> {
  const encoding = headers["content-encoding"]?.trim().toLowerCase() ?? "";
  if (encoding === "" || encoding === "identity" || body.length === 0) return { bytes: body };
  if (!Object.hasOwn(unpackers, encoding))
    return {
      failure: {
        code: "output_not_json",
        message: `The response has an unknown content encoding: ${excerpt(headers["content-encoding"] ?? "")}.`,
      },
    };
  try {
    // Its own, as just seen.
    return { bytes: await unpackers[encoding as keyof typeof unpackers](body, { maxOutputLength: maxBytes }) };
  } catch (error) {
    const code = codeOf(error);
    if (code === "ERR_BUFFER_TOO_LARGE") return { failure: failureOfSize(maxBytes) };
    if (code === ENDS_EARLY && headers["content-length"] === undefined)
      return { failure: { code: "network_error", message: `The response ends before its ${encoding} does.` } };
    return { failure: { code: "output_not_json", message: `The response is not valid ${encoding}.` } };
  }
}

/** The same response is as long the next time: `maxResponseBytes` or the request must be changed. */
export const failureOfSize = (maxBytes: number): RowFailure => ({
  code: "output_truncated",
  message: `The response is larger than the ${maxBytes} bytes of \`maxResponseBytes\`.`,
  retryable: false,
});

/** In which ASCII is written as ASCII, by the names of the WHATWG: in others a secret of ASCII has other bytes. */
const ASCII_COMPATIBLE =
  /^(?:utf-8|windows-\d+|iso-8859-\d+(?:-i)?|macintosh|x-mac-cyrillic|koi8-[ru]|ibm866|gbk|gb18030|big5|euc-(?:jp|kr)|shift_jis)$/;

const refuseCharset = (charset: string): string =>
  `The response is written in ${charset}. To a request with the connection's secret only responses in UTF-8, or another charset that contains ASCII, are read.`;

/** Undefined without text, or if it may not be read. UTF-8 unless the response names another charset. */
function toText(
  bytes: Buffer,
  headers: Headers,
  { sentSecret, isCut = false }: { sentSecret: boolean; isCut?: boolean },
): { text: string } | { charset: string } | undefined {
  const charset = /;\s*charset="?([^\s;"]+)/i.exec(headers["content-type"] ?? "")?.[1]?.toLowerCase() ?? "utf-8";
  if (charset === "utf-8" || charset === "utf8" || charset === "us-ascii") {
    if (!isCut && !isUtf8(bytes)) return undefined;
    return { text: bytes.toString("utf8").replace(/^\uFEFF/, "") };
  }
  try {
    const decoder = new TextDecoder(charset, { fatal: !isCut });
    if (sentSecret && !ASCII_COMPATIBLE.test(decoder.encoding)) return { charset: decoder.encoding };
    return { text: decoder.decode(bytes) };
  } catch {
    // An unknown charset, or bytes that are invalid in it.
    return undefined;
  }
}

const isSaidToBeJson = (headers: Headers): boolean =>
  /^\s*application\/(?:[\w.+-]+\+)?json\b/i.test(headers["content-type"] ?? "");

/** The root of a path into a response, for the templates' way of reading members. */
const ROOT = "answer";

/** `data.items.0.name` or `[0]["odd name"]`, by own members only, as in templates. */
export function compileResponsePath(path: string): { pick?: (value: unknown) => unknown; problems: Problem[] } {
  const template = compileTemplate(`{{${ROOT}${path.startsWith("[") ? "" : "."}${path}}}`, { names: [ROOT] });
  const tag = template.singleTag;
  if (template.problems.length > 0 || tag === undefined || tag.filters.length > 0 || tag.keys.length === 0)
    return {
      problems: [
        {
          path: "/responsePath",
          message: 'A path names members and elements, such as data.items.0.name or items[0]["odd name"].',
        },
      ],
    };
  return { problems: [], pick: (value) => template.evaluate({ [ROOT]: value }) };
}
