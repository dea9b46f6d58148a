/**
 * A server in our hands, from the start to the stop of this process:
 *
 *            the owner's connection ends                      stop()
 *  owned ───────────────────────────────▶ lost ──────────────────────────────▶ stopped
 *    ▲                                     │ │                                    ▲
 *    └──── the lock is ours again ─────────┘ └─ the time is over, or, without a ──┘
 *                                               guard, another has it: `onExit`
 *
 * The connection ends because its backend was killed, because PostgreSQL recovers from the crash of another backend (it drops all
 * connections and locks, and serves again after a second), or because the server ended: killed, out of memory, out of disk. While it is
 * lost, the directory stays ours by its guard; the server is connected to, or started again on its port, as at a first start. The pools of
 * the service connect again by themselves, and what is asked meanwhile is refused as unavailable.
 *
 * The time is over when attempts have failed for two minutes, or when a server that comes back is lost again and again for two minutes: see
 * `losses.ts`. While the guard is ours, a lock that is taken is one that our own last backend still has, and is waited for as well. A
 * server that does not end its recovery is ended, and started again: see `take-server.ts`.
 *
 * A kill of this process in each state:
 *   owned, or lost while the server runs  the server goes on alone, and the next start adopts it
 *   lost while no server runs             the next start starts one, which recovers by itself
 *   lost while a new server starts        it becomes ready alone; the next start waits for that, and adopts it
 * In each state the kernel releases the guard.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Log } from "../../log.ts";
import { errorCode } from "./build-beside.ts";
import type { DirectoryGuard } from "./directory-guard.ts";
import { Losses } from "./losses.ts";
import { isGoneWithin, type Postmaster, stopPostmaster, stopPostmasterAtOnce } from "./postmaster.ts";
import { findPostgresAtOnce, readPostmasterFile } from "./postmaster-pid.ts";
import { DirectoryTakenError, type RunningServer, type TakeOptions, takeServer } from "./take-server.ts";

/** A start costs a process, and a server that crashes again and again a recovery. */
const TAKE_BACK_PAUSE_MS = 500;

/** When the connection drops because the server dies, the process is gone shortly after: the better message. */
const DEATH_WAIT_MS = 1_000;

export interface OwnOptions {
  /** A lost server is taken back, or started again, and `onExit` called only where that fails. Without it a loss is the end. */
  takesBack?: boolean;
  log?: Pick<Log, "warn" | "info">;
  /** Called once if the server ends, or the hold on the directory is lost, without a `stop()`. Then end the process. */
  onExit?: (error: Error) => void;
  /** Milliseconds of a clock that never goes back. */
  now?: () => number;
}

type Place = Pick<TakeOptions, "files" | "password" | "runAs" | "recoveryMs">;

export class OwnedServer {
  readonly #place: Place;
  readonly #guard: DirectoryGuard;
  readonly #options: OwnOptions;
  readonly #ending = new AbortController();
  readonly #losses: Losses;
  /** Undefined while it is lost. */
  #server: RunningServer | undefined;
  /** The last that was ours, or that we have started. */
  #postmaster: Postmaster;
  /** It may be another process's by now: a stop leaves it alone. */
  #isAbandoned = false;
  #takingBack: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;

  constructor(server: RunningServer, place: Place, guard: DirectoryGuard, options: OwnOptions) {
    this.#place = place;
    this.#guard = guard;
    this.#options = options;
    this.#postmaster = server.postmaster;
    this.#losses = new Losses(options.now ?? (() => performance.now()));
    this.#own(server);
  }

  stop(): Promise<void> {
    return (this.#stopped ??= this.#stop());
  }

  /** Whatever state it is in, also while a `stop()` hangs. */
  stopAtOnce(): void {
    this.#ending.abort();
    const pid = this.#findOwnPid();
    this.#stopped ??= this.#guard.release();
    if (pid === undefined) return;
    try {
      process.kill(pid, "SIGQUIT");
    } catch (error) {
      if (errorCode(error) !== "ESRCH") throw error;
    }
  }

  #findOwnPid(): number | undefined {
    // There is a connection to this server: the pid is still its own.
    if (this.#server !== undefined) return this.#server.postmaster.pid;
    if (this.#isAbandoned) return undefined;
    const pid = findPostgresAtOnce(this.#place.files.pgdata);
    return pid === this.#postmaster.pid ? pid : undefined;
  }

  #own(server: RunningServer): void {
    this.#server = server;
    this.#postmaster = server.postmaster;
    this.#losses.owned();
    server.owner.once("end", () => {
      this.#server = undefined;
      this.#losses.lost();
      if (this.#stopped === undefined) this.#takingBack = this.#takeBack();
    });
  }

  async #takeBack(): Promise<void> {
    const { takesBack = false, onExit = () => {} } = this.#options;
    if (takesBack) {
      const failure = await this.#tryToTakeBack();
      if (failure === undefined || this.#ending.signal.aborted) return;
      this.#isAbandoned = failure instanceof DirectoryTakenError;
      onExit(failure);
      return;
    }
    this.#isAbandoned = true;
    await this.#guard.release();
    onExit(await describeLoss(this.#postmaster, this.#place));
  }

  /** Undefined when it is owned again; else why it is not. */
  async #tryToTakeBack(): Promise<Error | undefined> {
    const { log } = this.#options;
    const { signal } = this.#ending;
    const lost = this.#postmaster;
    const lostAt = performance.now();
    if (this.#losses.areEndless) return this.#describeEndlessLosses();
    log?.warn("the embedded database was lost, and is taken back; requests get 503 meanwhile");
    if (this.#losses.count > 1) await this.#pause();
    let reason: string | undefined;
    for (;;) {
      try {
        const onStarted = (started: Postmaster) => (this.#postmaster = started);
        const server = await takeServer({ ...this.#place, lost: this.#postmaster, onStarted, signal, log });
        this.#own(server);
        const seconds = Math.round((performance.now() - lostAt) / 100) / 10;
        log?.info({ seconds, ended: lost.describeEnd() }, "the embedded database is back");
        return undefined;
      } catch (error) {
        const failure = error instanceof Error ? error : new Error(String(error));
        const isTaken = failure instanceof DirectoryTakenError && !this.#guard.isExclusive;
        if (isTaken || this.#losses.isOver || signal.aborted) return failure;
        if (failure.message !== reason) log?.warn({ reason: failure.message }, "the embedded database is not back yet");
        reason = failure.message;
      }
      await this.#pause();
    }
  }

  /** Ended early by a stop. */
  async #pause(): Promise<void> {
    await pause(TAKE_BACK_PAUSE_MS, undefined, { signal: this.#ending.signal }).catch(() => undefined);
  }

  #describeEndlessLosses(): Error {
    const { count, elapsedMs } = this.#losses;
    const how = this.#postmaster.describeEnd();
    return new Error(
      `The embedded PostgreSQL was lost ${count} times within ${Math.round(elapsedMs / 1000)} s${how === undefined ? "" : ` (${how})`}. ` +
        `Its log: ${this.#place.files.log}`,
    );
  }

  async #stop(): Promise<void> {
    this.#ending.abort();
    await this.#takingBack;
    const { files, runAs } = this.#place;
    if (this.#server !== undefined) {
      const { owner, postmaster } = this.#server;
      // The lock goes with the server, not before it: in between another process could adopt what is about to end.
      await stopPostmaster(postmaster.pid, files, runAs);
      await owner.end();
    } else if (!this.#isAbandoned) {
      // It may recover for longer than this process lives. The file is a proof that the pid is still the server's.
      const file = await readPostmasterFile(files.pgdata);
      if (file?.pid === this.#postmaster.pid) await stopPostmasterAtOnce(file.pid, files, runAs);
    }
    await this.#guard.release();
  }
}

async function describeLoss(postmaster: Postmaster, { files }: Place): Promise<Error> {
  if (!(await isGoneWithin(postmaster.pid, DEATH_WAIT_MS))) {
    return new Error(
      `The connection that holds ${files.pgdata} for this process was lost; another one may have it now.`,
    );
  }
  const how = postmaster.describeEnd();
  return new Error(`The embedded PostgreSQL ended${how === undefined ? "" : ` (${how})`}. Its log: ${files.log}`);
}
