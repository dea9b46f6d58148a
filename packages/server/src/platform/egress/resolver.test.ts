import { describe, expect, test } from "vitest";
import {
  NAME_ERROR,
  nameServer,
  SERVER_FAILURE,
  TYPE_A,
  TYPE_AAAA,
  type NameResponse,
} from "../../testing/name-server.ts";
import { createResolve, parseNameServers } from "./resolver.ts";

const ipv6 = [0x26, 0x06, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x11];
const never = new AbortController().signal;

test("all addresses of both families come back", async () => {
  const server = await nameServer((type) => ({
    addresses:
      type === TYPE_A
        ? [
            [8, 8, 8, 8],
            [127, 0, 0, 1],
          ]
        : [ipv6],
  }));
  const resolve = createResolve({ servers: [server] });
  await expect(resolve("hooks.example.com", never)).resolves.toEqual(["8.8.8.8", "127.0.0.1", "2606:4700::1111"]);
});

test("one family is enough", async () => {
  const server = await nameServer((type) =>
    type === TYPE_AAAA ? { addresses: [ipv6] } : { errorCode: SERVER_FAILURE },
  );
  await expect(createResolve({ servers: [server] })("hooks.example.com", never)).resolves.toEqual(["2606:4700::1111"]);
});

test("every call asks again, so a changed response is seen", async () => {
  let queries = 0;
  const server = await nameServer((type) =>
    type === TYPE_A ? { addresses: [[8, 8, 8, (queries += 1)]] } : { addresses: [] },
  );
  const resolve = createResolve({ servers: [server] });
  await expect(resolve("hooks.example.com", never)).resolves.toEqual(["8.8.8.1"]);
  await expect(resolve("hooks.example.com", never)).resolves.toEqual(["8.8.8.2"]);
});

test.each<[string, NameResponse, string]>([
  ["does not exist", { errorCode: NAME_ERROR }, "The name of the host has no public address."],
  ["has no addresses", { addresses: [] }, "The name of the host has no public address."],
  ["cannot be asked about", { errorCode: SERVER_FAILURE }, "The name servers of the host did not respond."],
])("a name that %s is a dns failure", async (_name, response, message) => {
  const server = await nameServer(() => response);
  const resolving = createResolve({ servers: [server] })("hooks.example.com", never);
  await expect(resolving).rejects.toMatchObject({ reason: "dns", message });
});

test("a name server that never responds is abandoned after the time in all", async () => {
  const server = await nameServer(() => "silence");
  const resolving = createResolve({ servers: [server], timeoutMs: 100 })("hooks.example.com", never);
  // Queries that end by their own time and tries have another code.
  await expect(resolving).rejects.toMatchObject({ reason: "dns", cause: { code: "ECANCELLED" } });
});

test("an abort ends the queries at once, with the reason of the abort", async () => {
  const abort = new AbortController();
  const reason = new Error("the caller is gone");
  const server = await nameServer(() => {
    abort.abort(reason);
    return "silence";
  });
  await expect(createResolve({ servers: [server] })("hooks.example.com", abort.signal)).rejects.toBe(reason);
  await expect(createResolve({ servers: [server] })("hooks.example.com", abort.signal)).rejects.toBe(reason);
});

test("the hosts file is not read", async () => {
  const server = await nameServer(() => ({ errorCode: NAME_ERROR }));
  const { hostname } = await import("node:os");
  await expect(createResolve({ servers: [server] })(hostname(), never)).rejects.toMatchObject({ reason: "dns" });
});

describe("name servers of the operator", () => {
  test("are addresses, with or without a port", () => {
    const entries = ["9.9.9.9", "10.0.0.2:5353", "2620:fe::fe", "[2620:fe::fe]:53"];
    expect(parseNameServers(entries)).toEqual(entries);
    expect(parseNameServers([])).toEqual([]);
  });

  test.each([
    "dns.example.com",
    "9.9.9.9:0",
    "9.9.9.9:65536",
    "9.9.9.9:x",
    "9.9.9:53",
    "[9.9.9.9]:53",
    "[2620:fe::fe]:",
    "",
  ])("%j is refused", (entry) => {
    expect(() => parseNameServers(["9.9.9.9", entry])).toThrow(`${JSON.stringify(entry)} is not one.`);
  });
});
