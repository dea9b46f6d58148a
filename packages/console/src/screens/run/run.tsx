import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, Outlet, useParams } from "@tanstack/react-router";
import { isTerminal } from "@rowmill/client";
import type { Run } from "@rowmill/client";
import { Suspense } from "react";
import { Loading } from "../../components/loading.tsx";
import { Page } from "../../components/page.tsx";
import { State } from "../../components/state.tsx";
import { Copy } from "../../components/copy.tsx";
import { shortId, titleOf, useNamesOf } from "../../lib/names.ts";
import { runQuery } from "../../lib/runs.ts";
import { useMay } from "../../lib/session.ts";
import { RunActions } from "./actions.tsx";
import { RunFacts } from "./run-facts.tsx";
import { HeatMap } from "./heat-map.tsx";
import { NewerRun } from "./newer-run.tsx";
import { RunReason } from "./reason.tsx";
import { StartedBy } from "./started-by.tsx";
import { RunTabs } from "./tabs.tsx";

export function RunScreen() {
  const { runId } = useParams({ from: "/frame/runs/$runId" });
  const { data: run } = useSuspenseQuery(runQuery(runId));
  const { nameOf, isReading } = useNamesOf(run);
  const title = titleOf(run, nameOf);
  const origin = isReading ? <NamesToCome /> : <Origin run={run} nameOf={nameOf} />;
  return (
    <Page
      trail={
        <Link to="/runs" className="link">
          Runs
        </Link>
      }
      title={run.name === null ? origin : title}
      tabTitle={run.name === null && isReading ? "Run" : title}
      lead={
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <State state={run.state} />
          <Copy text={run.id} label="Copy the id">
            {run.id}
          </Copy>
          {run.name !== null && <span>{origin}</span>}
          <StartedBy run={run} />
        </div>
      }
      actions={<RunActions run={run} />}
    >
      <RunReason run={run} />
      <NewerRun run={run} />
      <RunFacts run={run} />
      <HeatMap run={run} isLive={!isTerminal(run)} />
      <RunTabs run={run} />
      {/* The head of the run stays while the code or the data of a part is fetched. */}
      <Suspense fallback={<Loading />}>
        <Outlet />
      </Suspense>
    </Page>
  );
}

const ORIGIN_LINK =
  "underline decoration-edge decoration-1 underline-offset-4 hover:decoration-current [overflow-wrap:anywhere]";

/** As wide as names often are. */
const NamesToCome = () => (
  <>
    <span className="sr-only">Run</span>
    <span aria-hidden className="inline-block h-[0.8em] w-56 max-w-full rounded bg-raised" />
  </>
);

/** What the run does to what, with the way there. */
function Origin({ run: { jobSpecId, datasetId }, nameOf }: { run: Run; nameOf: (id: string) => string | undefined }) {
  const specName = nameOf(jobSpecId) ?? shortId(jobSpecId);
  const datasetName = nameOf(datasetId) ?? shortId(datasetId);
  return (
    <>
      {useMay("job_specs:read") ? (
        <Link to="/job-specs/$jobSpecId" params={{ jobSpecId }} search={{ datasetId }} className={ORIGIN_LINK}>
          {specName}
        </Link>
      ) : (
        specName
      )}
      {" on "}
      {useMay("datasets:read") ? (
        <Link to="/datasets/$datasetId" params={{ datasetId }} className={ORIGIN_LINK}>
          {datasetName}
        </Link>
      ) : (
        datasetName
      )}
    </>
  );
}
