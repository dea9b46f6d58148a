/** The pages of codes: errors of requests, failures of rows, errors of uploads, and why runs wait or were ended. */
import { codeTables, rowGroups } from "@rowmill/server/code-tables";
import type { CodeEntry, CodeTable } from "@rowmill/server/code-tables";
import { block, code, compactJson, paragraphs, table } from "./markdown-text.ts";
import { GENERATED } from "./generated-page.ts";
import type { Page } from "./generated-page.ts";

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

/** What stands between the title of a page and its codes. */
const INTRODUCTIONS: Readonly<Record<CodeTable["name"], (entries: readonly CodeEntry[]) => string>> = {
  request: (entries) =>
    paragraphs(
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
          [
            "`docUrl`",
            "The entry of the code, at the service that responded: this page's text, for browsers and without a network.",
          ],
        ],
      ),
      "With `Accept: application/problem+json` the body has the form of RFC 9457. Some errors have further members, such as `requiredScopes`. `GET /v1/error-codes` has all codes, with the same meanings, causes and next steps: HTML for browsers, JSON for programs.",
      index("status", entries, Object.keys(Object.groupBy(entries, ({ group }) => group))),
    ),
  row: (entries) =>
    paragraphs(
      "A row that does not succeed ends as a failure with one of these codes. The other rows of the run continue. Each code has a class, and two properties:",
      [
        "- **Tried again** by the run itself, with growing delays, up to `retry.maxAttempts` attempts (4).",
        '- **Retryable**: a [retry run](api/runs.md#create-a-retry-run-with-lineage) may succeed with nothing changed. `selection: {"type": "retryable_failures"}` chooses these rows.',
      ].join("\n"),
      index("class", entries, rowGroups, code),
    ),
  upload: () =>
    "A [dataset upload](api/uploads.md) that fails says why in `errors[]`: `line` (from 1, null where no line is to blame), `code` and `message`. With `onInvalidRow: skip`, invalid rows are left out and counted in `rowsRejected`, and the upload continues.",
  run: () =>
    "`stateReason` of a run that is queued or paused, and `error.code` of a run that the service has ended. `stateReasonMessage`, `error.message` and `nextSteps` of a [run](api/runs.md#the-run-object) say the same about that run.",
};

export const codePages = (): Page[] =>
  codeTables().map((one) => ({ path: `${one.page}.md`, text: `${pageOf(one)}\n` }));

const pageOf = ({ name, title, entries }: CodeTable): string =>
  paragraphs(`# ${title}`, GENERATED, INTRODUCTIONS[name](entries), ...entries.map(section));

const section = ({ code: name, kind, meaning, facts }: CodeEntry): string =>
  paragraphs(
    `## ${name}`,
    kind === undefined ? meaning : `**${kind}.** ${meaning}`,
    facts.map(([fact, text]) => `- **${fact}**: ${text}`).join("\n"),
  );

function index(
  title: string,
  entries: readonly CodeEntry[],
  groups: readonly string[],
  show: (group: string) => string = (group) => group,
): string {
  const linksOf = (group: string): string =>
    entries
      .filter((entry) => entry.group === group)
      .map(({ code: name }) => `[${code(name)}](#${name})`)
      .join(", ");
  return table(
    [title, "codes"],
    groups.map((group) => [show(group), linksOf(group)]),
  );
}
