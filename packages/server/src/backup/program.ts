/**
 * `rowmill backup`, `rowmill restore` and `rowmill database distribute`, as a process of their own: with the settings of the service, and
 * its rights on the disk. It sends one message to the process that started it.
 */
import { createRequire } from "node:module";
import { readConfig } from "../config.ts";
import { createLog } from "../platform/log.ts";
import { backUp } from "./backup.ts";
import { distribute } from "./distribute-tables.ts";
import { exitOnSignals } from "./end-with-process.ts";
import { BackupPathError } from "./manifest.ts";
import { restore } from "./restore.ts";

const { version } = createRequire(import.meta.url)("../../package.json") as { version: string }; // our own

async function run([command, place = "", ...flags]: readonly string[]): Promise<object> {
  const config = readConfig(process.env);
  const log = createLog("warn");
  if (command === "restore") return restore(config, log, place);
  if (command === "distribute") return distribute(config, log);
  if (command !== "backup") throw new Error(`unknown command ${command ?? ""}`);
  return backUp(config, log, version, {
    target: place,
    includesEncryptionKey: flags.includes("--include-encryption-key"),
  });
}

interface Failure {
  type: "failed";
  message: string;
  /** Of an argument that is wrong. */
  advice?: string;
  /** Of the operating system, and what it was about. */
  code?: string;
  path?: string;
}
type Message = { type: "done"; report: object } | Failure;

function send(message: Message): void {
  if (process.send === undefined) process.stdout.write(`${JSON.stringify(message)}\n`);
  else process.send(message);
}

/** Of PostgreSQL and its programs, which say it in the middle of their output. */
const DISK_FULL = "No space left on device";

function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { type: "failed", message: String(error) };
  if (error.message.includes(DISK_FULL)) return { type: "failed", message: error.message, code: "ENOSPC" };
  return {
    type: "failed",
    message: error.message,
    ...(error instanceof BackupPathError ? { advice: error.advice } : {}),
    ...("syscall" in error && "code" in error ? { code: String(error.code) } : {}),
    ...("path" in error ? { path: String(error.path) } : {}),
  };
}

exitOnSignals();
try {
  send({ type: "done", report: await run(process.argv.slice(2)) });
} catch (error) {
  send(failureOf(error));
  process.exitCode = 1;
}
if (process.connected) process.disconnect();
