/**
 * Cursors: the position after the page's last item, and an HMAC over that position together with organization, path and
 * filters. So a cursor survives restarts, inserts and deletes, and says nothing to another list, filter or tenant.
 */
import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { ApiError } from "./errors.ts";

export type Position = readonly (string | number)[];

/** What a cursor belongs to. */
export interface ListIdentity {
  organizationId: string;
  path: string;
  filters: Record<string, unknown>;
}

const MAC_BYTES = 16;
const MAX_CURSOR_LENGTH = 1024;

export interface Cursors {
  write(list: ListIdentity, position: Position): string;
  read(list: ListIdentity, cursor: string): Position;
}

/** The first key authenticates; cursors of the others, which it has replaced, are still good. */
export function createCursors([first, ...others]: readonly [Buffer, ...Buffer[]]): Cursors {
  // Made once: Node takes longer to examine a buffer than to compute a digest.
  const signing = createSecretKey(first);
  const keys = [signing, ...others.map((key) => createSecretKey(key))];
  const mac = (key: KeyObject, list: ListIdentity, text: string): Buffer => {
    const filters = Object.entries(list.filters).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return createHmac("sha256", key)
      .update(JSON.stringify([list.organizationId, list.path, filters]))
      .update("\n")
      .update(text)
      .digest()
      .subarray(0, MAC_BYTES);
  };
  return {
    write(list, position) {
      const text = JSON.stringify(position);
      return Buffer.concat([mac(signing, list, text), Buffer.from(text)]).toString("base64url");
    },
    read(list, cursor) {
      if (cursor.length > MAX_CURSOR_LENGTH || !/^[A-Za-z0-9_-]+$/.test(cursor)) throw invalid("it is damaged");
      const bytes = Buffer.from(cursor, "base64url");
      const text = bytes.subarray(MAC_BYTES).toString("utf8");
      if (bytes.length <= MAC_BYTES || bytes.toString("base64url") !== cursor) throw invalid("it is damaged");
      if (!keys.some((key) => timingSafeEqual(bytes.subarray(0, MAC_BYTES), mac(key, list, text))))
        throw invalid("it is damaged, or was made for another list, with other filters, or for another organization");
      return JSON.parse(text) as Position; // authenticated: we wrote it
    },
  };
}

const invalid = (reason: string): ApiError =>
  new ApiError("invalid_cursor", `The cursor cannot be used: ${reason}. Start again without one.`, {
    param: "cursor",
    extra: { reason },
  });
