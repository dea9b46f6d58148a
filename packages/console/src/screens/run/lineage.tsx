/** The family of a run: the first run and its retries, each joined to the run whose rows it took. */
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Meter } from "../../components/meter.tsx";
import { Loading } from "../../components/loading.tsx";
import { ErrorNotice } from "../../components/notice.tsx";
import { State } from "../../components/state.tsx";
import { rowmill } from "../../lib/client.ts";
import { laneCountOf, linesOf } from "../../lib/family.ts";
import type { Line, Member } from "../../lib/family.ts";
import { plural } from "../../lib/format.ts";
import { pollEvery } from "../../lib/live/live.ts";
import { useStarters } from "../../lib/people.ts";
import { describeRows, describeSelection, partsOf } from "../../lib/runs.ts";

const POLL_MS = 3_000;

export function RunLineage() {
  const { runId } = useParams({ from: "/frame/runs/$runId" });
  const { data, error } = useQuery({
    queryKey: ["runs", runId, "lineage"],
    queryFn: () => rowmill.runs.lineage(runId),
    refetchInterval: () => pollEvery(POLL_MS),
  });
  const { hasSeveral, starterOf } = useStarters(data?.runs ?? []);
  if (error !== null && data === undefined) return <ErrorNotice error={error} />;
  if (data === undefined) return <Loading />;
  const lines = linesOf(data.runs);
  const width = laneCountOf(lines) * LANE;
  return (
    <div className="flex flex-col gap-3">
      <ul aria-label="The family of this run">
        {lines.map((line) => (
          <li key={line.member.id} className="flex gap-1">
            <Edges line={line} width={width} isCurrent={line.member.id === runId} />
            <MemberCard
              {...line}
              isCurrent={line.member.id === runId}
              startedBy={hasSeveral ? starterOf(line.member) : undefined}
            />
          </li>
        ))}
      </ul>
      {data.runs.length === 1 && (
        <p className="text-soft">
          No rows of this run were retried. A retry is a run of its own, and appears here below this one.
        </p>
      )}
    </div>
  );
}

function MemberCard({
  member,
  parent,
  isCurrent,
  startedBy,
}: Pick<Line, "member" | "parent"> & {
  isCurrent: boolean;
  /** Where the runs are of several keys. */
  startedBy: string | undefined;
}) {
  return (
    <div
      className={`card my-1 grid min-w-0 flex-1 grid-cols-[1fr_auto] items-center gap-x-4 gap-y-1.5 px-4 py-3 sm:grid-cols-[minmax(160px,320px)_1fr_minmax(210px,auto)] ${isCurrent ? "border-accent" : ""}`}
    >
      <div className="min-w-0">
        <Link
          to="/runs/$runId"
          params={{ runId: member.id }}
          aria-current={isCurrent ? "true" : undefined}
          className="font-medium hover:underline"
        >
          {member.selection === null ? "First run" : describeSelection(member.selection)}
        </Link>
        <p className="text-xs text-soft">
          {plural(member.rows.total, "row")}
          {parent !== undefined && ` of ${nameOf(parent)}`}
          {isCurrent ? ", shown here" : ""}
        </p>
        {startedBy !== undefined && (
          <p className="text-xs text-soft [overflow-wrap:anywhere]" title={member.apiKeyId ?? undefined}>
            Started by {startedBy}
          </p>
        )}
      </div>
      <Meter
        className="order-last col-span-2 h-1.5 sm:order-none sm:col-span-1"
        parts={partsOf(member.rows)}
        total={member.rows.total}
        label={describeRows(member.rows)}
      />
      <span className="flex flex-wrap items-center justify-end gap-x-3">
        {member.selection !== null && <span className="text-xs text-soft">Retry {member.retryNumber}</span>}
        <State state={member.state} />
      </span>
    </div>
  );
}

const nameOf = ({ selection, retryNumber }: Member): string =>
  selection === null ? "the first run" : `retry ${retryNumber}`;

/** Pixels. */
const LANE = 22;
const DOT = 10;
const middleOf = (lane: number): number => lane * LANE + LANE / 2;

/** One line of the drawing: as high as the card beside it, whatever that holds. Its height is 100 units. */
function Edges({
  line: { lane, enters, hasRetries, passing },
  width,
  isCurrent,
}: {
  line: Line;
  width: number;
  isCurrent: boolean;
}) {
  const x = middleOf(lane);
  const left = middleOf(lane - 1);
  const paths = [
    ...passing.map((other) => `M${middleOf(other)} 0V100`),
    ...(enters === "straight" ? [`M${x} 0V50`] : []),
    ...(enters === "branch" ? [`M${left} 0C${left} 40 ${x} 10 ${x} 50`] : []),
    ...(hasRetries ? [`M${x} 50V100`] : []),
  ];
  return (
    <div aria-hidden className="relative shrink-0" style={{ width }}>
      <svg
        className="absolute inset-0 size-full fill-none stroke-edge"
        viewBox={`0 0 ${width} 100`}
        preserveAspectRatio="none"
      >
        {paths.map((path) => (
          <path key={path} d={path} strokeWidth="2" vectorEffect="non-scaling-stroke" />
        ))}
      </svg>
      <span
        className={`absolute rounded-full border-2 ${isCurrent ? "border-accent bg-accent" : "border-soft bg-surface"}`}
        style={{ width: DOT, height: DOT, left: x - DOT / 2, top: `calc(50% - ${DOT / 2}px)` }}
      />
    </div>
  );
}
