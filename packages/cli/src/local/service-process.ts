/**
 * `rowmill server`: the service in this process, so that whatever ends this process ends the service. A second process would go on
 * after a `kill -9` of the first one.
 */
import type { Cli } from "../frame/command.ts";
import { buildPages } from "./build-pages.ts";
import { serverModule } from "./server-program.ts";

/** The service handles signals by itself, and ends the process. Never resolves. */
export async function runServer(cli: Cli): Promise<never> {
  await buildPages();
  cli.leaveSignals();
  await import(serverModule());
  return new Promise<never>(() => undefined);
}
