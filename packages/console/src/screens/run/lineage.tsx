/** The family of a run: the first run and its retries, each below the run whose rows it took. */
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { Lineage } from "@rowmill/client";
import { Meter } from "../../components/meter.tsx";
import { Loading } from "../../components/loading.tsx";
import { ErrorNotice } from "../../components/notice.tsx";
import { State } from "../../components/state.tsx";
import { rowmill } from "../../lib/client.ts";
import { plural } from "../../lib/format.ts";
import { pollEvery } from "../../lib/live/live.ts";
import { describeRows, describeSelection, partsOf } from "../../lib/runs.ts";

const POLL_MS = 3_000;

type Member = Lineage["runs"][number];

export function RunLineage() {
  const { runId } = useParams({ from: "/frame/runs/$runId" });
  const { data, error } = useQuery({
    queryKey: ["runs", runId, "lineage"],
    queryFn: () => rowmill.runs.lineage(runId),
    refetchInterval: () => pollEvery(POLL_MS),
  });
  if (error !== null && data === undefined) return <ErrorNotice error={error} />;
  if (data === undefined) return <Loading />;
  const childrenOf = (id: string | null): Member[] => data.runs.filter(({ parentRunId }) => parentRunId === id);
  return (
    <div className="flex flex-col gap-3">
      <Members members={childrenOf(null)} childrenOf={childrenOf} current={runId} />
      {data.runs.length === 1 && (
        <p className="text-soft">
          No rows of this run were retried. A retry is a run of its own, and appears here below this one.
        </p>
      )}
    </div>
  );
}

function Members({
  members,
  childrenOf,
  current,
}: {
  members: Member[];
  childrenOf: (id: string) => Member[];
  current: string;
}) {
  return (
    <ul className="flex flex-col gap-2">
      {members.map((member) => (
        <li key={member.id} className="flex flex-col gap-2">
          <div
            className={`card grid grid-cols-[1fr_auto] items-center gap-x-4 gap-y-1.5 px-4 py-3 sm:grid-cols-[minmax(160px,280px)_1fr_auto] ${member.id === current ? "border-accent" : ""}`}
          >
            <div className="min-w-0">
              <Link
                to="/runs/$runId"
                params={{ runId: member.id }}
                aria-current={member.id === current ? "true" : undefined}
                className="font-medium hover:underline"
              >
                {member.selection === null ? "First run" : describeSelection(member.selection)}
              </Link>
              <p className="text-xs text-soft">
                {plural(member.rows.total, "row")}
                {member.id === current ? ", shown here" : ""}
              </p>
            </div>
            <Meter
              className="order-last col-span-2 h-1.5 sm:order-none sm:col-span-1"
              parts={partsOf(member.rows)}
              total={member.rows.total}
              label={describeRows(member.rows)}
            />
            <State state={member.state} />
          </div>
          {childrenOf(member.id).length > 0 && (
            <div className="ml-4 border-l border-edge pl-4">
              <Members members={childrenOf(member.id)} childrenOf={childrenOf} current={current} />
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}
