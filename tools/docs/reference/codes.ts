/** The pages of codes: errors of requests, failures of rows, errors of uploads, and why runs wait or were ended. */
import { errorCodeNames, errorCodes, isRetryable } from "@rowmill/contract/errors";
import { failureActions } from "@rowmill/contract/failure-actions";
import { failureCauses } from "@rowmill/contract/failure-causes";
import { failureClasses, failureCodeNames, failureCodes } from "@rowmill/contract/failures";
import type { FailureCode } from "@rowmill/contract/failures";
import { intakeErrorCodes, intakeErrors } from "@rowmill/contract/intake-errors";
import { runErrors, stateReasons } from "@rowmill/contract/run-reasons";
import { delayBeforeAttempt } from "@rowmill/server/engine/rows/retry-delay";
import { block, cell, code, compactJson, paragraphs, table } from "./markdown.ts";
import { GENERATED } from "./pages.ts";
import type { Page } from "./pages.ts";

const EXAMPLE_ERROR = {
  error: {
    code: "not_found",
    message: "There is no such run.",
    param: "runId",
    details: [],
    retryable: false,
    requestId: "req_01jd3v8m7qe6t9yb4c2xk5w0hz",
    docUrl: "http://127.0.0.1:8080/v1/error-codes#not_found",
  },
};

export const codePages = (): Page[] => [
  { path: "errors.md", text: `${errors()}\n` },
  { path: "failures.md", text: `${failures()}\n` },
  { path: "upload-errors.md", text: `${uploadErrors()}\n` },
  { path: "run-reasons.md", text: `${runReasons()}\n` },
];

/** Whether a run itself tries a row with this failure again. */
export const isTriedAgain = (name: FailureCode): boolean =>
  delayBeforeAttempt({}, { code: name, message: "", retryable: failureCodes[name].retryable }, 1, 0) !== undefined;

function errors(): string {
  const byStatus = Map.groupBy(errorCodeNames, (name) => errorCodes[name].status);
  return paragraphs(
    "# Errors of requests",
    GENERATED,
    "A request that is refused has a status from 400 on and a body like this one. Programs look at `code`; `message` is for people and may change.",
    block("json", compactJson(EXAMPLE_ERROR)),
    table(
      ["member", "meaning"],
      [
        ["`code`", "One of the codes below."],
        ["`message`", "What is wrong with this request, as a sentence."],
        ["`param`", "The member, parameter or header to correct; null where nothing particular is wrong."],
        ["`details`", "Each wrong member of a body: `path` (a JSON pointer), `code`, `message`."],
        ["`retryable`", "Whether the same request may succeed later with nothing changed."],
        ["`requestId`", "The name of the request, also in the header `Request-Id` and in the log of the service."],
        ["`docUrl`", "The entry of the code."],
      ],
    ),
    "With `Accept: application/problem+json` the body has the form of RFC 9457. Some errors have further members, such as `requiredScopes`. `GET /v1/error-codes` has all codes as JSON.",
    table(
      ["status", "codes"],
      [...byStatus]
        .toSorted(([a], [b]) => a - b)
        .map(([status, names]) => [String(status), names.map((name) => `[${code(name)}](#${name})`).join(", ")]),
    ),
    ...errorCodeNames.map((name) => {
      const { status, meaning, action } = errorCodes[name];
      return paragraphs(
        `## ${name}`,
        `**${status}.** ${meaning}`,
        `- **Next step**: ${action}\n- **Retry**: ${isRetryable(name) ? "yes, the same request may succeed later" : "no, the same request fails again"}`,
      );
    }),
  );
}

function failures(): string {
  return paragraphs(
    "# Failures of rows",
    GENERATED,
    "A row that does not succeed ends as a failure with one of these codes. The other rows of the run continue. Each code has a class, and two properties:",
    [
      "- **Tried again** by the run itself, with growing delays, up to `retry.maxAttempts` attempts (4).",
      '- **Retryable**: a [retry run](api/runs.md#create-a-retry-run-with-lineage) may succeed with nothing changed. `selection: {"type": "retryable_failures"}` chooses these rows.',
    ].join("\n"),
    table(
      ["class", "codes"],
      failureClasses.map((failureClass) => [
        code(failureClass),
        failureCodeNames
          .filter((name) => failureCodes[name].class === failureClass)
          .map((name) => `[${code(name)}](#${name})`)
          .join(", "),
      ]),
    ),
    ...failureCodeNames.map((name) => {
      const { class: failureClass, retryable, meaning } = failureCodes[name];
      return paragraphs(
        `## ${name}`,
        `${meaning} Class ${code(failureClass)}.`,
        [
          `- **Cause**: ${failureCauses[name]}`,
          `- **Next step**: ${failureActions[name]}`,
          `- **Tried again**: ${isTriedAgain(name) ? "yes" : "no"}. **Retryable**: ${retryable ? "yes" : "no"}.`,
        ].join("\n"),
      );
    }),
  );
}

const uploadErrors = (): string =>
  paragraphs(
    "# Errors of uploads",
    GENERATED,
    "A [dataset upload](api/uploads.md) that fails says why in `errors[]`: `line` (from 1, null where no line is to blame), `code` and `message`. With `onInvalidRow: skip`, invalid rows are left out and counted in `rowsRejected`, and the upload continues.",
    ...intakeErrorCodes.map((name) => paragraphs(`## ${name}`, intakeErrors[name])),
  );

function runReasons(): string {
  const section = (entries: Readonly<Record<string, { meaning: string; action: string }>>): string =>
    table(
      ["code", "meaning", "what to do"],
      Object.entries(entries).map(([name, { meaning, action }]) => [code(name), cell(meaning), cell(action)]),
    );
  return paragraphs(
    "# Why a run waits or was ended",
    GENERATED,
    "`stateReasonMessage`, `error.message` and `nextSteps` of a [run](api/runs.md#the-run-object) say the same about that run.",
    "## State reasons",
    "`stateReason` of a run that is queued or paused:",
    section(stateReasons),
    "## Errors",
    "`error.code` of a run that the service has ended or paused, beside the reasons above:",
    section(runErrors),
  );
}
