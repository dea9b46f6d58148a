/** One row whole: what went in, what came out, and every attempt and call for it over the whole family of the run. */
import { useQueries, useQuery } from "@tanstack/react-query";
import type { Failure, Lineage, Output, Run, RunRow } from "@rowmill/client";
import { ChevronDown, ChevronUp } from "lucide-react";
import { Button, ButtonLink } from "../../components/button.tsx";
import { Copy } from "../../components/copy.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Loading } from "../../components/loading.tsx";
import { ErrorNotice, Notice } from "../../components/notice.tsx";
import { State } from "../../components/state.tsx";
import { Time } from "../../components/time.tsx";
import { Value } from "../../components/value.tsx";
import { rowmill } from "../../lib/client.ts";
import { useColumnNames } from "../../lib/columns.ts";
import { parseExactly } from "../../lib/exact-numbers.ts";
import { duration, plural, rowNumber, shortCount, usd, words } from "../../lib/format.ts";
import { rowQuery } from "../../lib/row-query.ts";
import { describeSelection } from "../../lib/runs.ts";
import { useMay } from "../../lib/session.ts";

interface RowPanelProps {
  run: Run;
  index: number;
  onClose: () => void;
  onMove?: (step: number) => void;
  /** Whether there is a row in that direction, as far as it is known. */
  canMove?: (step: number) => boolean;
}

export function RowPanel({ run, index, onClose, onMove, canMove }: RowPanelProps) {
  const mayInput = useMay("datasets:read");
  const columnNames = useColumnNames(run.datasetId);
  const mayResults = useMay("results:read");
  const { data: input, error: inputError } = useQuery({ ...rowQuery(run.datasetId, index), enabled: mayInput });
  const { family, attempts, error } = useAttempts(run, index, mayResults);
  const own = attempts[family.findIndex(({ id }) => id === run.id)]?.data;
  return (
    <Dialog
      side
      width="max-w-xl"
      title={
        <span className="flex flex-wrap items-center gap-x-3">
          Row {rowNumber(index)}
          {own !== undefined && own !== null && <State state={own.row.state} />}
        </span>
      }
      onClose={onClose}
      onMove={onMove}
      footer={<Footer rowId={own?.row.datasetRowId} onMove={onMove} canMove={canMove} />}
    >
      {(error ?? inputError) !== null && <ErrorNotice error={error ?? inputError} />}
      {own === undefined && error === null && <Loading />}
      {own === null && <Notice tone="info" title={`This run does not have row ${rowNumber(index)}.`} />}
      {own?.failure !== undefined && <FailureNotice failure={own.failure} />}
      {own?.output !== undefined && <Value value={own.output.data} label="Output" />}
      {!mayResults && (
        <Notice tone="info" title="Outputs are hidden.">
          Your key lacks the scope results:read.
        </Notice>
      )}
      {input !== undefined && input !== null && <Value value={input.data} label="Input" order={columnNames} />}
      {!mayInput && (
        <Notice tone="info" title="The input is hidden.">
          Your key lacks the scope datasets:read.
        </Notice>
      )}
      <section className="flex flex-col gap-2">
        {own !== undefined && own !== null && (
          <h3 className="font-medium">{family.length > 1 ? "In all runs of the family" : "Attempts and calls"}</h3>
        )}
        <Totals attempts={attempts.flatMap(({ data }) => data ?? [])} />
        {family.map((member, i) => {
          const attempt = attempts[i]?.data;
          return attempt === undefined || attempt === null ? null : (
            <InRun key={member.id} member={member} attempt={attempt} index={index} isOther={member.id !== run.id} />
          );
        })}
      </section>
    </Dialog>
  );
}

/** What each run of the family has of the row, the newest run first. */
function useAttempts(run: Run, index: number, mayResults: boolean) {
  const { data: lineage, error } = useQuery({
    queryKey: ["runs", run.id, "lineage"],
    queryFn: () => rowmill.runs.lineage(run.id),
  });
  const family = [...(lineage?.runs ?? [])].sort((a, b) => (a.id < b.id ? 1 : -1));
  const attempts = useQueries({
    queries: family.map(({ id }) => ({
      queryKey: ["runs", id, "row", index, run.rows.succeeded + run.rows.failed],
      queryFn: () => readAttempt(id, index, mayResults),
    })),
  });
  return { family, attempts, error: error ?? attempts.find((attempt) => attempt.error !== null)?.error ?? null };
}

function Footer({
  rowId,
  onMove,
  canMove = () => true,
}: { rowId: string | undefined } & Pick<RowPanelProps, "onMove" | "canMove">) {
  return (
    <div className="flex w-full items-center justify-between gap-3">
      <span className="min-w-0 px-1">
        {rowId !== undefined && (
          <Copy text={rowId} label="Copy the row's id">
            {rowId}
          </Copy>
        )}
      </span>
      {onMove !== undefined && (
        <span className="flex gap-1">
          <Button icon={ChevronUp} label="Previous row" aria-disabled={!canMove(-1)} onClick={() => onMove(-1)} />
          <Button icon={ChevronDown} label="Next row" aria-disabled={!canMove(1)} onClick={() => onMove(1)} />
        </span>
      )}
    </div>
  );
}

interface Attempt {
  row: RunRow;
  output?: Output;
  failure?: Failure;
}

/** Null where the run does not have the row. */
async function readAttempt(runId: string, index: number, mayResults: boolean): Promise<Attempt | null> {
  const query = { fromIndex: index, limit: 1 };
  const row = (await rowmill.runs.rows(runId, query)).data[0];
  if (row?.index !== index) return null;
  const output =
    mayResults && row.state === "succeeded"
      ? (await rowmill.runs.outputs(runId, query, { parseJson: parseExactly })).data[0]
      : undefined;
  const failure =
    mayResults && row.state === "failed"
      ? (await rowmill.runs.failures(runId, query, { parseJson: parseExactly })).data[0]
      : undefined;
  return { row, ...(output && { output }), ...(failure && { failure }) };
}

type Member = Lineage["runs"][number];

function InRun({
  member,
  attempt,
  index,
  isOther,
}: {
  member: Member;
  attempt: Attempt;
  index: number;
  /** Not the run whose row is open. */
  isOther: boolean;
}) {
  return (
    <div className="card px-3 py-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span className="font-medium">
          {member.selection === null ? "First run" : `${describeSelection(member.selection)} (${member.retryNumber})`}
        </span>
        <State state={attempt.row.state} />
      </div>
      <p className="text-xs text-soft">
        {plural(attempt.row.attempts, "attempt")}
        {attempt.row.durationMs !== null && ` · ${duration(attempt.row.durationMs / 1000)}`}
        {attempt.row.finishedAt !== null && (
          <>
            {" · "}
            <Time at={attempt.row.finishedAt} />
          </>
        )}
      </p>
      {isOther && attempt.row.error !== null && <p className="mt-1 text-bad">{attempt.row.error.message}</p>}
      <Calls usage={(attempt.output ?? attempt.failure)?.usage ?? null} />
      {isOther && (
        <ButtonLink
          look="quiet"
          className="mt-1 -ml-3"
          to="/runs/$runId"
          params={{ runId: member.id }}
          search={{ row: String(index) }}
        >
          Open in that run
        </ButtonLink>
      )}
    </div>
  );
}

function FailureNotice({ failure }: { failure: Failure }) {
  return (
    <Notice tone="bad" title={words(failure.code)}>
      <p className="whitespace-pre-wrap">{failure.message}</p>
      {failure.details !== null && Object.keys(failure.details).length > 0 && (
        <pre className="mt-1 max-h-48 overflow-auto font-mono text-xs whitespace-pre-wrap">
          {JSON.stringify(failure.details, null, 2)}
        </pre>
      )}
      <p className="mt-1 text-xs">
        {failure.retryable ? "It may pass with nothing changed." : "It fails again while nothing is changed."}
      </p>
    </Notice>
  );
}

type Call = NonNullable<NonNullable<Output["usage"]>["calls"]>[number];

/** Of a call to a model whose tokens nobody has counted, the service takes the most that it may have cost. */
const hasHighestCost = ({ model, inputTokens, outputTokens, costUsd }: Call): boolean =>
  model !== undefined && Number(costUsd ?? 0) > 0 && (inputTokens === undefined || outputTokens === undefined);

/** What the row has taken, over the whole family. */
function Totals({ attempts }: { attempts: readonly Attempt[] }) {
  const calls = attempts.flatMap(({ output, failure }) => (output ?? failure)?.usage?.calls ?? []);
  if (calls.length === 0) return null;
  const sum = (of: (call: Call) => number): number => calls.reduce((total, call) => total + of(call), 0);
  const tries = attempts.reduce((total, { row }) => total + row.attempts, 0);
  const uncounted = calls.filter(hasHighestCost).length;
  return (
    <p className="text-soft tabular-nums">
      {plural(tries, "attempt")}, {plural(calls.length, "call")}, tokens:{" "}
      {shortCount(sum(({ inputTokens }) => inputTokens ?? 0))} in and{" "}
      {shortCount(sum(({ outputTokens }) => outputTokens ?? 0))} out
      {calls.some(({ costUsd }) => costUsd !== undefined) &&
        `, ${usd(String(sum(({ costUsd }) => Number(costUsd ?? 0))))}`}
      {uncounted > 0 &&
        `. ${plural(uncounted, "call")} reported no tokens and ${uncounted === 1 ? "counts with its" : "count with their"} highest cost: it may have been less.`}
    </p>
  );
}

function Calls({ usage }: { usage: Output["usage"] }) {
  if (usage === null) return null;
  if (usage.cached === true)
    return <p className="text-xs text-soft">Taken from an earlier result: nothing was called.</p>;
  const calls = usage.calls ?? [];
  if (calls.length === 0) return null;
  return (
    <table className="mt-1.5 w-full text-xs">
      <thead>
        <tr className="text-left text-soft">
          <th className="font-medium">Call</th>
          <th className="pl-4 text-right font-medium whitespace-nowrap">Tokens in</th>
          <th className="pl-4 text-right font-medium whitespace-nowrap">Tokens out</th>
          <th className="pl-4 text-right font-medium">Cost</th>
        </tr>
      </thead>
      <tbody>
        {calls.map((call, i) => (
          <tr key={i}>
            <td className="py-0.5 [overflow-wrap:anywhere]">
              {call.reportedModel ?? call.model ?? "request"}
              {call.code !== undefined && <span className="text-bad"> {words(call.code)}</span>}
            </td>
            <td className="pl-4 text-right whitespace-nowrap">
              {call.inputTokens === undefined ? "–" : shortCount(call.inputTokens)}
            </td>
            <td className="pl-4 text-right whitespace-nowrap">
              {call.outputTokens === undefined ? "–" : shortCount(call.outputTokens)}
            </td>
            <td className="pl-4 text-right whitespace-nowrap">
              {call.costUsd === undefined ? "–" : usd(call.costUsd)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
