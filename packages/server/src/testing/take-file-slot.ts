/** A test file waits here until it may begin: see `file-slots.ts`. */
import { once } from "node:events";
import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import { inject } from "vitest";

/** The file has its slot as long as the response lasts, so the slot is also free when this process has ended. */
let current: IncomingMessage | undefined;

/** The returned function frees the slot. */
export async function takeFileSlot(): Promise<() => void> {
  // The slot of a file that could not be loaded: its hooks do not run.
  current?.destroy();
  const asked = request(`${inject("testDatabaseServer")}/slot`, { agent: false }).end();
  const [response] = (await once(asked, "response")) as [IncomingMessage]; // as Node documents it
  current = response;
  // At the end of the run the other side may be gone.
  response.on("error", () => undefined).socket.unref();
  return () => void response.destroy();
}
