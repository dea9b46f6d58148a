/** The service as a child of the supervisor: what becomes of it, and a further start where that helps. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import type { LocalDirectory } from "./directories.ts";
import { ANOTHER_RUNS, serverArguments, withoutRowmillSettings } from "./server-program.ts";
import { isDiskFull } from "./service-failed.ts";

/** The service stops within 30 s by itself. */
const STOP_LIMIT_MS = 35_000;
/** The service of a supervisor that was killed finishes its rows first: it has the data for its whole limit, at most. */
const OTHER_STOPS_MS = 45_000;
const START_AGAIN_MS = 250;
const MAX_FAILED_STARTS = 2;

export type ServerNews =
  | { state: "ready"; url: string }
  /** It could not start, or it ends or has ended. */
  | { state: "failed" | "ended"; message: string };

export interface StartedServer {
  /** Returns at once; `onExit` follows. */
  stop(): void;
}

/** `onExit` is called once, when no process of the service is left and none will follow. */
export function startServer(
  directory: LocalDirectory,
  onNews: (news: ServerNews) => void,
  onExit: () => void,
): StartedServer {
  const startedAt = Date.now();
  let failedStarts = 0;
  let isStopping = false;
  let hasEnded = false;
  let child: ChildProcess | undefined = start();

  function start(): ChildProcess {
    const started = spawnServer(directory);
    let isToStartAgain = false;
    started.on("message", (message) => {
      const reported = message as { type: string; url?: string; message?: string }; // as the server's main.ts sends it
      const text = reported.message ?? "";
      if (reported.type === "listening") onNews({ state: "ready", url: reported.url ?? "" });
      else if (reported.type === "stopping")
        reportEnd({ state: "ended", message: `The local service ended: ${text}.` });
      else if (mayStartAgain(text)) isToStartAgain = true;
      else reportEnd({ state: "failed", message: text });
    });
    started.on("error", (error) => reportEnd({ state: "failed", message: error.message }));
    started.on("exit", (code, signal) => {
      child = undefined;
      if (isToStartAgain && !isStopping) return void setTimeout(startAgain, START_AGAIN_MS);
      reportEnd({ state: "ended", message: `The local service ended (${signal ?? `code ${code}`}).` });
      onExit();
    });
    return started;
  }

  function startAgain(): void {
    if (!isStopping) child = start();
  }

  function reportEnd(news: ServerNews): void {
    if (!hasEnded) onNews(news);
    hasEnded = true;
  }

  /** A database that was killed while it started starts at the second attempt. */
  function mayStartAgain(failure: string): boolean {
    if (ANOTHER_RUNS.test(failure)) return Date.now() - startedAt < OTHER_STOPS_MS;
    return !isDiskFull(failure) && ++failedStarts < MAX_FAILED_STARTS;
  }

  return {
    stop() {
      if (isStopping) return;
      isStopping = true;
      if (child === undefined) return onExit(); // between two starts
      if (child.connected) child.disconnect();
      setTimeout(() => child?.kill("SIGKILL"), STOP_LIMIT_MS).unref();
    },
  };
}

function spawnServer(directory: LocalDirectory): ChildProcess {
  return spawn(process.execPath, serverArguments(), {
    // What it prints on stdout are the steps of a first start, and a link that signs in: neither is for a log.
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    windowsHide: true,
    env: {
      ...withoutRowmillSettings(process.env),
      ROWMILL_PORT: "0",
      ROWMILL_MODE: "development",
      ROWMILL_DATA_DIR: directory.data,
      ROWMILL_LOG_LEVEL: "warn",
      ROWMILL_RATE_LIMIT_PER_MINUTE: "0",
      // Nobody needs it here, and one that the service makes by itself is printed.
      ROWMILL_ADMIN_KEY: randomBytes(24).toString("hex"),
      ROWMILL_INIT_ORGANIZATION: "Local",
      ROWMILL_INIT_KEY_FILE: directory.key,
    },
  });
}
