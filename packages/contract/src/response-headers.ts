/** Header fields of responses: what the OpenAPI document declares, and what the tests look for in every response. */
import { isRetryable, statusOf } from "./errors.ts";
import type { ErrorCode } from "./errors.ts";
import type { Operation } from "./operation.ts";

export interface ResponseHeader {
  /** As it is sent; a name may stand here twice: always there, or only sometimes. */
  name: string;
  description: string;
  schema: { type: "string" | "integer"; pattern?: string; const?: string; minimum?: number };
  examples: readonly string[];
  isAlwaysThere: boolean;
}

const retryAfter = {
  name: "Retry-After",
  schema: { type: "integer", minimum: 1 },
  examples: ["2"],
} as const;
const etag = {
  name: "ETag",
  schema: { type: "string", pattern: '^(W/)?"[!#-~]+"$' },
  examples: ['"5d41402abc4b2a76b9719d911017c592"'],
} as const;

/** By the name under which the OpenAPI document refers to them. */
export const responseHeaders = {
  RequestId: {
    name: "Request-Id",
    description: "Names the request, in the service's log and audit events, too.",
    schema: { type: "string", pattern: "^req_[0-9a-z]{26}$" },
    examples: ["req_01jd3v8m7qe6t9yb4c2xk5w0hz"],
    isAlwaysThere: true,
  },
  RateLimitPolicy: {
    name: "RateLimit-Policy",
    description:
      "The limits that hold: of the key if it has one of its own, of the keys it was made with (`maker-1`, …) and of the organization; `q` requests in `w` seconds (`draft-ietf-httpapi-ratelimit-headers`). Only where there are limits.",
    schema: { type: "string", pattern: '^("(key|maker-[0-9]|organization)";q=[0-9]+;w=60(, |$))+$' },
    examples: ['"organization";q=6000;w=60'],
    isAlwaysThere: false,
  },
  RateLimit: {
    name: "RateLimit",
    description:
      "How the limits stand: `r` requests are left, and all of them again in `t` seconds. Only where there are limits.",
    schema: { type: "string", pattern: '^("(key|maker-[0-9]|organization)";r=[0-9]+;t=[0-9]+(, |$))+$' },
    examples: ['"organization";r=5999;t=1'],
    isAlwaysThere: false,
  },
  RetryAfter: {
    ...retryAfter,
    description: "Seconds after which the same request may be sent again.",
    isAlwaysThere: true,
  },
  RetryAfterIfRetryable: {
    ...retryAfter,
    description: "Seconds after which the same request may be sent again; only where the error is retryable.",
    isAlwaysThere: false,
  },
  IdempotentReplayed: {
    name: "Idempotent-Replayed",
    description: "The response was given before, to a request with the same `Idempotency-Key`: nothing was done again.",
    schema: { type: "string", const: "true" },
    examples: ["true"],
    isAlwaysThere: false,
  },
  Location: {
    name: "Location",
    description: "Where the created thing is read.",
    schema: { type: "string", pattern: "^/v1/" },
    examples: ["/v1/runs/run_01jd3v8m7qe6t9yb4c2xk5w0hz"],
    isAlwaysThere: true,
  },
  ETag: { ...etag, description: "Changes with the response: for `If-None-Match` and `If-Match`.", isAlwaysThere: true },
  ETagUnlessStreamed: {
    ...etag,
    description: "Changes with the response: for `If-None-Match`. Not where items are streamed, one a line.",
    isAlwaysThere: false,
  },
} as const satisfies Record<string, ResponseHeader>;
export type ResponseHeaderKey = keyof typeof responseHeaders;

/** Of a response of the operation with this status; `codes` are the errors that the operation may return. */
export function headersOf(o: Operation, status: number, codes: readonly ErrorCode[]): ResponseHeaderKey[] {
  const keys: ResponseHeaderKey[] = ["RequestId"];
  // Neither the admin nor a request without a key gets these headers.
  if (o.access.by !== "admin" && o.access.by !== "public") keys.push("RateLimitPolicy", "RateLimit");
  if (status >= 400) {
    const ofStatus = codes.filter((code) => statusOf(code) === status);
    if (MAY_BE_REPEATED.has(status) && ofStatus.some(isRetryable))
      keys.push(ofStatus.every(isRetryable) ? "RetryAfter" : "RetryAfterIfRetryable");
    return keys;
  }
  if (o.plain === true) return keys;
  if (o.method === "GET") keys.push(o.streams === true ? "ETagUnlessStreamed" : "ETag");
  if (o.idempotency !== "none") keys.push("IdempotentReplayed");
  if (o.location !== undefined && status === o.response.status) keys.push("Location");
  return keys;
}

/** Errors of other statuses pass, if at all, when something else has changed: nobody can say when. */
const MAY_BE_REPEATED: ReadonlySet<number> = new Set([409, 423, 429, 503, 507]);
