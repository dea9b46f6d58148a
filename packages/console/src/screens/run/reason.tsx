/** Why a run stands still, or was ended, as a sentence; with the button that cures it. */
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { isTerminal } from "@rowmill/client";
import type { Run } from "@rowmill/client";
import { useState } from "react";
import { Button, ButtonLink } from "../../components/button.tsx";
import { Notice } from "../../components/notice.tsx";
import { queries, rowmill } from "../../lib/client.ts";
import { plural } from "../../lib/format.ts";
import { useMay } from "../../lib/session.ts";
import { ConnectionDialog } from "../connections/connection-dialog.tsx";
import { useRunAction } from "./actions.tsx";
import { RunSettings } from "./settings-dialog.tsx";

const BREAKER = ["breaker_open", "batch_refused"];
/** Causes that another secret cures. */
const OF_THE_SECRET = new Set(["provider_auth_failed", "secret_missing"]);

export function RunReason({ run }: { run: Run }) {
  const mayWrite = useMay("runs:write");
  const navigate = useNavigate();
  const [isRaising, setRaising] = useState(false);
  const { stateReason, stateReasonMessage, error } = run;
  if (run.state === "expired") return <Expired run={run} />;
  if (stateReason === null && error === null) return run.state === "failed" ? <NothingSucceeded run={run} /> : null;
  if (stateReason === "by_user" && run.state === "paused") return null;
  const isBlocked = stateReason !== null && BREAKER.includes(stateReason);
  return (
    <>
      <Notice
        tone={isTerminal(run) ? "bad" : stateReason === "waiting_for_capacity" ? "info" : "warn"}
        title={stateReasonMessage ?? error?.message ?? ""}
        actions={mayWrite && <Actions run={run} isBlocked={isBlocked} onRaise={() => setRaising(true)} />}
      >
        {/* What is spent of the budget stands below. */}
        {error !== null &&
          stateReasonMessage !== null &&
          error.message !== stateReasonMessage &&
          stateReason !== "budget_exhausted" && <p>{error.message}</p>}
        {stateReason === "waiting_for_capacity" && (
          <p>
            <Link to="/runs" search={{ state: "running,queued,canceling" }} className="link">
              Runs in progress
            </Link>
          </p>
        )}
      </Notice>
      {isRaising && (
        <RunSettings
          run={run}
          resumes
          onClose={() => {
            setRaising(false);
            void navigate({ to: ".", replace: true });
          }}
        />
      )}
    </>
  );
}

/** A run without a single output needs another job spec more often than a retry. */
function NothingSucceeded({ run: { id, rows } }: { run: Run }) {
  if (rows.succeeded > 0) return null;
  return (
    <Notice
      tone="bad"
      title="No row has succeeded."
      actions={
        <ButtonLink to="/runs/$runId/failures" params={{ runId: id }}>
          Read the failures
        </ButtonLink>
      }
    >
      A retry fails in the same way while nothing is changed, unless the cause has passed.
    </Notice>
  );
}

function Expired({ run: { rows } }: { run: Run }) {
  const left = rows.total - rows.succeeded - rows.failed;
  if (left === 0) return null;
  return (
    <Notice
      tone="bad"
      title={`The deadline came before ${plural(left, "row")} ${left === 1 ? "was" : "were"} finished.`}
    >
      Finished rows are kept. A retry has no deadline unless it gets one of its own.
    </Notice>
  );
}

/** What the service proposes as the next steps. */
function Actions({ run, isBlocked, onRaise }: { run: Run; isBlocked: boolean; onRaise: () => void }) {
  const action = useRunAction(run);
  const actions = run.nextSteps.map((step) => step.action);
  return (
    <>
      {actions.includes("raise_budget") && (
        <Button look="primary" onClick={onRaise}>
          Raise the budget
        </Button>
      )}
      {actions.includes("read_failures") && (
        <ButtonLink to="/runs/$runId/failures" params={{ runId: run.id }}>
          Read the failures
        </ButtonLink>
      )}
      {isBlocked && <Cure run={run} />}
      {actions.includes("resume") && !actions.includes("raise_budget") && (
        <Button isBusy={action.isPending} onClick={() => action.mutate("resume")}>
          Resume
        </Button>
      )}
    </>
  );
}

/** What most of the failures need: another secret for the connection, which is tested at once, or a change of the job spec. */
function Cure({ run }: { run: Run }) {
  const mayReplace = useMay("connections:write");
  const mayReadSpec = useMay("job_specs:read");
  const mayReadResults = useMay("results:read");
  const [isOpen, setOpen] = useState(false);
  const { data: groups } = useQuery({
    queryKey: ["runs", run.id, "failure-groups", isTerminal(run)],
    queryFn: async () => (await rowmill.runs.failureGroups(run.id, { limit: 100 })).data,
    enabled: mayReadResults,
  });
  const isSecret =
    run.state === "paused" && groups?.some(({ code }) => OF_THE_SECRET.has(code)) === true && mayReplace && mayReadSpec;
  const { data: connection } = useQuery({
    queryKey: ["runs", run.id, "connection"],
    queryFn: async () => {
      const { processor } = await rowmill.jobSpecs.versions.get(run.jobSpecId, run.jobSpecVersion);
      return typeof processor["connection"] === "string" ? rowmill.connections.get(processor["connection"]) : null;
    },
    enabled: isSecret,
  });
  return (
    <>
      {isSecret && connection !== undefined && connection !== null && (
        <Button look="primary" onClick={() => setOpen(true)}>
          Replace the secret
        </Button>
      )}
      <ButtonLink to="/job-specs/$jobSpecId" params={{ jobSpecId: run.jobSpecId }}>
        Open the job spec
      </ButtonLink>
      {isOpen && connection !== undefined && connection !== null && (
        <ConnectionDialog
          connection={connection}
          types={[connection.type]}
          onClose={() => setOpen(false)}
          onSaved={() => void queries.invalidateQueries({ queryKey: ["runs", run.id, "connection"] })}
        />
      )}
    </>
  );
}
