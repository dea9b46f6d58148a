/**
 * Requests without a valid key, by the address they come from, in this process alone: what they can cost is little, and nothing
 * of it is worth a query of the database.
 */
import { isIPv6 } from "node:net";

/** Reading the reference needs far less, and guessing a key at this rate is hopeless. */
const PER_MINUTE = 600;
const BURST = 200;
/** Addresses remembered; the one that was quiet for longest is forgotten first. */
const MAX_ADDRESSES = 20_000;

export interface AddressLimit {
  /** Undefined: go on. Otherwise the seconds until it may be tried again. */
  take(ip: string): number | undefined;
  /** What was taken for a request that turned out to have a valid key. */
  release(ip: string): void;
}

export function createAddressLimit(now: () => number = () => performance.now()): AddressLimit {
  const buckets = new Map<string, { tokens: number; at: number }>();
  function tokensOf(name: string): number {
    const known = buckets.get(name);
    return known === undefined ? BURST : Math.min(BURST, known.tokens + ((now() - known.at) / 60_000) * PER_MINUTE);
  }
  const waitFor = (tokens: number): number | undefined =>
    tokens >= 1 ? undefined : Math.max(1, Math.ceil(((1 - tokens) / PER_MINUTE) * 60));
  return {
    take(ip) {
      const name = nameOf(ip);
      const tokens = tokensOf(name);
      buckets.delete(name);
      buckets.set(name, { tokens: tokens >= 1 ? tokens - 1 : tokens, at: now() });
      if (buckets.size > MAX_ADDRESSES) {
        const [oldest] = buckets.keys();
        if (oldest !== undefined) buckets.delete(oldest);
      }
      return waitFor(tokens);
    },
    release(ip) {
      const bucket = buckets.get(nameOf(ip));
      if (bucket !== undefined) bucket.tokens = Math.min(BURST, bucket.tokens + 1);
    },
  };
}

/** One customer has a whole /64 of IPv6. */
function nameOf(ip: string): string {
  if (!isIPv6(ip) || ip.includes(".")) return ip;
  const [head = "", tail] = ip.split("%")[0]?.split("::") ?? [];
  const groups = head === "" ? [] : head.split(":");
  if (tail !== undefined) {
    const rest = tail === "" ? [] : tail.split(":");
    while (groups.length + rest.length < 8) groups.push("0");
    groups.push(...rest);
  }
  return groups.slice(0, 4).join(":");
}
