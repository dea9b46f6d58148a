/**
 * Every code with what people read of it: the page to which `docUrl` leads (`error-codes-page.ts`) and the pages of the reference
 * (`tools/docs/reference/codes.ts`) show these entries, so both say the same.
 */
import { failureClasses, failureCodes } from "@rowmill/contract/failures";
import type { FailureCode } from "@rowmill/contract/failures";
import { delayBeforeAttempt } from "./engine/rows/retry-delay.ts";
import { allCodes } from "./resources/reference/all-codes.ts";

export interface CodeEntry {
  code: string;
  /** By which the index of the table is grouped. */
  group: string;
  /** Stands before the meaning, where the group says more than the table. */
  kind: string | undefined;
  meaning: string;
  /** What else to know, each with its name. Text in which backquotes mark code. */
  facts: [name: string, text: string][];
}

export interface CodeTable {
  /** Before the anchors of codes that more than one table has. */
  name: "request" | "row" | "upload" | "run";
  title: string;
  /** Below `reference/` of the guide. */
  page: string;
  where: string;
  entries: CodeEntry[];
}

export function codeTables(): CodeTable[] {
  const { data, rowFailures, uploadErrors, runReasons } = allCodes();
  return [
    {
      name: "request",
      title: "Errors of requests",
      page: "errors",
      where: "`error.code` of a response with this status.",
      entries: data.map(({ status, retryable, ...entry }) => ({
        ...plainEntry(entry, String(status)),
        kind: `HTTP ${status}`,
        facts: [
          ...factsOf(entry),
          ["Retry", retryable ? "yes, the same request may succeed later" : "no, the same request fails again"],
        ],
      })),
    },
    {
      name: "row",
      title: "Failures of rows",
      page: "failures",
      where: "`code` of a failure in a run. The other rows go on.",
      entries: rowFailures.map(({ class: failureClass, retryable, ...entry }) => ({
        ...plainEntry(entry, failureClass),
        kind: `Class \`${failureClass}\``,
        facts: [
          ...factsOf(entry),
          ["Tried again", isTriedAgain(entry.code) ? "yes, by the run itself" : "no"],
          [
            "Retryable",
            retryable ? "yes, a retry run may succeed with nothing changed" : "no, it fails again with nothing changed",
          ],
        ],
      })),
    },
    {
      name: "upload",
      title: "Errors of uploads",
      page: "upload-errors",
      where: "`errors[].code` of a dataset upload.",
      entries: uploadErrors.map((entry) => plainEntry(entry, "")),
    },
    {
      name: "run",
      title: "Why a run waits or was ended",
      page: "run-reasons",
      where: "`stateReason` and `error.code` of a run.",
      entries: runReasons.map((entry) => plainEntry(entry, "")),
    },
  ];
}

/** Whether a run itself tries a row with this failure again. */
const isTriedAgain = (name: FailureCode): boolean =>
  delayBeforeAttempt({}, { code: name, message: "", retryable: failureCodes[name].retryable }, 1, 0) !== undefined;

/** The groups of failures of rows, in the order of the contract. */
export const rowGroups: readonly string[] = failureClasses;

interface Described {
  code: string;
  meaning: string;
  cause: string;
  action: string;
}

const plainEntry = (entry: Described, group: string): CodeEntry => ({
  code: entry.code,
  group,
  kind: undefined,
  meaning: entry.meaning,
  facts: factsOf(entry),
});

const factsOf = ({ cause, action }: Described): CodeEntry["facts"] => [
  ["Cause", cause],
  ["Next step", action],
];
