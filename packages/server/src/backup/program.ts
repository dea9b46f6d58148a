/**
 * `rowmill backup` and `rowmill restore`, as a process of their own: with the settings of the service, and its rights on the disk. It
 * sends one message to the process that started it.
 */
import { createRequire } from "node:module";
import { ConfigError, readConfig } from "../config.ts";
import { createLog } from "../platform/log.ts";
import { StoreUnavailableError } from "../platform/storage/storage.ts";
import { backUp } from "./backup.ts";
import { BackupError } from "./manifest.ts";
import { restore } from "./restore.ts";

const { version } = createRequire(import.meta.url)("../../package.json") as { version: string }; // our own

async function run([command, place = "", ...flags]: readonly string[]): Promise<object> {
  const config = readConfig(process.env);
  const log = createLog("warn");
  if (command === "restore") return restore(config, log, place);
  if (command !== "backup") throw new Error(`unknown command ${command ?? ""}`);
  return backUp(config, log, version, {
    target: place,
    includesEncryptionKey: flags.includes("--include-encryption-key"),
  });
}

type Message = { type: "done"; report: object } | { type: "failed"; message: string; isExpected: boolean };

function send(message: Message): void {
  if (process.send === undefined) process.stdout.write(`${JSON.stringify(message)}\n`);
  else process.send(message);
}

// The process that started it is gone: an unfinished backup is nobody's.
process.once("disconnect", () => process.exit(1));
try {
  send({ type: "done", report: await run(process.argv.slice(2)) });
} catch (error) {
  const isExpected =
    error instanceof BackupError || error instanceof ConfigError || error instanceof StoreUnavailableError;
  send({ type: "failed", message: error instanceof Error ? error.message : String(error), isExpected });
  process.exitCode = 1;
}
if (process.connected) process.disconnect();
