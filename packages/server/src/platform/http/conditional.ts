/**
 * Conditional requests (RFC 9110, section 13). Every JSON response to a `GET` carries an `ETag` of its bytes; `If-None-Match`
 * saves sending them again, and `If-Match` on a change refuses it when the thing is not any more what its reader saw.
 */
import { hash } from "node:crypto";
import { ApiError } from "./errors.ts";

/** 162 bits: two different responses with one tag do not happen. */
const TAG_LENGTH = 27;

export const etagOf = (body: string | Buffer): string => `"${hash("sha256", body, "base64url").slice(0, TAG_LENGTH)}"`;

/** Whether one of the header's tags is this one; a weak tag of the same value counts, since our tags are of the bytes. */
export const matchesEtag = (header: string, etag: string): boolean =>
  header.split(",").some((part) => {
    const tag = part.trim().replace(/^W\//, "");
    return tag === "*" || tag === etag;
  });

export const preconditionFailed = (): ApiError =>
  new ApiError("precondition_failed", "It was changed since it was read: read it again and repeat the change.", {
    param: "If-Match",
  });
