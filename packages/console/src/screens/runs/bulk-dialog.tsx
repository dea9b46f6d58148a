/** One action on all runs that match: how many they are and in which states, before anything is done. */
import { useQuery } from "@tanstack/react-query";
import { isTerminal } from "@rowmill/client";
import type { BulkAction, BulkActionCount, Run } from "@rowmill/client";
import { useState } from "react";
import { ActionDialog } from "../../components/dialog.tsx";
import { Choice, Field } from "../../components/field.tsx";
import { ErrorNotice } from "../../components/notice.tsx";
import { State } from "../../components/state.tsx";
import { queries, rowmill } from "../../lib/client.ts";
import { useOnce } from "../../lib/once.ts";
import { count, plural } from "../../lib/format.ts";
import type { RunsFilter } from "./search.ts";

type Action = BulkAction["action"];

export const ACTIONS: Record<
  Action,
  { label: string; done: string; note: string; applies: (state: Run["state"]) => boolean }
> = {
  cancel: {
    label: "Cancel",
    done: "canceled",
    note: "Finished rows are kept.",
    applies: (state) => !isTerminal({ state }),
  },
  pause: {
    label: "Pause",
    done: "paused",
    note: "Rows in flight end; no further row is begun.",
    applies: (state) => state === "running" || state === "queued",
  },
  resume: { label: "Resume", done: "resumed", note: "", applies: (state) => state === "paused" },
  retry: {
    label: "Retry",
    done: "retried",
    note: "Each run gets a retry run of its rows without a result, with its own settings. Retries of paid calls cost again.",
    applies: (state) => isTerminal({ state }) && state !== "succeeded",
  },
  delete: {
    label: "Delete",
    done: "deleted",
    note: "Outputs and failures are deleted with their runs. This cannot be undone.",
    applies: (state) => isTerminal({ state }),
  },
};

/** What can be done with runs of these states, without a choice. */
const firstFor = ({ state: states }: RunsFilter): Action =>
  (["cancel", "retry", "delete"] as const).find((name) => states === undefined || states.some(ACTIONS[name].applies)) ??
  "cancel";

interface BulkDialogProps {
  filter: RunsFilter;
  onClose: () => void;
  onCreated: (id: string) => void;
}

export function BulkDialog({ filter, onClose, onCreated }: BulkDialogProps) {
  const [action, setAction] = useState<Action>(() => firstFor(filter));
  const [typed, setTyped] = useState("");
  const counted = useQuery({
    queryKey: ["bulk-actions", "count", action, filter],
    queryFn: () => rowmill.bulkActions.count({ resource: "runs", action, filter }),
    staleTime: 0,
  });
  const once = useOnce();
  async function start(): Promise<void> {
    const body = { resource: "runs", action, filter } as const;
    const made = await once(body, (options) => rowmill.bulkActions.create(body, options));
    queries.setQueryData(["bulk-actions", made.id], made);
    void queries.invalidateQueries({ queryKey: ["bulk-actions", "open"] });
    onCreated(made.id);
  }
  const { label, applies } = ACTIONS[action];
  const states = counted.data?.states ?? [];
  const able = states
    .filter(({ state }) => applies(state as Run["state"]))
    .reduce((sum, { count: own }) => sum + own, 0);
  const isSure = action !== "delete" || typed.replaceAll(/\D/g, "") === String(able);
  return (
    <ActionDialog
      title="Act on all runs that match"
      look={action === "delete" || action === "cancel" ? "danger" : "primary"}
      action={counted.data === undefined ? label : textOf(label, able)}
      isReady={able > 0 && isSure}
      isBusy={counted.isFetching}
      onAct={start}
      onClose={onClose}
    >
      <Choice
        label="Action"
        columns={3}
        value={action}
        options={(Object.keys(ACTIONS) as Action[]).map((name) => [name, ACTIONS[name].label] as const)}
        onChange={(next) => {
          setAction(next);
          setTyped("");
        }}
      />
      {counted.error !== null && <ErrorNotice error={counted.error} />}
      <section className="flex flex-col gap-2 empty:absolute" aria-live="polite">
        {counted.data !== undefined && <Matching counted={counted.data} action={action} />}
      </section>
      {action === "delete" && able > 0 && (
        <Field label={`Type ${count(able)} to delete so many runs`}>
          <input
            className="input w-40!"
            inputMode="numeric"
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        </Field>
      )}
    </ActionDialog>
  );
}

const textOf = (label: string, able: number): string =>
  able === 0 ? `Nothing to ${label.toLowerCase()}` : `${label} ${plural(able, "run")}`;

/** How many runs match, in which states, and which of them the action leaves as they are. */
function Matching({ counted: { total, states }, action }: { counted: BulkActionCount; action: Action }) {
  const { note, applies } = ACTIONS[action];
  return (
    <>
      <p>
        <strong className="font-semibold">{plural(total, "run")}</strong> {total === 1 ? "matches" : "match"} the
        filter, on all pages of the list.
      </p>
      {states.length > 0 && (
        <ul className="card divide-y divide-line">
          {states.map(({ state, count: own }) => (
            <li key={state} className="flex items-center justify-between gap-3 px-3 py-1.5">
              <State state={state} />
              <span className="text-soft tabular-nums">
                {count(own)}
                {applies(state as Run["state"]) ? "" : own === 1 ? ", left as it is" : ", left as they are"}
              </span>
            </li>
          ))}
        </ul>
      )}
      {note !== "" && <p className="text-soft">{note}</p>}
    </>
  );
}
