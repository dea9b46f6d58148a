/** The first page of the reference. */
import { GENERATED } from "./generated-page.ts";
import type { Page } from "./generated-page.ts";
import { apiPages } from "./api-pages.ts";
import { paragraphs, table } from "./markdown-text.ts";

export const indexPage = (): Page => ({
  path: "README.md",
  text: `${paragraphs(
    "# Reference",
    GENERATED,
    "Complete and generated from the sources: what stands here is what the service of this version does.",
    table(
      ["page", "what it has"],
      [
        [
          "[API](api.md)",
          "Authentication, scopes, idempotency, paging, filters, errors; then each operation with an example",
        ],
        ["[Command line](cli.md)", "Each command with its options, and the exit codes"],
        ["[Settings](settings.md)", "Each environment variable of the service"],
        ["[Errors of requests](errors.md)", "`error.code` of responses: meaning and next step"],
        ["[Failures of rows](failures.md)", "`code` of a row that failed: cause, next step, whether it is tried again"],
        ["[Errors of uploads](upload-errors.md)", "Why a file made no dataset"],
        ["[Why a run waits or was ended](run-reasons.md)", "`stateReason` and `error.code` of runs"],
        ["[Events](events.md)", "Each event type with what it carries"],
        ["[Data types and formats](data-types.md)", "How CSV, JSON and Parquet are read and written"],
        [
          "[Expressions and templates](expressions.md)",
          "Filters of runs and alerts; `{{row.field}}` in prompts and requests",
        ],
        ["[The sandbox of `transform`](transform.md)", "What code finds, what it does not, and its limits"],
        ["[Limits](limits.md)", "Each limit with its value, its reason and what happens beyond it"],
        ["[Metrics](metrics.md)", "What Prometheus reads"],
      ],
    ),
    `The resources of the API: ${apiPages.map(({ file, title }) => `[${title}](api/${file}.md)`).join(", ")}.`,
  )}\n`,
});
