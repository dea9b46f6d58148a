/** What a command prints when it cannot go on: one sentence what, one sentence what to do, and an exit code. */
import { exitCodes } from "./exit-codes.ts";
import type { ExitName } from "./exit-codes.ts";

export interface ProblemDetails {
  exit?: ExitName;
  /** A code for programs; of the API where the API refused. */
  code?: string;
  docUrl?: string | null;
  requestId?: string | null;
  cause?: unknown;
}

export class Problem extends Error {
  /** What to do; empty where there is nothing to do. */
  readonly advice: string;
  readonly exit: ExitName;
  readonly code: string;
  readonly docUrl: string | null;
  readonly requestId: string | null;

  constructor(what: string, advice: string, details: ProblemDetails = {}) {
    super(what, { cause: details.cause });
    this.advice = advice;
    this.exit = details.exit ?? "error";
    this.code = details.code ?? this.exit;
    this.docUrl = details.docUrl ?? null;
    this.requestId = details.requestId ?? null;
  }

  get exitCode(): number {
    return exitCodes[this.exit].code;
  }
}

/** A mistake in the arguments. */
export const usageProblem = (what: string, advice: string): Problem => new Problem(what, advice, { exit: "usage" });

/**
 * Ctrl-C, or a request to end. A person has read how to come back when it is thrown; a program gets it as the last event.
 * `comeBack` is the command that goes on; undefined where that is the same one.
 */
export class Interrupted extends Error {
  readonly comeBack: string | undefined;

  constructor(comeBack?: string) {
    super("Interrupted.");
    this.comeBack = comeBack;
  }

  asProblem(): Problem {
    const advice =
      this.comeBack === undefined
        ? "Repeat the command."
        : `What is done is kept; come back with \`${this.comeBack}\`.`;
    return new Problem(this.message, advice, { exit: "interrupted" });
  }
}
