/** The command's own service, as long as `rowmill map` needs it: it is started again where it was killed. */
import type { Cli } from "../frame/command.ts";
import { Interrupted, Problem } from "../frame/problem.ts";
import { joinLocalService } from "../local/join.ts";
import type { LocalService } from "../local/join.ts";
import { ENDED_CODE } from "../local/service-failed.ts";
import { whyLost } from "../local/why-lost.ts";

/** What is killed more often is killed on purpose, or for want of memory. */
const MAX_STARTS = 3;

export interface OwnService {
  /** Throws why it cannot start. */
  join(): Promise<LocalService>;
  /** The reason of a failed request, where that is the end of the service. */
  why(failure: unknown): Promise<unknown>;
  /** Whether the work may be repeated from its beginning after `failure`: everything that is made has a key. */
  mayJoinAgain(failure: unknown): boolean;
  leave(): void;
}

/** It starts at once, while the file is read. */
export function startOwnService(cli: Cli, isKept: boolean): OwnService {
  // Where reading the file fails, nobody waits for it.
  const leaving = new AbortController();
  const start = (): Promise<LocalService> => {
    const starting = joinLocalService(cli, leaving.signal);
    starting.catch(() => undefined); // awaited by `join`
    return starting;
  };
  let joining: Promise<LocalService> | undefined = start();
  let joined: LocalService | undefined;
  let starts = 1;
  return {
    async join() {
      joined = await (joining ?? start());
      joining = undefined;
      if (isKept) joined.keep();
      return joined;
    },
    why: async (failure) => (joined === undefined ? failure : await whyLost(failure, joined.gone)),
    mayJoinAgain(failure) {
      if (cli.signal.aborted || !(failure instanceof Problem) || failure.code !== ENDED_CODE) return false;
      joined = undefined;
      return starts++ < MAX_STARTS;
    },
    leave() {
      if (joined === undefined) leaving.abort(new Interrupted());
      else joined.leave();
    },
  };
}
