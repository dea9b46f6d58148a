/** A bulk action that was begun: how far it is, and its end. */
import { useQuery } from "@tanstack/react-query";
import type { BulkAction } from "@rowmill/client";
import { ActionDialog } from "../../components/dialog.tsx";
import { Meter } from "../../components/meter.tsx";
import { ErrorNotice, Notice } from "../../components/notice.tsx";
import { State } from "../../components/state.tsx";
import { queries, rowmill } from "../../lib/client.ts";
import { count, plural } from "../../lib/format.ts";
import { ACTIONS } from "./bulk-dialog.tsx";

/** With what was skipped and why. It can be aborted, and goes on without this page. */
export function BulkProgress({ id, onClose }: { id: string; onClose: () => void }) {
  const { data: bulk, error } = useQuery({
    queryKey: ["bulk-actions", id],
    queryFn: () => rowmill.bulkActions.get(id),
    refetchInterval: ({ state }) => (state.data?.finishedAt == null ? 700 : false),
  });
  async function abort(): Promise<void> {
    queries.setQueryData(["bulk-actions", id], await rowmill.bulkActions.abort(id));
  }
  const isOver = bulk !== undefined && bulk.finishedAt !== null;
  const passed = bulk === undefined ? 0 : bulk.done + bulk.skipped + bulk.failed;
  return (
    <ActionDialog
      title={bulk === undefined ? "Bulk action" : `${ACTIONS[bulk.action].label} ${plural(bulk.total, "run")}`}
      look="danger"
      action={bulk === undefined || isOver ? undefined : "Abort"}
      onAct={abort}
      onClose={onClose}
    >
      {error !== null && bulk === undefined && <ErrorNotice error={error} />}
      {/* There before its first words, which are announced then. */}
      <div className="empty:absolute" aria-live="polite">
        {bulk !== undefined && (
          <p className="flex animate-[appear_1ms_100ms_both] flex-wrap items-center justify-between gap-2">
            <State state={bulk.state} />
            <span className="tabular-nums">
              {count(passed)} of {count(bulk.total)}
            </span>
          </p>
        )}
      </div>
      {bulk !== undefined && (
        <>
          <BulkMeter bulk={bulk} />
          <p className="text-soft tabular-nums">
            {count(bulk.done)} {ACTIONS[bulk.action].done}
            {bulk.skipped > 0 && `, ${count(bulk.skipped)} left as they are`}
            {bulk.failed > 0 && `, ${count(bulk.failed)} failed`}.{!isOver && " It continues when you close this page."}
          </p>
          {bulk.error !== null && (
            <Notice tone="bad" title={bulk.error.message}>
              {bulk.error.code}
            </Notice>
          )}
          {bulk.reasons.length > 0 && (
            <ul className="flex flex-col gap-1.5">
              {bulk.reasons.map((reason) => (
                <li key={reason.outcome + reason.code}>
                  <span className="font-medium tabular-nums">{plural(reason.count, "run")}</span> {reason.outcome}:{" "}
                  {reason.message} <code className="font-mono text-xs text-soft">{reason.code}</code>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </ActionDialog>
  );
}

export function BulkMeter({ bulk }: { bulk: BulkAction }) {
  return (
    <Meter
      className="h-2"
      parts={[
        { value: bulk.done, look: "good" },
        { value: bulk.skipped, look: "quiet" },
        { value: bulk.failed, look: "bad" },
      ]}
      total={Math.max(1, bulk.total)}
      label={`${count(bulk.done)} of ${count(bulk.total)} done`}
    />
  );
}
