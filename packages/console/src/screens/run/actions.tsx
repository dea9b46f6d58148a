import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { isTerminal } from "@rowmill/client";
import type { Run } from "@rowmill/client";
import { Pause, Pencil, Play, RotateCcw, SlidersHorizontal, Trash2, XCircle } from "lucide-react";
import { useState } from "react";
import { Button, ButtonLink } from "../../components/button.tsx";
import { readRequest } from "../../lib/request.ts";
import { Confirm } from "../../components/dialog.tsx";
import { MoreMenu } from "../../components/menu.tsx";
import { readError } from "../../components/notice.tsx";
import { toast } from "../../components/toast.tsx";
import { queries, rowmill } from "../../lib/client.ts";
import { plural } from "../../lib/format.ts";
import { runQuery } from "../../lib/runs.ts";
import { useMay } from "../../lib/session.ts";
import { bind, screens } from "../../lib/screen-keys.ts";
import { useShortcuts } from "../../lib/shortcuts.ts";
import { useNewerRun } from "./newer-run.tsx";
import { RetryDialog } from "./retry-dialog.tsx";
import { RunSettings } from "./settings-dialog.tsx";

const { keys } = screens.run;
const PARTS = [
  ["", keys.rows],
  ["/failures", keys.failures],
  ["/resolved", keys.resolved],
  ["/exports", keys.exports],
  ["/events", keys.events],
  ["/lineage", keys.lineage],
  ["/spec", keys.spec],
] as const;

export function useRunAction(run: Run) {
  return useMutation({
    mutationFn: (action: "pause" | "resume" | "cancel") => rowmill.runs[action](run.id),
    onSuccess: (changed) => queries.setQueryData(runQuery(run.id).queryKey, changed),
    onError: (error) => toast(readError(error).title, "bad"),
  });
}

type Opened = "cancel" | "delete" | "retry" | "settings";

export function RunActions({ run }: { run: Run }) {
  const may = useMay("runs:write");
  const action = useRunAction(run);
  const [open, setOpen] = useState<Opened | null>(null);
  const hasEnded = isTerminal(run);
  const left = run.rows.total - run.rows.succeeded;
  const isNewest = useNewerRun(run) === undefined;
  const canPause = run.state === "running" || run.state === "queued";
  useRunShortcuts(run, action, setOpen);
  return (
    <>
      {may && canPause && (
        <Button icon={Pause} isBusy={action.isPending} onClick={() => action.mutate("pause")}>
          Pause
        </Button>
      )}
      {/* Without more money it would pause again: the reason above has the button that cures it. */}
      {may && run.state === "paused" && !run.nextSteps.some(({ action: step }) => step === "raise_budget") && (
        <Button icon={Play} isBusy={action.isPending} onClick={() => action.mutate("resume")}>
          Resume
        </Button>
      )}
      {may && !hasEnded && (
        <Button icon={SlidersHorizontal} onClick={() => setOpen("settings")}>
          Adjust
        </Button>
      )}
      {may && !hasEnded && run.state !== "canceling" && (
        <Button look="danger" icon={XCircle} onClick={() => setOpen("cancel")}>
          Cancel
        </Button>
      )}
      {may && hasEnded && (
        <Button look={left > 0 && isNewest ? "primary" : "plain"} icon={RotateCcw} onClick={() => setOpen("retry")}>
          {left === 0 ? "Run rows again" : isNewest ? `Retry ${plural(left, "row")}` : "Retry rows"}
        </Button>
      )}
      {may && hasEnded && <RunAllRows run={run} />}
      <MoreMenu
        id={run.id}
        request={readRequest(`v1/runs/${run.id}`, "runs.get", { ids: [run.id], isOne: true })}
        items={[
          ...(may ? [{ label: "Rename", icon: Pencil, run: () => setOpen("settings") }] : []),
          ...(may && hasEnded ? [{ label: "Delete", icon: Trash2, isDanger: true, run: () => setOpen("delete") }] : []),
        ]}
      />
      {open === "cancel" && (
        <ConfirmCancel run={run} onConfirm={() => action.mutateAsync("cancel")} onClose={() => setOpen(null)} />
      )}
      {open === "delete" && <ConfirmDeletion run={run} onClose={() => setOpen(null)} />}
      {open === "retry" && (
        <RetryDialog run={run} selection={{ type: left > 0 ? "unfinished" : "all" }} onClose={() => setOpen(null)} />
      )}
      {open === "settings" && <RunSettings run={run} onClose={() => setOpen(null)} />}
    </>
  );
}

/** What was learned on a part of the rows, a sample for instance, is meant for all of them. */
function RunAllRows({ run: { datasetId, jobSpecId, parentRunId, scope } }: { run: Run }) {
  if (parentRunId !== null || scope.type === "all") return null;
  return (
    <ButtonLink icon={Play} to="/runs/new" search={{ datasetId, jobSpecId }}>
      Run all rows
    </ButtonLink>
  );
}

function ConfirmCancel({
  run,
  onConfirm,
  onClose,
}: {
  run: Run;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}) {
  return (
    <Confirm title="Cancel this run?" action="Cancel the run" onClose={onClose} onConfirm={onConfirm}>
      Finished rows are kept. The {plural(run.rows.pending + run.rows.running, "row")} without a result can be run later
      with a retry.
    </Confirm>
  );
}

function useRunShortcuts(run: Run, action: ReturnType<typeof useRunAction>, open: (dialog: Opened) => void): void {
  const may = useMay("runs:write");
  const navigate = useNavigate();
  const hasEnded = isTerminal(run);
  const canPause = run.state === "running" || run.state === "queued";
  const go = (part: string) => () => void navigate({ href: `/runs/${run.id}${part}` });
  function act(what: "pause" | "resume"): void {
    // A key can be pressed again while the first press is under way.
    if (!action.isPending) action.mutate(what);
  }
  useShortcuts([
    ...PARTS.map(([path, key]) => bind(key, go(path))),
    ...(!may
      ? []
      : [
          { keys: "", label: "Rename the run", run: () => open("settings") },
          ...(hasEnded
            ? [{ keys: "", label: "Delete the run", run: () => open("delete") }]
            : [bind(keys.adjust, () => open("settings"))]),
          ...(canPause ? [bind(keys.pause, () => act("pause"))] : []),
          ...(run.state === "paused" ? [bind(keys.resume, () => act("resume"))] : []),
          ...(hasEnded ? [bind(keys.retry, () => open("retry"))] : [bind(keys.cancel, () => open("cancel"))]),
        ]),
  ]);
}

function ConfirmDeletion({ run, onClose }: { run: Run; onClose: () => void }) {
  const navigate = useNavigate();
  return (
    <Confirm
      title="Delete this run?"
      action="Delete the run"
      onClose={onClose}
      onConfirm={async () => {
        await rowmill.runs.delete(run.id);
        await queries.invalidateQueries({ queryKey: ["runs", "list"] });
        void navigate({ to: "/runs" });
      }}
    >
      Its {plural(run.rows.succeeded, "output")} and {plural(run.rows.failed, "failure")} are deleted with it. This
      cannot be undone.
    </Confirm>
  );
}
