/**
 * The slot of a test file (`file-slots.ts`), lent by the process that started the tests to the one that the file is in. A connection stands
 * for it: the response begins with the slot, and the slot is free when the connection has ended, also when either process was killed.
 */
import { once } from "node:events";
import { request } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { FileSlots } from "./file-slots.ts";

export function lendSlot(slots: FileSlots, response: ServerResponse): void {
  response.once(
    "close",
    slots.take(() => response.flushHeaders()),
  );
}

/** To destroy the response frees the slot. */
export async function borrowSlot(url: string): Promise<IncomingMessage> {
  // At the end of the run the other side may be gone, which is reported to both the request and the response.
  const asked = request(url, { agent: false })
    .on("error", () => undefined)
    .end();
  const [response] = (await once(asked, "response")) as [IncomingMessage]; // as Node documents it
  response.on("error", () => undefined).socket.unref();
  return response;
}
