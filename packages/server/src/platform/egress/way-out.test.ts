import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { NAME_ERROR, nameServer, SERVER_FAILURE } from "../../testing/name-server.ts";
import { createResolve } from "./resolver.ts";
import { checkWayOut } from "./way-out.ts";

test("name servers that say that a reserved name does not exist work, and those that fail do not", async () => {
  const [good, bad] = await Promise.all([
    nameServer(() => ({ errorCode: NAME_ERROR })),
    nameServer(() => ({ errorCode: SERVER_FAILURE })),
  ]);
  await expect(checkWayOut({ resolve: createResolve({ servers: [good] }) })).resolves.toBeUndefined();
  await expect(checkWayOut({ resolve: createResolve({ servers: [bad] }) })).rejects.toThrow(
    "No name server responds (ESERVFAIL)",
  );
});

test("a proxy must take connections", async () => {
  const resolve = createResolve({ servers: [await nameServer(() => ({ errorCode: NAME_ERROR }))] });
  const server = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on TCP
  await expect(checkWayOut({ resolve, proxy: { host: "127.0.0.1", port } })).resolves.toBeUndefined();
  server.close();
  await once(server, "close");
  await expect(checkWayOut({ resolve, proxy: { host: "127.0.0.1", port } })).rejects.toThrow(
    "The proxy of ROWMILL_EGRESS_PROXY takes no connection (ECONNREFUSED)",
  );
});
