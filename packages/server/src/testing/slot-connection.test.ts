/** A slot comes back whatever happens to the process that has it, or waits for it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { undo } from "./cleanup.ts";
import { FileSlots } from "./file-slots.ts";
import { borrowSlot, lendSlot } from "./slot-connection.ts";
import { waitFor } from "./wait.ts";

/** Lends one slot. */
async function startDesk() {
  const slots = new FileSlots({ always: 1, most: 1 });
  const sockets: Socket[] = [];
  /** Of each that has asked: whether it got the slot at once. */
  const asked: boolean[] = [];
  const counts = { ended: 0 };
  const server = createServer((_request, response) => {
    lendSlot(slots, response);
    asked.push(response.headersSent);
    response.once("close", () => void (counts.ended += 1));
  });
  server.on("connection", (socket: Socket) => void sockets.push(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = (): void => {
    server.closeAllConnections();
    server.close();
  };
  undo.push(stop);
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return { url: `http://127.0.0.1:${port}/slot`, sockets, asked, counts, stop };
}

/** A process that asks for a slot, and prints what becomes of it. One that stays ends with its input. */
function startBorrower(url: string, { stays }: { stays: boolean }) {
  const source = `
    import { borrowSlot } from ${JSON.stringify(new URL("./slot-connection.ts", import.meta.url).href)};
    const response = await borrowSlot(process.argv[1]);
    response.once("close", () => console.log("lost"));
    console.log("taken");
    ${stays ? "process.stdin.resume();" : ""}`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", source, url], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  undo.push(() => void child.kill("SIGKILL"));
  const ended = once(child, "exit");
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return { child, ended, readLine: async () => (await lines.next()).value };
}

test("a slot is free when its process is killed, and one that was killed while it waited takes none", async () => {
  const desk = await startDesk();
  const holder = startBorrower(desk.url, { stays: true });
  expect(await holder.readLine()).toBe("taken");
  const waiter = startBorrower(desk.url, { stays: true });
  await waitFor(() => desk.asked.length === 2);
  waiter.child.kill("SIGKILL");
  await waitFor(() => desk.counts.ended === 1);
  const next = borrowSlot(desk.url);
  await waitFor(() => desk.asked.length === 3);
  expect(desk.asked).toEqual([true, false, false]);
  holder.child.kill("SIGKILL");
  (await next).destroy();
  await waitFor(() => desk.counts.ended === 3);
  (await borrowSlot(desk.url)).destroy();
  expect(desk.asked.at(-1)).toBe(true);
});

test("a slot keeps no process alive", async () => {
  const desk = await startDesk();
  const borrower = startBorrower(desk.url, { stays: false });
  expect(await borrower.readLine()).toBe("taken");
  expect(await borrower.ended).toEqual([0, null]);
  await waitFor(() => desk.counts.ended === 1);
  (await borrowSlot(desk.url)).destroy();
  expect(desk.asked).toEqual([true, true]);
});

test("a process that has a slot goes on when the one that lent it is gone", async () => {
  const desk = await startDesk();
  const borrower = startBorrower(desk.url, { stays: true });
  expect(await borrower.readLine()).toBe("taken");
  // As of a process that was killed with something unread.
  desk.sockets[0]?.resetAndDestroy();
  expect(await borrower.readLine()).toBe("lost");
  borrower.child.stdin.end();
  expect(await borrower.ended).toEqual([0, null]);
});

test("who waits for a slot, or asks for one, learns that the one that lends it is gone", async () => {
  const desk = await startDesk();
  const taken = await borrowSlot(desk.url);
  const waiting = borrowSlot(desk.url);
  await waitFor(() => desk.asked.length === 2);
  desk.stop();
  await expect(waiting).rejects.toThrow("socket hang up");
  await expect(borrowSlot(desk.url)).rejects.toThrow("ECONNREFUSED");
  taken.destroy();
});
