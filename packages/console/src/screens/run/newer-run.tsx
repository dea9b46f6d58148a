/** The newest run of a family, shown on those before it: their tables end with themselves. */
import { useQuery } from "@tanstack/react-query";
import { isTerminal } from "@rowmill/client";
import type { Lineage, Run } from "@rowmill/client";
import { ButtonLink } from "../../components/button.tsx";
import { Notice } from "../../components/notice.tsx";
import { State } from "../../components/state.tsx";
import { rowmill } from "../../lib/client.ts";

type Member = Lineage["runs"][number];

/** Undefined for the newest one, and until that is known. Only runs that have ended are retried. */
export function useNewerRun(run: Run): Member | undefined {
  const { data } = useQuery({
    queryKey: ["runs", run.id, "lineage"],
    queryFn: () => rowmill.runs.lineage(run.id),
    enabled: isTerminal(run),
  });
  return (data?.runs ?? []).reduce<Member | undefined>(
    (newest, member) => (member.id > (newest?.id ?? run.id) ? member : newest),
    undefined,
  );
}

export function NewerRun({ run }: { run: Run }) {
  const newer = useNewerRun(run);
  if (newer === undefined) return null;
  return (
    <Notice
      tone="info"
      title={
        <span className="flex flex-wrap items-center gap-x-3">
          Retry {newer.retryNumber} is newer than this run.
          <State state={newer.state} />
        </span>
      }
      actions={<OpenNewer newer={newer} />}
    >
      Resolved results and files of this run are without it. Those of the retry have the rows of all runs.
    </Notice>
  );
}

/** Before rows of a run are retried, of which a newer one may have some. */
export function RetriedBefore({ run, onLeave }: { run: Run; onLeave: () => void }) {
  const newer = useNewerRun(run);
  if (newer === undefined) return null;
  const hasEnded = isTerminal(newer);
  return (
    <Notice
      tone={hasEnded ? "info" : "warn"}
      title={`Retry ${newer.retryNumber} is newer than this run${hasEnded ? "." : ", and still at work."}`}
      actions={<OpenNewer newer={newer} onClick={onLeave} />}
    >
      {hasEnded
        ? "Rows that have succeeded since are left out, unless all are run once more."
        : "Rows that it has not finished yet would be processed, and paid, twice."}
    </Notice>
  );
}

const OpenNewer = ({ newer, onClick }: { newer: Member; onClick?: () => void }) => (
  <ButtonLink to="/runs/$runId" params={{ runId: newer.id }} onClick={onClick}>
    Open retry {newer.retryNumber}
  </ButtonLink>
);
