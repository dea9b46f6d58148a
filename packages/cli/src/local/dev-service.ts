/** `rowmill dev`: a service for development with an organization, a key and a profile, until Ctrl-C. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Cli } from "../frame/command.ts";
import { Problem } from "../frame/problem.ts";
import { saveProfile } from "../profiles/save-profile.ts";
import type { Saved } from "../profiles/save-profile.ts";
import { buildPages } from "./build-pages.ts";
import { localDirectory } from "./directories.ts";
import { makeOwnDirectory } from "./make-directory.ts";
import { ANOTHER_RUNS, serverArguments, withoutRowmillSettings } from "./server-program.ts";

export interface DevOptions {
  port: number;
  /** Where its data are; beside those of the local service if undefined. */
  data: string | undefined;
  profile: string;
}

export interface DevService {
  url: string;
  /** The console, for the person at the terminal: it signs in once, within an hour. */
  loginUrl: string;
  keyFile: string;
  data: string;
  saved: Saved;
  /** Resolves with the exit code of the service. */
  ended: Promise<number>;
}

export async function startDevService(cli: Cli, { port, data, profile }: DevOptions): Promise<DevService> {
  const { environment } = cli.terminal;
  const root = data ?? join(localDirectory(environment).root, "dev");
  makeOwnDirectory(root, data === undefined ? "XDG_DATA_HOME" : "--data");
  const keyFile = join(root, "key");
  await buildPages();
  const service = spawn(process.execPath, serverArguments(), {
    // What it prints at its start are the steps that this command has done.
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    env: {
      ...withoutRowmillSettings(environment),
      ROWMILL_MODE: "development",
      ROWMILL_HOST: "127.0.0.1",
      ROWMILL_PORT: String(port),
      ROWMILL_DATA_DIR: join(root, "data"),
      ROWMILL_LOG_LEVEL: environment["ROWMILL_LOG_LEVEL"] ?? "error",
      ROWMILL_METRICS_PORT: "off",
      // Nobody needs it here, and one that the service makes by itself is printed.
      ROWMILL_ADMIN_KEY: randomBytes(24).toString("hex"),
      ROWMILL_INIT_ORGANIZATION: "Development",
      ROWMILL_INIT_KEY_FILE: keyFile,
    },
  });
  // A Ctrl-C reaches it by itself; a signal that was sent to this process alone is passed on.
  const releaseInterrupt = cli.onInterrupt(() => void service.kill("SIGTERM"));
  const ended = new Promise<number>((resolve) => service.once("exit", (code) => resolve(code ?? 1)));
  void ended.finally(releaseInterrupt);
  // Until it listens, what it prints is the reason that it also reports: a person reads that once.
  let isStarted = false;
  let unreported = "";
  service.stderr?.setEncoding("utf8").on("data", (text: string) => {
    if (isStarted) cli.terminal.stderr.write(text);
    else unreported += text;
  });
  const { url, loginUrl } = await new Promise<Pick<DevService, "url" | "loginUrl">>((resolve, reject) => {
    service.once("error", reject);
    service.on("message", (message) => {
      // As the server's main.ts sends it. A service on loopback has a link.
      const reported = message as { type: string; url?: string; loginUrl?: string; message?: string };
      const { url = "", loginUrl = url } = reported;
      if (reported.type === "listening") resolve({ url, loginUrl });
      if (reported.type === "failed") reject(notStarted(reported.message ?? "", root));
    });
    void ended.then((code) => {
      reject(notStarted(`it ended with code ${code}. ${unreported}`.trim(), root));
    });
  });
  isStarted = true;
  const apiKey = readFileSync(keyFile, "utf8").trim();
  return { url, loginUrl, keyFile, data: root, saved: saveProfile(environment, profile, { url, apiKey }), ended };
}

/** What the service says of another one on its data names settings, in place of the options of this command. */
function notStarted(message: string, root: string): Problem {
  const code = "service_not_started";
  if (ANOTHER_RUNS.test(message))
    return new Problem(
      `Another Rowmill is running on ${shortPath(root)}.`,
      "End it first, or give this one other data with --data.",
      { code },
    );
  return new Problem(
    `The service could not start: ${message}`,
    `Choose another port with --port, or other data with --data (${shortPath(root)} is used now).`,
    { code },
  );
}

/** Below the home directory as people write it. */
export const shortPath = (path: string): string =>
  path.startsWith(`${homedir()}/`) ? `~${path.slice(homedir().length)}` : path;
