/** `npm start`: one process of Rowmill, until it is asked to stop. */
import { flushCompileCache } from "node:module";
import { ConfigError, readConfig } from "./config.ts";
import { firstSteps } from "./first-steps.ts";
import { collectGarbageLessOften } from "./platform/garbage.ts";
import { createLog } from "./platform/log.ts";
import { warnOfRoot } from "./platform/root-warning.ts";
import { beginOwnDatabase } from "./own-database.ts";
import { describeStartFailure } from "./start-failure.ts";

/** After this long a stop that hangs is ended; the supervisor would do the same without a word. */
const STOP_LIMIT_MS = 30_000;

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = createLog(config.ROWMILL_LOG_LEVEL);
  warnOfRoot(log);
  const stopping = new AbortController();
  const stop = async (reason: string, exitCode: number): Promise<void> => {
    if (stopping.signal.aborted) return;
    stopping.abort(new Error(`stopped at its start: ${reason}`));
    // A start that is stopped says no more.
    log[exitCode === 0 ? "info" : "error"](`stopping: ${reason}`);
    // Who waits for it learns that no new work is to come. A parent that is gone needs no report.
    process.send?.({ type: "stopping", message: reason }, () => undefined);
    setTimeout(() => {
      log.error("could not stop within the limit");
      endOwnDatabase();
      process.exit(1);
    }, STOP_LIMIT_MS).unref();
    await starting.then(
      (service) => service.stop(),
      () => undefined,
    );
    process.exit(exitCode);
  };
  const onFatal = (error: Error): void => void stop(error.message, 1);
  const database = beginOwnDatabase(config, log, onFatal);
  // It would stay alone, since it is no child that ends with us.
  let endOwnDatabase = (): void => undefined;
  database?.then(
    (own) => (endOwnDatabase = () => own.stopAtOnce()),
    () => undefined,
  );
  const starting = import("./start-service.ts").then(({ startService }) =>
    startService(config, log, onFatal, { stopping: stopping.signal }, database),
  );
  process.on("SIGTERM", () => void stop("SIGTERM", 0));
  process.on("SIGINT", () => void stop("SIGINT", 0));

  // A parent that started us with a channel of messages owns us: we report to it, and end with it.
  process.once("disconnect", () => void stop("the parent process is gone", 0));

  const service = await starting.catch((error: unknown) => {
    // `stop` ends the process.
    if (stopping.signal.aborted) return undefined;
    throw error;
  });
  if (service === undefined) return;
  const { url, madeAdminKey, isEmpty, loginUrl } = service;
  // What was compiled is there for the next start, also where this process is killed.
  flushCompileCache();
  // A parent that is gone by now is noticed by "disconnect": the error of the closed channel needs nothing more.
  process.send?.({ type: "listening", url, loginUrl }, () => undefined);
  print(`Rowmill (${config.ROWMILL_ROLE}) listens on ${url}`);
  if (loginUrl !== undefined)
    print(`\nOpen the console (this link signs you in once, within an hour):\n\n  ${loginUrl}\n`);
  if (config.ROWMILL_ROLE === "worker") {
    if (madeAdminKey !== undefined)
      print(`\nThe admin key of this installation, shown only this once:\n\n  ADMIN_KEY=${madeAdminKey}\n`);
  } else if (isEmpty || madeAdminKey !== undefined) print(`\n${firstSteps(url, madeAdminKey)}`);
  else print(`The reference of the API is at ${url}/docs.`);
}

collectGarbageLessOften();
try {
  await main();
} catch (error) {
  const message = describeStartFailure(error);
  process.stderr.write(error instanceof ConfigError ? `${message}\n` : `Rowmill could not start: ${message}\n`);
  if (process.send === undefined) process.exit(1);
  process.send({ type: "failed", message }, () => process.exit(1));
}
