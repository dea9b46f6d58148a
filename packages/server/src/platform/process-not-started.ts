/** Why the system did not start a process, in words for its operator. */
import { codeOf } from "./error-code.ts";

/** Between the attempts to start a process: other processes end, and close their files, within moments. */
export const START_PAUSES_MS = [100, 400, 1_500] as const;

const REASONS: Record<string, string> = {
  EMFILE: "this process has too many open files; raise its limit (`ulimit -n`, `LimitNOFILE`)",
  ENFILE: "the system has too many open files; raise its limit (`fs.file-max`)",
  EAGAIN: "the limit of processes is reached; raise it (`ulimit -u`, `TasksMax`, `pids.max`)",
  ENOMEM: "the system has too little memory",
};

export class ProcessNotStartedError extends Error {
  override readonly name = "ProcessNotStartedError";
  /** A later attempt may succeed. */
  readonly isPassing: boolean;

  constructor(what: string, cause: unknown) {
    const code = codeOf(cause);
    const reason = code === undefined ? undefined : REASONS[code];
    const why = reason ?? (cause instanceof Error ? cause.message : String(cause));
    super(`${what} could not be started: ${why}${reason === undefined ? "" : ` (${code})`}`, { cause });
    this.isPassing = reason !== undefined;
  }
}
