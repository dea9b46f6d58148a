import { createSocket, type Socket } from "node:dgram";
import { afterEach, expect, test } from "vitest";
import { createResolve } from "./resolver.ts";

const TYPE_A = 1;
const TYPE_AAAA = 28;
const NAME_ERROR = 3;
const SERVER_FAILURE = 2;

type Answer = { addresses: number[][] } | { errorCode: number } | "silence";

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close();
});

/** A name server (RFC 1035) that says the same about every name; answers its `address:port`. */
async function nameServer(answer: (type: number) => Answer): Promise<string> {
  const socket = createSocket("udp4");
  sockets.push(socket);
  socket.on("message", (query, peer) => {
    const questionEnd = query.indexOf(0, 12) + 5;
    const type = query.readUInt16BE(questionEnd - 4);
    const said = answer(type);
    if (said === "silence") return;
    const addresses = "addresses" in said ? said.addresses : [];
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180 | ("errorCode" in said ? said.errorCode : 0), 2);
    header.writeUInt16BE(addresses.length, 6);
    header.writeUInt32BE(0, 8);
    const records = addresses.map((bytes) =>
      // Name: a pointer to the question; class IN; one minute to live.
      Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, bytes.length, ...bytes]),
    );
    socket.send(Buffer.concat([header, query.subarray(12, questionEnd), ...records]), peer.port, peer.address);
  });
  await new Promise<void>((listening) => socket.bind(0, "127.0.0.1", listening));
  return `127.0.0.1:${socket.address().port}`;
}

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

test("every call asks anew, so a changed answer is seen", async () => {
  let queries = 0;
  const server = await nameServer((type) =>
    type === TYPE_A ? { addresses: [[8, 8, 8, (queries += 1)]] } : { addresses: [] },
  );
  const resolve = createResolve({ servers: [server] });
  await expect(resolve("hooks.example.com", never)).resolves.toEqual(["8.8.8.1"]);
  await expect(resolve("hooks.example.com", never)).resolves.toEqual(["8.8.8.2"]);
});

test.each<[string, Answer, string]>([
  ["does not exist", { errorCode: NAME_ERROR }, "The name of the host has no address."],
  ["has no addresses", { addresses: [] }, "The name of the host has no address."],
  ["cannot be asked about", { errorCode: SERVER_FAILURE }, "The name servers of the host did not answer."],
])("a name that %s is a dns failure", async (_name, answer, message) => {
  const server = await nameServer(() => answer);
  const resolving = createResolve({ servers: [server] })("hooks.example.com", never);
  await expect(resolving).rejects.toMatchObject({ reason: "dns", message });
});

test("a name server that never answers is given up on after the time in all", async () => {
  const server = await nameServer(() => "silence");
  const startedAt = performance.now();
  const resolving = createResolve({ servers: [server], timeoutMs: 100 })("hooks.example.com", never);
  await expect(resolving).rejects.toMatchObject({ reason: "dns" });
  expect(performance.now() - startedAt).toBeLessThan(1_000);
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
