/**
 * Networks of their own for processes of one machine: Linux network namespaces on a bridge, each with its own address. To the
 * processes, it is as if each ran on another machine: none reaches what another has on its loopback address. Needs root and `ip`
 * (on Debian: `apt-get install iproute2`).
 */
import { execFileSync } from "node:child_process";

/** A private range that few machines use; the bridge has the first address of it. */
const RANGE = "10.213.77.0/24";
const addressOf = (number: number): string => `10.213.77.${number}`;
const BRIDGE = "rowmill-bench";

export interface NetworkNamespaces {
  /** Of this process, for what all of them connect to. */
  address: string;
  /** Of all addresses, as PostgreSQL's `pg_hba.conf` takes it. */
  range: string;
  /** Of namespace `number`, from 2 to 254. */
  addressOf: (number: number) => string;
  /** What a command begins with to run in namespace `number`. */
  commandIn(number: number): string[];
  remove(): void;
}

/** Throws where one of these namespaces exists already, or without the right to make them. */
export function createNetworkNamespaces(numbers: readonly number[]): NetworkNamespaces {
  const nameOf = (number: number): string => `${BRIDGE}-${number}`;
  const made: string[][] = [];
  const remove = (): void => {
    for (const command of made.toReversed()) execFileSync("ip", command);
  };
  try {
    ip("link", "add", BRIDGE, "type", "bridge");
    made.push(["link", "delete", BRIDGE]);
    ip("address", "add", `${addressOf(1)}/24`, "dev", BRIDGE);
    ip("link", "set", BRIDGE, "up");
    for (const number of numbers) {
      const [name, outer, inner] = [nameOf(number), `rmb${number}`, "eth0"];
      ip("netns", "add", name);
      // With the namespace, its end of the pair goes, and with one end the other.
      made.push(["netns", "delete", name]);
      ip("link", "add", outer, "type", "veth", "peer", "name", inner, "netns", name);
      ip("link", "set", outer, "master", BRIDGE, "up");
      ip("-n", name, "address", "add", `${addressOf(number)}/24`, "dev", inner);
      ip("-n", name, "link", "set", inner, "up");
      ip("-n", name, "link", "set", "lo", "up");
    }
  } catch (error) {
    remove();
    throw error;
  }
  return {
    address: addressOf(1),
    range: RANGE,
    addressOf,
    commandIn: (number) => ["ip", "netns", "exec", nameOf(number)],
    remove,
  };
}

const ip = (...command: string[]): void => void execFileSync("ip", command);
