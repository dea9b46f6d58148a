import { describe, expect, test } from "vitest";
import { clientAddress, parseTrustedProxies } from "./client-address.ts";

const trusted = parseTrustedProxies(["10.0.0.0/8", "192.0.2.7", "fd00::/8"]);

describe("the client's address", () => {
  test.each([
    ["of a direct peer is the peer's", "203.0.113.5", undefined, "203.0.113.5"],
    ["ignores what an untrusted peer says", "203.0.113.5", "198.51.100.1", "203.0.113.5"],
    ["is what a trusted proxy has added", "10.1.2.3", "198.51.100.1", "198.51.100.1"],
    ["is read from the right, over trusted proxies", "10.1.2.3", "1.1.1.1, 198.51.100.1, 192.0.2.7", "198.51.100.1"],
    ["is never what stands left of the first untrusted one", "10.1.2.3", "10.9.9.9, 198.51.100.1", "198.51.100.1"],
    ["is the proxy's where it says nothing", "10.1.2.3", undefined, "10.1.2.3"],
    ["is the last known one before what is no address", "10.1.2.3", "198.51.100.1, unknown", "10.1.2.3"],
    ["may come with a port", "10.1.2.3", "198.51.100.1:4711", "198.51.100.1"],
    ["of IPv6 may come with a port", "fd00::1", "[2001:db8::1]:4711", "2001:db8::1"],
    ["is found behind a proxy whose address is mapped to IPv6", "::ffff:10.1.2.3", "198.51.100.1", "198.51.100.1"],
    ["is the leftmost where all are trusted", "10.1.2.3", "10.0.0.1, 10.0.0.2", "10.0.0.1"],
    [
      "is found at the end of a header of endless hops",
      "10.1.2.3",
      `${"1.1.1.1,".repeat(1000)}198.51.100.1`,
      "198.51.100.1",
    ],
    ["is without the zone of a link-local address", "fe80::1%eth0", undefined, "fe80::1"],
    ["is the peer's under a header of endless hops", "10.1.2.3", "10.0.0.1,".repeat(1000), "10.1.2.3"],
  ])("%s", (_name, peer, header, expected) => {
    expect(clientAddress(peer, header, trusted)).toBe(expected);
  });

  test("without trusted proxies is always the peer's", () => {
    expect(clientAddress("127.0.0.1", "198.51.100.1", parseTrustedProxies([]))).toBe("127.0.0.1");
  });
});

test.each(["10.0.0.0/33", "10.0.0.0/8/8", "proxy.internal", "::1/129", "10.0.0.0/", ""])(
  "%s is no range of proxies",
  (entry) => {
    expect(() => parseTrustedProxies([entry])).toThrow("must be addresses or CIDR ranges");
  },
);
