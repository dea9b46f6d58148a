/** A test file waits here until it may begin: see `file-slots.ts`. */
import type { IncomingMessage } from "node:http";
import { inject } from "vitest";
import { borrowSlot } from "./slot-connection.ts";

/** The file has its slot as long as the response lasts, so the slot is also free when this process has ended. */
let current: IncomingMessage | undefined;

/** The returned function frees the slot. */
export async function takeFileSlot(): Promise<() => void> {
  // The slot of a file that could not be loaded: its hooks do not run.
  current?.destroy();
  const response = await borrowSlot(`${inject("testDatabaseServer")}/slot`);
  current = response;
  return () => void response.destroy();
}
