import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { readLines, sendLine } from "./protocol.ts";

test("a connection that is reset, as by a kill of the other side, ends like one that is closed", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const accepted = once(server, "connection") as Promise<[Socket]>; // as Node documents it
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const errors: Error[] = [];
  socket.on("error", (error) => errors.push(error));
  const closed = new Promise((resolve) => socket.once("close", resolve));
  const [other] = await accepted;
  const arrived = new Promise((resolve) => {
    readLines(socket, resolve);
  });
  sendLine(other, { state: "starting" });
  expect(await arrived).toEqual({ state: "starting" });
  other.resetAndDestroy();
  await closed;
  expect(errors).toMatchObject([{ code: "ECONNRESET" }]);
});
