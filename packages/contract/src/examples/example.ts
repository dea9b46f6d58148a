/**
 * One request to an operation, and its response, as the reference and the OpenAPI document show them. `tests/examples.test.ts` sends
 * these requests to a real service, in one walk, and compares what comes back.
 */
import { exampleId, idPrefixes } from "../schemas.ts";
import type { IdKind } from "../schemas.ts";

export interface Example {
  /** A sentence about the request, where it needs one. */
  note?: string;
  /** Whose key the request has: an organization's if absent. */
  by?: "admin" | "nobody";
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  body?: unknown;
  /** A body that is not JSON. */
  content?: string;
  response?: unknown;
  /** A response that is not JSON. */
  text?: string;
  /** Header fields that matter in the response. */
  responseHeaders?: Readonly<Record<string, string>>;
  /** Why the walk leaves it out; its body and response are validated by the schemas all the same. */
  notWalked?: string;
}

/** Last letters of made-up ids, so that several of a kind can be distinguished. */
const LETTERS = "zabcdefghjkmnpqrstvwxy0123456789";

/** The nth made-up id of a kind; the first is `exampleId`. */
export const nthId = (kind: IdKind, nth = 0): string =>
  nth === 0 ? exampleId(kind) : `${idPrefixes[kind]}_01jd3v8m7qe6t9yb4c2xk5w0h${LETTERS[nth] ?? "z"}`;
