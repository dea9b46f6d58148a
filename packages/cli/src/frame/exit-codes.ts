/** How a command ends. Code, help and docs read this one table. */
import { wrapText } from "./wrap.ts";

export const exitCodes = {
  success: { code: 0, meaning: "success" },
  error: { code: 1, meaning: "error" },
  usage: {
    code: 2,
    meaning:
      "wrong usage: an unknown option, a missing argument, no service, a name or a column that does not exist, a file that cannot be read",
  },
  rows_failed: { code: 3, meaning: "the run ended, and some rows failed" },
  not_allowed: { code: 4, meaning: "not signed in, or not allowed" },
  run_not_finished: { code: 5, meaning: "the run failed, expired, was canceled or is paused, or every row would fail" },
  no_consent: { code: 6, meaning: "stopped by the budget, or a price or a change was not agreed to" },
  interrupted: {
    code: 130,
    meaning: "ended by Ctrl-C or SIGTERM; 0 from `dev`, `server` and `listen`, which end in no other way",
  },
} as const;

export type ExitName = keyof typeof exitCodes;

/** Below the meaning in the line before. */
const MEANING_INDENT = " ".repeat(7);

export function exitCodeTable(columns: number): string {
  return Object.values(exitCodes)
    .map(({ code, meaning }) => wrapText(`  ${String(code).padStart(3)}  ${meaning}`, columns, MEANING_INDENT))
    .join("\n");
}
