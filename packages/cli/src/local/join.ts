/** Uses the command's own service: joins the one that runs, or starts it. See `supervisor.ts` for the other side. */
import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, statSync } from "node:fs";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Cli } from "../frame/command.ts";
import { duration } from "../frame/numbers.ts";
import { Problem } from "../frame/problem.ts";
import { statusLine } from "../frame/status-line.ts";
import { localDirectory } from "./directories.ts";
import type { LocalDirectory } from "./directories.ts";
import { makeOwnDirectory } from "./make-directory.ts";
import { DISK_FULL_CODE, readLines, sendLine } from "./protocol.ts";
import type { Control, FromSupervisor, ToSupervisor } from "./protocol.ts";
import { supervisorArguments, withoutRowmillSettings } from "./server-program.ts";
import { requireSpace, serviceEnded, serviceFailed } from "./service-failed.ts";

/** Making a database on a slow, busy machine included; a database that recovers from a crash takes longer still. */
const START_LIMIT_MS = 5 * 60_000;
const LOOK_INTERVAL_MS = 50;
/** A service that is stopping has the lock for a while; a supervisor that finds it taken ends at once. */
const START_INTERVAL_MS = 1_000;
/** A supervisor responds at once. The port of one that was killed may be another program's by now, which says nothing. */
const SILENCE_LIMIT_MS = 30_000;
/** What is killed more often at its start is killed on purpose, or for want of memory. */
const MAX_ENDED_STARTS = 5;
const PROGRESS_INTERVAL_MS = 250;
/** A log that is longer is begun again by the next service. */
const MAX_LOG_BYTES = 10 * 1024 * 1024;

export interface LocalService {
  url: string;
  apiKey: string;
  /** An earlier command left it to stay after the last one. */
  isKept: boolean;
  /** Rejects when the service ends while it is used. */
  gone: Promise<never>;
  /** Throws where its disk is full. */
  requireSpace(): void;
  /** The service stays after the last command. */
  keep(): void;
  leave(): void;
}

/** `leaving` ends the attempt, where the command has failed in the meantime. */
export async function joinLocalService(cli: Cli, leaving?: AbortSignal): Promise<LocalService> {
  const hideProgress = showProgress(cli);
  try {
    return await joinOrStart(cli, leaving);
  } finally {
    hideProgress();
  }
}

/** A first start makes a database, and one after a crash repairs it: a person who watches sees that something is done. */
function showProgress(cli: Cli): () => void {
  if (!cli.terminal.isWatched || cli.output.mode !== "text") return () => undefined;
  const startedAt = Date.now();
  const line = statusLine(cli);
  const say = (): void => {
    const seconds = (Date.now() - startedAt) / 1000;
    line.update(() => `The local service starts (${duration(seconds)} so far)`, ["service", { state: "starting" }]);
  };
  const timer = setInterval(say, PROGRESS_INTERVAL_MS);
  return () => {
    clearInterval(timer);
    line.stop();
  };
}

async function joinOrStart(cli: Cli, leaving: AbortSignal | undefined): Promise<LocalService> {
  const signal = leaving === undefined ? cli.signal : AbortSignal.any([cli.signal, leaving]);
  const directory = localDirectory(cli.terminal.environment);
  makeOwnDirectory(directory.root, "XDG_DATA_HOME");
  const deadline = Date.now() + START_LIMIT_MS;
  let startAgainAt = 0;
  let failedWith: number | undefined;
  const ended = new Set<string>();
  for (;;) {
    signal.throwIfAborted();
    if (failedWith !== undefined) throw notStarted(failedWith, directory);
    if (Date.now() > deadline)
      throw serviceFailed(`The local service did not start within ${START_LIMIT_MS / 60_000} minutes.`, directory);
    const control = readControl(directory);
    const socket = control === undefined ? undefined : await openSocket(control.port);
    if (control !== undefined && socket !== undefined) {
      checkVersion(cli, control, socket);
      const service = await attach(signal, directory, control, socket);
      if (!(service instanceof Problem)) return service;
      if (ended.add(control.token).size > MAX_ENDED_STARTS) throw service;
    }
    // One that still has the lock lets this one end at once.
    if (Date.now() >= startAgainAt) {
      startSupervisor(cli, directory, (code) => (failedWith = code));
      startAgainAt = Date.now() + START_INTERVAL_MS;
    }
    await pause(LOOK_INTERVAL_MS, undefined, { signal });
  }
}

/** Asks the local service to stop, and waits until it has; false where none runs. */
export async function stopLocalService(environment: Readonly<Record<string, string | undefined>>): Promise<boolean> {
  const control = readControl(localDirectory(environment));
  const socket = control === undefined ? undefined : await openSocket(control.port);
  if (control === undefined || socket === undefined) return false;
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.resume();
  sendLine(socket, { token: control.token, action: "stop" });
  await closed;
  return true;
}

/** Of the local service that runs; undefined where none does. */
export async function localServiceState(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<{ version: string } | undefined> {
  const control = readControl(localDirectory(environment));
  const socket = control === undefined ? undefined : await openSocket(control.port);
  socket?.destroy();
  return socket === undefined ? undefined : control;
}

/** A problem where the service ended before it was ready: another may start. */
function attach(
  signal: AbortSignal,
  directory: LocalDirectory,
  control: Control,
  socket: Socket,
): Promise<LocalService | Problem> {
  const say = (action: ToSupervisor["action"]): void => sendLine(socket, { token: control.token, action });
  return new Promise((resolve, reject) => {
    let failLater: (error: Error) => void = () => undefined;
    const gone = new Promise<never>((_, fail) => {
      failLater = fail;
    });
    gone.catch(() => undefined); // its waiting caller gets the error
    const onAbort = (): void => {
      socket.destroy();
      reject(signal.reason as Error); // an Interrupted
    };
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    const silence = setTimeout(() => socket.destroy(), SILENCE_LIMIT_MS);
    readLines(socket, (message) => {
      clearTimeout(silence);
      const news = message as FromSupervisor; // as supervisor.ts sends it
      if (news.state === "failed") {
        const problem = serviceFailed(news.message, directory);
        socket.destroy();
        reject(problem);
        failLater(problem);
      } else if (news.state === "ended") {
        const problem = serviceEnded(news.message, directory);
        socket.destroy();
        resolve(problem);
        failLater(problem);
      } else if (news.state === "ready") {
        signal.removeEventListener("abort", onAbort);
        try {
          resolve(serviceOf(news, directory, socket, gone, say));
        } catch (error) {
          // A further start would not bring the key back.
          reject(error instanceof Error ? error : new Error(String(error)));
          socket.destroy();
        }
      }
    });
    socket.on("close", () => {
      clearTimeout(silence);
      signal.removeEventListener("abort", onAbort);
      const problem = serviceEnded("The local service ended.", directory);
      failLater(problem);
      resolve(problem);
    });
    say("attach");
  });
}

function serviceOf(
  { url, isKept }: FromSupervisor & { state: "ready" },
  directory: LocalDirectory,
  socket: Socket,
  gone: Promise<never>,
  say: (action: ToSupervisor["action"]) => void,
): LocalService {
  return {
    url,
    apiKey: readKey(directory),
    isKept,
    gone,
    requireSpace: () => requireSpace(directory),
    keep: () => say("keep"),
    leave: () => void socket.end(),
  };
}

const notStarted = (code: number, directory: LocalDirectory): Problem =>
  serviceFailed(code === DISK_FULL_CODE ? "ENOSPC" : `The local service cannot start (code ${code}).`, directory);

/** `onFailed`: it ended by an error of its own. One that finds the lock taken ends with 0. */
function startSupervisor(cli: Cli, directory: LocalDirectory, onFailed: (code: number) => void): void {
  const isLong = (statSync(directory.log, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES;
  const log = openSync(directory.log, isLong ? "w" : "a", 0o600);
  try {
    const child = spawn(process.execPath, [...supervisorArguments(), cli.version], {
      detached: true, // Ctrl-C in this terminal is not for it
      stdio: ["ignore", log, log],
      windowsHide: true,
      cwd: directory.root,
      env: withoutRowmillSettings(cli.terminal.environment),
    });
    child.on("error", () => undefined); // the deadline ends the wait for it
    child.on("exit", (code) => {
      if (code !== null && code !== 0) onFailed(code);
    });
    child.unref();
  } finally {
    closeSync(log);
  }
}

function readControl(directory: LocalDirectory): Control | undefined {
  try {
    return JSON.parse(readFileSync(directory.control, "utf8")) as Control; // written by supervisor.ts, renamed when whole
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** Undefined where nobody listens: the file is from one that was killed. */
function openSocket(port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("error", () => resolve(undefined));
    socket.once("connect", () => resolve(socket.on("error", () => undefined)));
  });
}

function checkVersion(cli: Cli, control: Control, socket: Socket): void {
  if (control.version === cli.version) return;
  // An open socket would keep this process alive.
  socket.destroy();
  throw new Problem(
    `The local service that runs is of version ${control.version}, and this command of ${cli.version}.`,
    "Wait until the other commands have ended, or end the service with `rowmill stop`.",
    { code: "other_version" },
  );
}

function readKey(directory: LocalDirectory): string {
  try {
    return readFileSync(directory.key, "utf8").trim();
  } catch (error) {
    throw new Problem(
      `The key of the local service is missing (${directory.key}).`,
      `Put it back, or remove ${directory.root}, with all that it contains, to start again.`,
      { code: "key_missing", cause: error },
    );
  }
}
