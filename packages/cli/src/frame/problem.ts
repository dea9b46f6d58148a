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

/** Ctrl-C, where the command had nothing to say about it. */
export class Interrupted extends Error {}
