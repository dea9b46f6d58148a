/** What answers of HTTP servers are made of, whatever client reads them. */
import type { IncomingHttpHeaders } from "node:http";

/** One value a name: a field that came several times is one with a list (RFC 9110, section 5.3), also where none is allowed. */
export function flattenHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
    ),
  );
}

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
  let held: Buffer | undefined;
  let size = 0;
  return {
    get size() {
      return size;
    },
    add(chunk) {
      // Most answers are one piece, which is kept as it is.
      if (held === undefined) held = chunk;
      else {
        if (size + chunk.length > held.length) {
          const larger = Buffer.allocUnsafeSlow(Math.max(2 * size, size + chunk.length));
          held.copy(larger, 0, 0, size);
          held = larger;
        }
        chunk.copy(held, size);
      }
      size += chunk.length;
    },
    toBuffer: () => held?.subarray(0, size) ?? Buffer.alloc(0),
  };
}
