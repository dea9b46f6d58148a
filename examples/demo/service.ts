/** The service as a process of its own, as `npm start` runs it, so that it can be killed and started again. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { serverArguments, withoutRowmillSettings } from "../../packages/cli/src/local/server-program.ts";
import {
  inspectProcess,
  readPostmasterFile,
} from "../../packages/server/src/platform/database/embedded/postmaster-pid.ts";
import type { Place } from "./place.ts";

/** The service of a demo that was killed stops by itself within this time, also on a slow machine. */
const OTHER_STOPS_MS = 120_000;
const AGAIN_MS = 200;

export interface DemoService {
  url: string;
  /** Signs a browser in, once, within an hour. */
  loginUrl: string;
  /** `kill -9` of the service and of its database. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** `onEnd` is called when it ends by itself. */
export async function startService(place: Place, onEnd: (how: string) => void): Promise<DemoService> {
  const lastTry = Date.now() + (place.isResumed ? OTHER_STOPS_MS : 0);
  for (;;) {
    try {
      return await tryStart(place, onEnd);
    } catch (error) {
      if (Date.now() > lastTry) throw error;
      await pause(AGAIN_MS);
    }
  }
}

async function tryStart(place: Place, onEnd: (how: string) => void): Promise<DemoService> {
  const log = openSync(place.path("service.log"), "a", 0o600);
  const child = spawn(process.execPath, serverArguments(), {
    stdio: ["ignore", "ignore", log, "ipc"],
    env: {
      ...withoutRowmillSettings(process.env),
      // Webhooks and models on this machine, without TLS; only for a service that listens on loopback.
      ROWMILL_MODE: "development",
      ROWMILL_PORT: String(place.servicePort),
      ROWMILL_METRICS_PORT: "off",
      ROWMILL_DATA_DIR: place.path("data"),
      ROWMILL_ADMIN_KEY: place.adminKey,
      ROWMILL_LOG_LEVEL: "warn",
    },
  });
  closeSync(log);
  const ended = once(child, "exit");
  let isEnding = false;
  const { url, loginUrl } = await listening(child);
  void ended.then(([code, signal]) => {
    if (!isEnding) onEnd(`The service ended (${String(signal ?? code)}). Its log is ${place.shown("service.log")}.`);
  });
  return {
    url,
    loginUrl,
    async kill() {
      isEnding = true;
      const database = await readPostmasterFile(join(place.path("data"), "postgres", "cluster", "pgdata"));
      child.kill("SIGKILL");
      await ended;
      if (database === undefined || (await inspectProcess(database.pid)) !== "postgres") return;
      process.kill(database.pid, "SIGKILL");
      while ((await inspectProcess(database.pid)) === "postgres") await pause(10);
    },
    async stop() {
      isEnding = true;
      if (child.connected) child.disconnect(); // by which it stops
      await ended;
    },
  };
}

function listening(child: ChildProcess): Promise<{ url: string; loginUrl: string }> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => reject(new Error(`The service ended at its start (${signal ?? code}).`)));
    child.on("message", (message) => {
      const news = message as { type: string; url: string; loginUrl: string; message: string }; // as the server's main.ts sends it
      if (news.type === "listening") resolve(news);
      else reject(new Error(news.message));
    });
  });
}
