/** Stops all processes of a database for a while, or of one server of a cluster: none ends, and no connection closes. */
import { setTimeout as pause } from "node:timers/promises";
import type { DatabaseServer } from "./database-server.ts";
import { childrenOf, signalIfThere } from "./processes.ts";
import type { Random } from "./random.ts";

/** On both sides of the ten seconds after which a worker is taken for lost: the database keeps the beats of workers that live. */
const FROZEN_MS = [5_000, 40_000] as const;
/** Processes that stood still go on one after the other, as those of a disk that hung: the first may be a second ahead of the last. */
const THAW_PAUSE_MS = [0, 25] as const;

/** Returns for how long. */
export async function freeze(database: DatabaseServer, random: Random): Promise<number> {
  return freezeServers(await database.postmasters(), random);
}

/** That of these postmasters, and nothing else. */
export async function freezeServers(postmasters: readonly number[], random: Random): Promise<number> {
  const stopped = stopServers(postmasters);
  const frozenMs = random.integer(...FROZEN_MS);
  try {
    await pause(frozenMs);
  } finally {
    for (const pid of random.shuffle(stopped)) {
      signalIfThere(pid, "SIGCONT");
      await pause(random.integer(...THAW_PAUSE_MS));
    }
  }
  return frozenMs;
}

/** First those that start others: so none is missed. */
function stopServers(postmasters: readonly number[]): number[] {
  for (const pid of postmasters) signalIfThere(pid, "SIGSTOP");
  const others = postmasters.flatMap(childrenOf);
  for (const pid of others) signalIfThere(pid, "SIGSTOP");
  return [...postmasters, ...others];
}
