/**
 * What the supervisor of the local service and the commands that use it say to each other, as JSON lines over a loopback socket.
 * A command is attached while its socket is open: a killed command leaves, too.
 */
import { createInterface } from "node:readline";
import type { Socket } from "node:net";

/** The file from which commands learn where the supervisor listens, and by which token it knows its user. */
export interface Control {
  pid: number;
  port: number;
  token: string;
  version: string;
}

/** How the supervisor ends where it cannot write: it cannot report that in a file, and nobody is attached yet. */
export const DISK_FULL_CODE = 28;

export interface ToSupervisor {
  token: string;
  action: "attach" | "keep" | "stop";
}
export type FromSupervisor =
  | { state: "starting" }
  /** `isKept`: it stays after its last command. */
  | { state: "ready"; url: string; isKept: boolean }
  /** It could not start, and would not at a second attempt. */
  | { state: "failed"; message: string }
  /** It ends or has ended, by a kill, for instance: a command that is not yet attached starts the next one. */
  | { state: "ended"; message: string };

export function sendLine(socket: Socket, message: ToSupervisor | FromSupervisor): void {
  socket.write(`${JSON.stringify(message)}\n`);
}

/** Calls back for every line that is JSON; anything else ends the socket. */
export function readLines(socket: Socket, onMessage: (message: unknown) => void): void {
  const lines = createInterface({ input: socket });
  // It repeats the errors of the socket, whose "close" follows. Without a listener, a connection that is reset would end the process.
  lines.on("error", () => undefined);
  lines.on("line", (line) => {
    try {
      onMessage(JSON.parse(line));
    } catch {
      socket.destroy();
    }
  });
}
