import { useParams } from "@tanstack/react-router";
import { useSuspenseQuery } from "@tanstack/react-query";
import type { RunEvent } from "@rowmill/client";
import { useEffect } from "react";
import { Button } from "../../components/button.tsx";
import { ListStatus } from "../../components/loading.tsx";
import { Time } from "../../components/time.tsx";
import { rowmill } from "../../lib/client.ts";
import { phrase, preview, words } from "../../lib/format.ts";
import { useList } from "../../lib/lists.ts";
import { isMoving, runQuery } from "../../lib/runs.ts";

const POLL_MS = 2000;
/** The same in each event of a run, and above them on the screen. */
const OF_THE_RUN = new Set(["object", "id", "url", "runId", "organizationId"]);
/** `partially_succeeded`, and no id. */
const isCode = (value: unknown): value is string => typeof value === "string" && /^[a-z]+(_[a-z]+)+$/.test(value);

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
  // In their order, the newest last: what is in sight stays where it is.
  const { newCount, showNew } = list;
  useEffect(() => {
    if (newCount > 0) showNew();
  }, [newCount]);
  if (list.items.length === 0) return <ListStatus list={list} />;
  return (
    <div className="flex flex-col gap-3">
      <ol className="card divide-y divide-line">
        {list.items.map(({ id, type, sequence, createdAt, data }) => (
          <li
            key={id}
            className="grid grid-cols-[32px_1fr] items-baseline gap-x-3 px-4 py-2 md:grid-cols-[32px_minmax(140px,220px)_1fr_auto]"
          >
            <span className="text-right text-soft tabular-nums">{sequence}</span>
            <span className="font-medium">{words(type.replace(".", " "))}</span>
            <span className="min-w-0 truncate text-soft max-md:hidden">
              {Object.entries(data)
                .filter(([name]) => !OF_THE_RUN.has(name))
                .map(([name, value]) => `${name} ${isCode(value) ? phrase(value) : preview(value, 60)}`)
                .join(" · ")}
            </span>
            <span className="text-soft max-md:col-start-2 max-md:text-xs">
              <Time at={createdAt} isExact />
            </span>
          </li>
        ))}
      </ol>
      {list.hasMore && (
        <Button className="self-center" isBusy={list.isLoadingMore} onClick={list.loadMore}>
          Show more
        </Button>
      )}
    </div>
  );
}
