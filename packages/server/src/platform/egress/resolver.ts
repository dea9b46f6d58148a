/**
 * Names to addresses for calls to the outside. Not `dns.lookup`: that blocks one of the four threads which all file
 * work shares, so a few slow names would stall the process; and it reads the hosts file, which a customer's name must
 * not reach.
 */
import { Resolver } from "node:dns/promises";
import { isIP, isIPv4, isIPv6 } from "node:net";
import { codeOf } from "../error-code.ts";
import { EgressError, noPublicAddress } from "./failure.ts";

/** The first wait for a name server; the second try doubles it. */
const QUERY_TIMEOUT_MS = 1_500;
const QUERY_TRIES = 2;

/** All of it; below the connect timeout, so that a dead name server is reported as `dns`. */
const RESOLVE_TIMEOUT_MS = 4_500;

/** Every IPv4 and IPv6 address of a name. Rejects with an EgressError `dns` where there is none. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<string[]>;

/** `9.9.9.9`, `10.0.0.2:5353`, `[2620:fe::fe]:53`. Throws an Error with a sentence for anything else. */
export function parseNameServers(entries: readonly string[]): string[] {
  const wrong = entries.find((entry) => !isNameServer(entry));
  if (wrong === undefined) return [...entries];
  throw new Error(
    `A name server is an address, or an address and a port, such as 9.9.9.9 or [2620:fe::fe]:53; ${JSON.stringify(wrong)} is not one.`,
  );
}

/** Node's own check lets ports through that end the process later. */
function isNameServer(entry: string): boolean {
  if (isIP(entry) !== 0) return true;
  const { bracketed, bare, port } =
    /^(?:\[(?<bracketed>[^\]]+)\]|(?<bare>[^:]+)):(?<port>[0-9]{1,5})$/.exec(entry)?.groups ?? {};
  const isAddress = isIPv6(bracketed ?? "") || isIPv4(bare ?? "");
  return isAddress && Number(port) >= 1 && Number(port) <= 65_535;
}

export interface ResolverOptions {
  /** Name servers as `address:port`; otherwise those of the system. */
  servers?: string[];
  timeoutMs?: number;
}

export function createResolve({ servers, timeoutMs = RESOLVE_TIMEOUT_MS }: ResolverOptions = {}): Resolve {
  return async function resolveAddresses(name, signal) {
    signal.throwIfAborted();
    // One resolver per name: `cancel` ends all queries of a resolver, and nothing is kept from one call to the next.
    const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    const timer = setTimeout(cancel, timeoutMs);
    signal.addEventListener("abort", cancel, { once: true });
    try {
      const responses = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      signal.throwIfAborted();
      const addresses = responses.flatMap((response) => (response.status === "fulfilled" ? response.value : []));
      if (addresses.length === 0) throw noAddress(responses);
      return addresses;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
    }
  };
}

function noAddress(responses: PromiseSettledResult<string[]>[]): EgressError {
  const errors = responses.flatMap((response) => (response.status === "rejected" ? [response.reason as unknown] : []));
  const withoutResponse = errors.some((error) => !["ENOTFOUND", "ENODATA"].includes(codeOf(error) ?? ""));
  if (!withoutResponse) return noPublicAddress(errors[0]);
  return new EgressError("dns", "The name servers of the host did not respond.", { cause: errors[0] });
}
