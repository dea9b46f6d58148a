import { once } from "node:events";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { findFreePort } from "./free-port.ts";

test("a free port is one that no outgoing connection is given, and can be listened on", async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, () => findFreePort()));
  expect(Math.min(...ports)).toBeGreaterThanOrEqual(20_000);
  expect(Math.max(...ports)).toBeLessThan(30_000);
  const server = createServer().listen(ports[0], "127.0.0.1");
  await once(server, "listening");
  server.close();
});

test("an address that is not of this machine is reported", async () => {
  await expect(findFreePort("192.0.2.1")).rejects.toThrow("EADDRNOTAVAIL");
});
