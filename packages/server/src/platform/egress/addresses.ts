/**
 * Which addresses are out on the public internet. Everything the IANA special-purpose registries keep back is denied;
 * IPv6 is denied by default, and only 2000::/3 less its special ranges is let through. The metadata addresses of the
 * clouds lie inside the denied ranges.
 */
import { BlockList, isIP } from "node:net";

/** https://www.iana.org/assignments/iana-ipv4-special-registry, multicast and the former class E. */
const DENIED_IPV4 = [
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private
  "100.64.0.0/10", // carrier-grade NAT
  "127.0.0.0/8", // loopback
  "169.254.0.0/16", // link local, cloud metadata
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments
  "192.0.2.0/24", // documentation
  "192.31.196.0/24", // AS112
  "192.52.193.0/24", // AMT
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16", // private
  "192.175.48.0/24", // AS112
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, broadcast
];

/** What lies outside 2000::/3 (mapped, NAT64, unique and link local, multicast …), and the special ranges inside it. */
const DENIED_IPV6 = [
  "::/3",
  "4000::/2",
  "8000::/1",
  "2001::/23", // protocol assignments, Teredo
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4
  "2620:4f:8000::/48", // AS112
  "3fff::/20", // documentation
];

const deniedIpv4 = blockList("ipv4", DENIED_IPV4);
const deniedIpv6 = blockList("ipv6", DENIED_IPV6);

/** Whether `address` is an IP address that is globally reachable. What is no address, or carries a zone, is not. */
export function isGlobal(address: string): boolean {
  // BlockList.check returns false, as if "not denied", for what is not an address; and a zone id would pass isIP.
  switch (address.includes("%") ? 0 : isIP(address)) {
    case 4:
      return !deniedIpv4.check(address, "ipv4");
    case 6:
      return !deniedIpv6.check(address, "ipv6");
    default:
      return false;
  }
}

function blockList(family: "ipv4" | "ipv6", ranges: string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = "", prefix] = range.split("/");
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}
