/** Parts of HTTP responses, for every client that reads them. */
import type { IncomingHttpHeaders } from "node:http";

/** One value a name: a field that came several times is one with a list (RFC 9110, section 5.3), also where none is allowed. */
export function flattenHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  if (isFlat(headers)) return headers;
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
    ),
  );
}

/** Mostly they are. */
const isFlat = (headers: IncomingHttpHeaders): headers is Record<string, string> =>
  Object.values(headers).every((value) => typeof value === "string");

export interface CollectedBody {
  /** Bytes so far. */
  readonly size: number;
  add(chunk: Buffer): void;
  /** All of it; what is added later is not in it. */
  toBuffer(): Buffer;
}

/**
 * Puts a body together as it comes, in at most twice its size. A list of the pieces would leave that to the server: 8 MiB in
 * pieces of one byte are a gigabyte of objects.
 */
export function collectBody(): CollectedBody {
  let buffer: Buffer | undefined;
  let size = 0;
  return {
    get size() {
      return size;
    },
    add(chunk) {
      // Most responses are one piece, which is kept as it is.
      if (buffer === undefined) buffer = chunk;
      else {
        if (size + chunk.length > buffer.length) {
          const larger = Buffer.allocUnsafeSlow(Math.max(2 * size, size + chunk.length));
          buffer.copy(larger, 0, 0, size);
          buffer = larger;
        }
        chunk.copy(buffer, size);
      }
      size += chunk.length;
    },
    toBuffer: () => buffer?.subarray(0, size) ?? Buffer.alloc(0),
  };
}
