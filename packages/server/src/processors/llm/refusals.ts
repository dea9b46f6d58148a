/**
 * What a response other than a success means for a row, for OpenAI, Anthropic and those who speak like them.
 *
 * | response | code |
 * |---|---|
 * | 401, 403, an unknown key | `provider_auth_failed` |
 * | 402, a 429 or 400 that speaks of credit, quota or billing | `provider_auth_failed`, retryable: nothing but money is missing |
 * | 404, an error that says the model does not exist | `model_not_found` |
 * | 413, an error about the length of the context | `context_length_exceeded` |
 * | 400, 403 or 422 about policy, safety, or an image | `content_rejected` |
 * | 408, 504 | `provider_timeout` |
 * | 429 | `provider_rate_limited` |
 * | 503, 529 | `provider_overloaded` |
 * | 409, 425, other 5xx | `provider_error` |
 * | other 4xx, redirects | `provider_error`, neither tried again nor retryable: the request itself is at fault |
 */
import type { FailureCode } from "@rowmill/contract/failures";
import { parseRetryAfterSeconds } from "../../platform/egress/retry-after.ts";
import type { RowFailure } from "../processor.ts";
import { createRedact } from "../redact.ts";
import type { ProviderResponse } from "../provider-messages.ts";
import { cutText, storableText } from "../../platform/text.ts";
import { present } from "../../platform/present.ts";

/** What a provider returned in place of a completion. */
export interface Refusal {
  status: number;
  /** The provider's own names; absent where it gave none. */
  type?: string;
  code?: string;
  param?: string;
  /** What it says, or the body itself. */
  text: string;
}

export interface Refused {
  failure: RowFailure;
  /** Another provider may complete the same request. */
  isFaultOfProvider: boolean;
}

/** A provider repeats what it was sent; the beginning says what is wrong. */
const MAX_SHOWN_CHARACTERS = 500;

/** As much of a body as is looked at for an error: some servers respond with a page. */
const MAX_READ_CHARACTERS = 16_384;

/** How refusals (4xx) are classified: by the provider's type and code, then by its message. */
const KINDS: { code: FailureCode; named: RegExp; says: RegExp }[] = [
  {
    code: "context_length_exceeded",
    named: /^(?:context_length_exceeded|string_above_max_length|exceed_context_size_error|request_too_large)$/i,
    says: /context (?:length|window|size)|maximum (?:context|prompt|number of tokens)|prompt is too long|too many (?:input )?tokens|input (?:is )?too long|reduce the length|exceeds? (?:the )?(?:context|limit of \d+ tokens)/i,
  },
  {
    code: "model_not_found",
    named: /^(?:model_not_found|not_found_error|invalid_model|model_not_available)$/i,
    says: /\bmodels?\b[^.]{0,200}\b(?:(?:does|do) not exist|not (?:be )?found|not (?:currently )?available)\b|\b(?:unknown|invalid|no such) model\b|not a valid model\b/i,
  },
  {
    code: "content_rejected",
    named:
      /^(?:content_filter|content_policy_violation|moderation_blocked|invalid_image.*|image_parse_error|responsible_?ai.*)$/i,
    says: /content (?:management )?polic|content[ _]filter|usage polic|safety (?:system|filter|setting)|moderation|(?:could not|unable to|failed to) (?:process|decode|load|download|fetch)\b.{0,40}\bimage|image.{0,80}(?:invalid|unsupported|too large|could not)|(?:invalid|unsupported) image/is,
  },
  {
    code: "provider_auth_failed",
    named: /^(?:invalid_api_key|authentication_error|permission_error|permission_denied|invalid_authentication)$/i,
    says: /api[ _-]?key (?:not valid|is invalid|expired)|(?:invalid|incorrect) api[ _-]?key/i,
  },
];

const NO_MONEY_NAMED =
  /^(?:insufficient_quota|billing_(?:error|hard_limit_reached|not_active)|insufficient_(?:balance|funds|credits)|payment_required)$/i;
/** Not "exceeded your current quota": Google uses these words for a limit per minute. */
const NO_MONEY_SAYS = /credit balance|insufficient (?:balance|credits?|funds)|billing hard limit|payment required/i;

export function readRefusal({ status, body }: ProviderResponse): Refusal {
  const text = body.slice(0, MAX_READ_CHARACTERS);
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.length > MAX_READ_CHARACTERS ? "" : body);
  } catch {
    return { status, text };
  }
  // `{"error": {…}}`, `[{"error": {…}}]`, `{"error": "…"}`, `{"message": "…"}`, `{"detail": …}`
  const outer = memberOf(Array.isArray(parsed) ? parsed[0] : parsed, "error") ?? parsed;
  const said = textOf(memberOf(outer, "message")) ?? textOf(memberOf(outer, "detail")) ?? textOf(outer);
  const named = Object.entries({ type: "type", code: "code", param: "param" }).flatMap(([member, name]) => {
    const value = memberOf(outer, name);
    return typeof value === "string" || typeof value === "number" ? [[member, cutText(String(value), 200)]] : [];
  });
  return { status, text: said ?? text, ...(Object.fromEntries(named) as Pick<Refusal, "type" | "code" | "param">) };
}

/** A response of status 200 with an error in it, from gateways that have begun to respond. */
export function readHiddenRefusal(response: ProviderResponse): Refusal | undefined {
  if (!response.body.slice(0, MAX_READ_CHARACTERS).includes('"error"')) return undefined;
  const refusal = readRefusal(response);
  if (refusal.text === response.body) return undefined;
  const status = Number(refusal.code);
  return { ...refusal, status: status >= 400 && status < 600 ? status : 500 };
}

export function classifyRefusal(
  refusal: Refusal,
  headers: Record<string, string>,
  names: { secret: string | null; model: string },
  now: Date = new Date(),
): Refused {
  const verdict = verdictOn(refusal);
  const { code, isFaultOfProvider, ...more } = verdict;
  const retryAfterMs =
    code === "provider_rate_limited" || code === "provider_overloaded" ? retryAfterOf(headers, now) : undefined;
  return {
    isFaultOfProvider,
    failure: {
      code,
      message: describe(refusal, names, verdict),
      details: {
        status: refusal.status,
        model: names.model,
        ...(refusal.type === undefined ? {} : { type: clean(refusal.type, names.secret) }),
        ...(refusal.code === undefined ? {} : { code: clean(refusal.code, names.secret) }),
      },
      ...more,
      ...present({ retryAfterMs }),
    },
  };
}

type Verdict = Pick<RowFailure, "code" | "retryable" | "triedAgain"> & Pick<Refused, "isFaultOfProvider">;

function verdictOn(refusal: Refusal): Verdict {
  const { status, type = "", code = "", text } = refusal;
  const isNamed = (pattern: RegExp) => pattern.test(code) || pattern.test(type);
  const byProvider = (code: FailureCode): Verdict => ({ code, isFaultOfProvider: true });
  if (status === 402 || (status < 500 && (isNamed(NO_MONEY_NAMED) || NO_MONEY_SAYS.test(text))))
    // Every row would fail until somebody pays: the class "configuration" lets the breaker stop the run.
    return { code: "provider_auth_failed", retryable: true, triedAgain: false, isFaultOfProvider: true };
  switch (status) {
    case 401:
      return byProvider("provider_auth_failed");
    case 404:
      return byProvider("model_not_found");
    case 408:
    case 504:
      return byProvider("provider_timeout");
    case 413:
      return { code: "context_length_exceeded", isFaultOfProvider: false };
    case 429:
      return byProvider("provider_rate_limited");
    case 503:
    case 529:
      return byProvider("provider_overloaded");
    case 409:
    case 425:
      return byProvider("provider_error");
  }
  if (status >= 500 || status < 300) return byProvider("provider_error");
  if (status >= 400) {
    const kind = KINDS.find(({ named }) => isNamed(named)) ?? KINDS.find(({ says }) => says.test(text));
    if (kind !== undefined) {
      const isFaultOfProvider = kind.code === "model_not_found" || kind.code === "provider_auth_failed";
      return { code: kind.code, isFaultOfProvider };
    }
    if (status === 403) return byProvider("provider_auth_failed");
  }
  return { code: "provider_error", retryable: false, triedAgain: false, isFaultOfProvider: false };
}

function describe(refusal: Refusal, names: { secret: string | null; model: string }, verdict: Verdict): string {
  const said = clean(refusal.text, names.secret);
  const what =
    refusal.status >= 300 && refusal.status < 400
      ? `a redirect (${refusal.status}), which is not followed: the baseUrl of the connection must be the final one`
      : `${refusal.status}`;
  const remedy =
    verdict.code === "provider_auth_failed" && verdict.retryable === true
      ? "The account of the connection has no credit left. "
      : "";
  return `${remedy}The provider responded with ${what}${said === "" ? "." : `: ${said}`}`;
}

/**
 * A provider's words as they may be stored and shown: on one line, not too long, and without the secret, or the beginning of one that is
 * cut.
 */
export function clean(text: string, secret: string | null): string {
  const line = createRedact(secret)
    .text(cutText(text, MAX_READ_CHARACTERS))
    .replaceAll(/[\p{Cc}\s]+/gu, " ")
    .trim();
  return storableText(line.length > MAX_SHOWN_CHARACTERS ? `${cutText(line, MAX_SHOWN_CHARACTERS)}…` : line);
}

/** `retry-after-ms` is OpenAI's own, and more exact. */
function retryAfterOf(headers: Record<string, string>, now: Date): number | undefined {
  const ms = headers["retry-after-ms"]?.trim() ?? "";
  if (/^\d{1,12}$/.test(ms)) return Number(ms);
  const seconds = parseRetryAfterSeconds(headers["retry-after"], now);
  return seconds === undefined ? undefined : seconds * 1_000;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  // FastAPI responds with a list of problems.
  return Array.isArray(value) ? JSON.stringify(value) : undefined;
}
