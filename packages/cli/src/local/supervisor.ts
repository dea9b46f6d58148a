/**
 * The process behind the command's own service: it has the lock, starts the service, and ends it when the last command has left.
 *
 *   lock taken ─▶ control file ─▶ service starts ─▶ ready ─▶ last command leaves ─▶ service stops ─▶ lock released
 *      │ busy                        │ failed           │ ended, killed          ▲ who attaches now is sent away
 *      └─▶ ends at once              └─▶ every attached command gets why ─────────┘
 *
 * The service of a supervisor that was killed stops by itself, and has the data meanwhile: the next one waits for it.
 *
 * Started by `join.ts`, detached, with its log as stdout and stderr.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { localDirectory } from "./directories.ts";
import { takeLock } from "./lock.ts";
import { DISK_FULL_CODE, readLines, sendLine } from "./protocol.ts";
import type { Control, FromSupervisor, ToSupervisor } from "./protocol.ts";
import { isDiskFull } from "./service-failed.ts";
import { startServer } from "./started-server.ts";
import type { ServerNews } from "./started-server.ts";

/** The command that started us attaches within this time, or it has died. */
const FIRST_COMMAND_MS = 20_000;
/** Two commands in a row use one service. */
const LINGER_MS = 1_500;
/** What was sent last is on its way when the process ends. */
const FAREWELL_MS = 200;

const directory = localDirectory(process.env);
const [version = ""] = process.argv.slice(2);
// The process that started us learns of it by the exit code, where the log cannot be written.
process.on("uncaughtException", (error) => {
  if (isDiskFull(String(error))) process.exit(DISK_FULL_CODE);
  process.stderr.write(`${error.stack ?? error.message}\n`);
  process.exit(1);
});
const lock = takeLock(directory.lock);
if (lock !== undefined) supervise();

function supervise(): void {
  const token = randomBytes(24).toString("hex");
  const commands = createCommands(stop);
  let state: FromSupervisor = { state: "starting" };
  let isStopping = false;

  const service = startServer(directory, report, end);
  const control = createServer((socket) => {
    socket.on("error", () => undefined); // "close" follows
    socket.on("close", () => commands.remove(socket));
    readLines(socket, (message) => {
      if (!isFromUser(message, token)) return void socket.destroy();
      if (message.action === "stop") return stop();
      // It has connected before the service began to stop: it starts the next one.
      if (isStopping) return void socket.destroy();
      commands.add(socket, message.action);
      if (state.state === "ready") state = { ...state, isKept: commands.isKept };
      sendLine(socket, state);
    });
  });
  control.listen(0, "127.0.0.1", () => {
    if (isStopping) return;
    const { port } = control.address() as AddressInfo; // it listens on TCP
    writeControlFile({ pid: process.pid, port, token, version });
    commands.expectWithin(FIRST_COMMAND_MS);
  });

  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, stop);

  function report(news: ServerNews): void {
    state = news.state === "ready" ? { ...news, isKept: commands.isKept } : news;
    if (state.state === "ended") close();
    for (const socket of commands.attached) sendLine(socket, state);
  }

  /** A command that comes now waits for the lock and starts the next service. */
  function close(): void {
    isStopping = true;
    rmSync(directory.control, { force: true });
    control.close();
  }

  function stop(): void {
    close();
    service.stop();
  }

  function end(): void {
    close();
    for (const socket of commands.attached) socket.end();
    lock?.release();
    setTimeout(() => process.exit(0), FAREWELL_MS);
  }
}

/** The commands that use the service. `onNobody` is called when the last one has left and none has come since, unless it is to be kept. */
function createCommands(onNobody: () => void) {
  const attached = new Set<Socket>();
  let isKept = false;
  let leaving: NodeJS.Timeout | undefined;
  function expectWithin(ms: number): void {
    clearTimeout(leaving);
    if (attached.size > 0 || isKept) return;
    leaving = setTimeout(() => {
      if (attached.size === 0 && !isKept) onNobody();
    }, ms);
  }
  return {
    attached: attached as ReadonlySet<Socket>,
    get isKept() {
      return isKept;
    },
    add(socket: Socket, action: "attach" | "keep"): void {
      if (action === "keep") isKept = true;
      attached.add(socket);
      clearTimeout(leaving);
    },
    remove(socket: Socket): void {
      attached.delete(socket);
      expectWithin(LINGER_MS);
    },
    expectWithin,
  };
}

/** Under its name it is complete. */
function writeControlFile(content: Control): void {
  const part = `${directory.control}.part`;
  writeFileSync(part, JSON.stringify(content), { mode: 0o600 });
  renameSync(part, directory.control);
}

function isFromUser(message: unknown, token: string): message is ToSupervisor {
  const said = typeof message === "object" && message !== null && "token" in message ? message.token : undefined;
  if (typeof said !== "string") return false;
  const [one, other] = [Buffer.from(said), Buffer.from(token)];
  return one.length === other.length && timingSafeEqual(one, other);
}
