/** The failures with one code: their cause, or a line for each of several. */
import { Link, useNavigate } from "@tanstack/react-router";
import type { FailureGroup, Run } from "@rowmill/client";
import { ClipboardCopy, Eye, RotateCcw } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { Meter } from "../../components/meter.tsx";
import { copyAndSay } from "../../components/menu.tsx";
import { baseUrl } from "../../lib/client.ts";
import { count, percent, plural, rowNumber, visible, words } from "../../lib/format.ts";
import { FailureRows } from "./failure-rows.tsx";

/** Functions and schemas may fail at hundreds of places; the largest causes are those to begin with. */
const CAUSES_SHOWN = 8;

interface FailureCodeProps {
  run: Run;
  code: FailureGroup["code"];
  /** The largest first. */
  causes: readonly FailureGroup[];
  /** Further causes, which are not read yet, may have the code. */
  mayHaveMore: boolean;
  action: string;
  isOpen: boolean;
  onRetry: (() => void) | undefined;
}

export function FailureCode({ run, code, causes, mayHaveMore, action, isOpen, onRetry }: FailureCodeProps) {
  const [only] = causes.length === 1 && !mayHaveMore ? causes : [];
  const rows = causes.reduce((sum, group) => sum + group.count, 0);
  return (
    <article className="card overflow-hidden">
      <div className="flex flex-col gap-3 px-5 py-4">
        <div className="flex flex-wrap items-start justify-between gap-3">
          <div className="min-w-0 flex-1 basis-80">
            <h2 className="text-base font-semibold">
              {words(code)}
              {only !== undefined && only.path !== null && (
                <code className="ml-2 font-mono text-xs font-normal [overflow-wrap:anywhere] text-soft">
                  {visible(only.path)}
                </code>
              )}
            </h2>
            <p className="text-soft">
              <strong className="font-semibold text-bad tabular-nums">{plural(rows, "row")}</strong>
              {mayHaveMore && " or more"}
              {` · ${percent((100 * rows) / Math.max(1, run.rows.failed))} of the failures`}
              {only === undefined && ` · ${plural(causes.length, "cause")}${mayHaveMore ? " or more" : ""}`}
              {` · ${outlook(causes)}`}
            </p>
          </div>
          <CodeButtons run={run} code={code} causes={causes} only={only} isOpen={isOpen} onRetry={onRetry} />
        </div>
        <Meter
          parts={[{ value: rows, look: "bad" }]}
          total={run.rows.failed}
          label={`${count(rows)} of ${plural(run.rows.failed, "failure")}`}
          className="h-1"
        />
        {only !== undefined && <WholeMessage group={only} />}
        {action !== "" && <p className="text-soft">{action}</p>}
      </div>
      {only === undefined && <Causes run={run} causes={causes} />}
      {isOpen && <FailureRows run={run} code={code} />}
    </article>
  );
}

function outlook(causes: readonly FailureGroup[]): string {
  if (causes.every(({ retryable }) => retryable)) return "may pass with nothing changed";
  return causes.some(({ retryable }) => retryable)
    ? "some may pass with nothing changed"
    : "fails again while nothing is changed";
}

/** A message may be long: it is scrolled, also by the keyboard. */
function WholeMessage({ group: { sample } }: { group: FailureGroup }) {
  return (
    <blockquote
      tabIndex={0}
      aria-label="Message"
      className="max-h-40 overflow-auto border-l-2 border-edge pl-3 [overflow-wrap:anywhere] whitespace-pre-wrap"
    >
      <bdi>{visible(sample.message)}</bdi>
      <span className="text-soft"> (row {rowNumber(sample.index)})</span>
    </blockquote>
  );
}

/** A line for each: where it is, how often, and one of its rows, which has the whole message. */
function Causes({ run, causes }: { run: Run; causes: readonly FailureGroup[] }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? causes : causes.slice(0, CAUSES_SHOWN);
  return (
    <>
      <ul aria-label="Causes" className="divide-y divide-line border-t border-line">
        {shown.map((group) => (
          <li key={`${group.path}${group.retryable}`} className="flex items-start gap-3 py-2 pr-3 pl-5">
            <div className="min-w-0 flex-1">
              <p className="line-clamp-2 [overflow-wrap:anywhere]">
                <bdi>{visible(group.sample.message)}</bdi>
              </p>
              <p className="flex flex-wrap gap-x-3 text-xs text-soft">
                {group.path !== null && (
                  <code className="font-mono [overflow-wrap:anywhere]">{visible(group.path)}</code>
                )}
                <Link
                  to="/runs/$runId"
                  params={{ runId: run.id }}
                  search={{ row: String(group.sample.index) }}
                  className="link"
                >
                  row {rowNumber(group.sample.index)}
                </Link>
              </p>
            </div>
            <span className="shrink-0 font-medium whitespace-nowrap text-bad tabular-nums">
              {plural(group.count, "row")}
            </span>
            <CopyButton run={run} group={group} className="-my-1 shrink-0" />
          </li>
        ))}
      </ul>
      {causes.length > CAUSES_SHOWN && (
        <div className="border-t border-line px-2 py-1">
          <Button look="quiet" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? "Show the largest causes" : `Show all ${count(causes.length)} causes`}
          </Button>
        </div>
      )}
    </>
  );
}

interface CodeButtonsProps extends Pick<FailureCodeProps, "run" | "code" | "causes" | "isOpen" | "onRetry"> {
  /** Undefined: rows are read and retried by their code, which several causes have. */
  only: FailureGroup | undefined;
}

function CodeButtons({ run, code, causes, only, isOpen, onRetry }: CodeButtonsProps) {
  const navigate = useNavigate();
  return (
    <div className="flex flex-wrap gap-2">
      {only !== undefined && <CopyButton run={run} group={only} className="max-sm:order-last" />}
      <Button
        icon={Eye}
        aria-expanded={isOpen}
        onClick={() =>
          void navigate({
            to: "/runs/$runId/failures",
            params: { runId: run.id },
            search: isOpen ? {} : { code },
            resetScroll: false,
          })
        }
      >
        {isOpen ? "Hide rows" : only !== undefined ? "Show rows" : "Show all with this code"}
      </Button>
      {onRetry !== undefined && (
        // What fails again while nothing is changed is not what to press first.
        <Button
          look={causes.some(({ retryable }) => retryable) ? "primary" : "plain"}
          icon={RotateCcw}
          onClick={onRetry}
        >
          {only !== undefined ? "Retry this cause" : "Retry all with this code"}
        </Button>
      )}
    </div>
  );
}

function CopyButton({ run, group, className }: { run: Run; group: FailureGroup; className: string }) {
  return (
    <Button
      look="quiet"
      className={className}
      icon={ClipboardCopy}
      label="Copy as Markdown"
      onClick={() => void copyMarkdown(run, group)}
    />
  );
}

async function copyMarkdown(run: Run, group: FailureGroup): Promise<void> {
  const { sample } = group;
  // Longer than any fence in the message: models write such, and schemas quote them.
  const fence = "`".repeat(Math.max(3, ...[...sample.message.matchAll(/`+/g)].map(([marks]) => marks.length + 1)));
  const lines = [
    `### ${words(group.code)}: ${plural(group.count, "row")}`,
    "",
    `- Run: \`${run.id}\`, job spec \`${run.jobSpecId}\` version ${run.jobSpecVersion}`,
    `- Code: \`${group.code}\`${group.path === null ? "" : ` at \`${group.path}\``}, class ${group.class}, ${group.retryable ? "retryable" : "not retryable"}`,
    `- All rows with this code: <${baseUrl}runs/${run.id}/failures?code=${group.code}>`,
    `- Row ${rowNumber(sample.index)} (\`${sample.datasetRowId}\`), ${sample.failedAt}:`,
    "",
    fence,
    sample.message,
    fence,
  ];
  await copyAndSay(lines.join("\n"), "Copied as Markdown.");
}
