import { useParams } from "@tanstack/react-router";
import { useSuspenseQuery } from "@tanstack/react-query";
import type { RunEvent } from "@rowmill/client";
import { Button } from "../../components/button.tsx";
import { ErrorNotice } from "../../components/notice.tsx";
import { Time } from "../../components/time.tsx";
import { rowmill } from "../../lib/client.ts";
import { exactTime, preview, words } from "../../lib/format.ts";
import { useList } from "../../lib/lists.ts";
import { isMoving, runQuery } from "../../lib/runs.ts";

const POLL_MS = 2000;

export function RunEvents() {
  const { runId } = useParams({ from: "/frame/runs/$runId" });
  const { data: run } = useSuspenseQuery(runQuery(runId));
  const list = useList<RunEvent>(
    ["runs", runId, "events", run.state],
    (cursor) => rowmill.runs.events(runId, { cursor, limit: 200 }),
    {
      pollMs: isMoving(run) ? POLL_MS : false,
    },
  );
  if (list.error !== null && list.items.length === 0) return <ErrorNotice error={list.error} />;
  return (
    <div className="flex flex-col gap-3">
      <ol className="card divide-y divide-line">
        {list.items.map(({ id, type, sequence, createdAt, data }) => (
          <li key={id} className="grid grid-cols-[48px_minmax(140px,220px)_1fr_auto] items-baseline gap-3 px-4 py-2">
            <span className="text-right text-soft tabular-nums">{sequence}</span>
            <span className="font-medium">{words(type.replace(".", " "))}</span>
            <span className="min-w-0 truncate text-soft max-md:hidden">
              {Object.entries(data)
                .filter(([name]) => !["object", "id", "url"].includes(name))
                .map(([name, value]) => `${name} ${preview(value, 60)}`)
                .join(" · ")}
            </span>
            <span className="text-soft" title={exactTime(createdAt)}>
              <Time at={createdAt} />
            </span>
          </li>
        ))}
      </ol>
      {list.newCount > 0 && <Button onClick={list.showNew}>Show new events</Button>}
      {list.hasMore && (
        <Button className="self-center" isBusy={list.isLoadingMore} onClick={list.loadMore}>
          Show more
        </Button>
      )}
    </div>
  );
}
