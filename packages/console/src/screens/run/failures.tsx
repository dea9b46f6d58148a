/** The failures by their cause: what happened, how often, what to do, and the retry of just that. */
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { isTerminal } from "@rowmill/client";
import type { FailureGroup, Run } from "@rowmill/client";
import { ClipboardCopy, Eye, RotateCcw } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { Meter } from "../../components/meter.tsx";
import { Loading } from "../../components/loading.tsx";
import { copyAndSay } from "../../components/menu.tsx";
import { ErrorNotice, Hidden } from "../../components/notice.tsx";
import { Empty } from "../../components/page.tsx";
import { baseUrl, rowmill } from "../../lib/client.ts";
import { count, percent, plain, plural, rowNumber, visible, words } from "../../lib/format.ts";
import { pollEvery } from "../../lib/live/live.ts";
import { isMoving, runQuery } from "../../lib/runs.ts";
import { useMay } from "../../lib/session.ts";
import { RetryDialog } from "./retry-dialog.tsx";
import { FailureRows } from "./failure-rows.tsx";

const POLL_MS = 3000;

export function RunFailures() {
  const { runId } = useParams({ from: "/frame/runs/$runId" });
  const { data: run } = useSuspenseQuery(runQuery(runId));
  const { code } = useSearch({ from: "/frame/runs/$runId/failures" });
  const mayRead = useMay("results:read");
  const mayRetry = useMay("runs:write");
  const [retried, setRetried] = useState<FailureGroup["code"] | null>(null);
  const { data: groups, error } = useQuery({
    queryKey: ["runs", runId, "failure-groups", isTerminal(run)],
    queryFn: async () => (await rowmill.runs.failureGroups(runId, { limit: 100 })).data,
    refetchInterval: isMoving(run) ? () => pollEvery(POLL_MS) : false,
    enabled: mayRead,
  });
  const actionOf = useActions();
  if (!mayRead) return <Hidden what="Failures are" scope="results:read" />;
  if (error !== null && groups === undefined) return <ErrorNotice error={error} />;
  if (groups === undefined) return <Loading />;
  if (groups.length === 0)
    return (
      <Empty title="No row has failed.">
        {isTerminal(run)
          ? "Every row that was tried has an output."
          : "Failures appear here by their cause as soon as there are any."}
      </Empty>
    );
  return (
    <div className="flex flex-col gap-3">
      {groups.map((group) => (
        <Cause
          key={`${group.code}${group.path}${group.retryable}`}
          run={run}
          group={group}
          action={actionOf(group)}
          isOpen={code === group.code}
          isOnlyOfCode={groups.every((other) => other === group || other.code !== group.code)}
          onRetry={mayRetry && isTerminal(run) ? () => setRetried(group.code) : undefined}
        />
      ))}
      {!isTerminal(run) && mayRetry && <p className="text-soft">A cause can be retried when the run has ended.</p>}
      {retried !== null && (
        <RetryDialog run={run} selection={{ type: "codes", codes: [retried] }} onClose={() => setRetried(null)} />
      )}
    </div>
  );
}

/** What to do about a failure, by its code. */
function useActions(): (group: FailureGroup) => string {
  const { data: codes } = useQuery({
    queryKey: ["error-codes"],
    queryFn: () => rowmill.request("GET", "/v1/error-codes"),
    staleTime: Infinity,
  });
  return (group) => plain(codes?.rowFailures.find((known) => known.code === group.code)?.action ?? "");
}

interface CauseProps {
  run: Run;
  group: FailureGroup;
  /** Empty: nothing is known that would help. */
  action: string;
  isOpen: boolean;
  /** Rows are read and retried by their code, which several causes may have. */
  isOnlyOfCode: boolean;
  onRetry: (() => void) | undefined;
}

function Cause({ group, action, ...rest }: CauseProps) {
  const { run, isOpen } = rest;
  return (
    <article className="card overflow-hidden">
      <div className="flex flex-col gap-3 px-5 py-4">
        <div className="flex flex-wrap items-start justify-between gap-3">
          <div className="min-w-0 flex-1 basis-80">
            <h2 className="text-base font-semibold">
              {words(group.code)}
              {group.path !== null && (
                <code className="ml-2 font-mono text-xs font-normal text-soft">{visible(group.path)}</code>
              )}
            </h2>
            <p className="text-soft">
              <strong className="font-semibold text-bad tabular-nums">{plural(group.count, "row")}</strong>
              {` · ${percent((100 * group.count) / Math.max(1, run.rows.failed))} of the failures · ${group.retryable ? "may pass with nothing changed" : "fails again while nothing is changed"}`}
            </p>
          </div>
          <CauseButtons group={group} {...rest} />
        </div>
        <Meter
          parts={[{ value: group.count, look: "bad" }]}
          total={run.rows.failed}
          label={`${count(group.count)} of ${plural(run.rows.failed, "failure")}`}
          className="h-1"
        />
        <blockquote className="max-h-40 overflow-auto border-l-2 border-edge pl-3 [overflow-wrap:anywhere] whitespace-pre-wrap">
          <bdi>{visible(group.sample.message)}</bdi>
          <span className="text-soft"> (row {rowNumber(group.sample.index)})</span>
        </blockquote>
        {action !== "" && <p className="text-soft">{action}</p>}
      </div>
      {isOpen && <FailureRows run={run} code={group.code} />}
    </article>
  );
}

function CauseButtons({ run, group, isOpen, isOnlyOfCode, onRetry }: Omit<CauseProps, "action">) {
  const navigate = useNavigate();
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        look="quiet"
        className="max-sm:order-last"
        icon={ClipboardCopy}
        label="Copy as Markdown"
        onClick={() => void copyMarkdown(run, group)}
      />
      <Button
        icon={Eye}
        aria-expanded={isOpen}
        onClick={() =>
          void navigate({
            to: "/runs/$runId/failures",
            params: { runId: run.id },
            search: isOpen ? {} : { code: group.code },
            resetScroll: false,
          })
        }
      >
        {isOpen ? "Hide rows" : isOnlyOfCode ? "Show rows" : "Show all with this code"}
      </Button>
      {onRetry !== undefined && (
        // What fails again while nothing is changed is not what to press first.
        <Button look={group.retryable ? "primary" : "plain"} icon={RotateCcw} onClick={onRetry}>
          {isOnlyOfCode ? "Retry this cause" : "Retry all with this code"}
        </Button>
      )}
    </div>
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
