/**
 * The address that a request comes from, also behind proxies. `X-Forwarded-For` is believed only as far as trusted proxies wrote
 * it: it is read from the right, where the proxy next to us has added its peer, up to the first address that is no trusted proxy.
 * What stands to the left of that anybody may have sent.
 */
import { BlockList, isIP } from "node:net";

/** From the right; no chain of proxies is longer. */
const MAX_HOPS = 20;

export type TrustedProxies = Pick<BlockList, "check">;

/** `10.0.0.0/8`, `fd00::/8`, or a single address. Throws an Error with a sentence for what is neither. */
export function parseTrustedProxies(entries: readonly string[]): TrustedProxies {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = "", bits, ...rest] = entry.split("/");
    const family = familyOf(address);
    const most = family === "ipv6" ? 128 : 32;
    const prefix = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
    if (family === undefined || rest.length > 0 || !(prefix <= most))
      throw new Error(`must be addresses or CIDR ranges such as 10.0.0.0/8, not "${entry}"`);
    list.addSubnet(address, prefix, family);
  }
  return list;
}

export function clientAddress(peer: string, forwardedFor: string | undefined, trusted: TrustedProxies): string {
  let address = plain(peer);
  if (forwardedFor === undefined) return address;
  for (const hop of forwardedFor.split(",").slice(-MAX_HOPS).toReversed()) {
    if (!isTrusted(address, trusted)) return address;
    const before = readHop(hop.trim());
    // The proxy has not said who its peer is: nothing further left can be trusted.
    if (before === undefined) return address;
    address = before;
  }
  return address;
}

function isTrusted(address: string, trusted: TrustedProxies): boolean {
  const family = familyOf(address);
  return family !== undefined && trusted.check(address, family);
}

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function readHop(text: string): string | undefined {
  const address = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  return isIP(address) === 0 ? undefined : plain(address);
}

/** An IPv4 peer of a socket that listens on both families is `::ffff:192.0.2.1`; a link-local one has a zone, `fe80::1%eth0`. */
const plain = (address: string): string => /^::ffff:([\d.]+)$/i.exec(address)?.[1] ?? address.replace(/%.*$/, "");

function familyOf(address: string): "ipv4" | "ipv6" | undefined {
  const family = isIP(address);
  return family === 0 ? undefined : family === 6 ? "ipv6" : "ipv4";
}
