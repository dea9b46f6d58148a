/** What a rule would have done with the events of the last days; and one of them, to write the filter over. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { AlertPreview, Body } from "@rowmill/client";
import { useState } from "react";
import { ErrorNotice } from "../../components/notice.tsx";
import { Time } from "../../components/time.tsx";
import { rowmill } from "../../lib/client.ts";
import { count, plural, preview as shorten } from "../../lib/format.ts";
import { useSettled } from "../../lib/settled.ts";

const DAYS = { "1": "Last day", "7": "Last 7 days", "30": "Last 30 days" } as const;

export function Preview({
  condition,
  onInsert,
}: {
  condition: Omit<Body<"previewAlertRule">, "days">;
  onInsert: (path: string) => void;
}) {
  const [days, setDays] = useState("7");
  const asked = useSettled(JSON.stringify({ ...condition, days: Number(days) }));
  const { data, error, isFetching } = useQuery({
    queryKey: ["alerts", "preview", asked],
    queryFn: () => rowmill.alertRules.preview(JSON.parse(asked) as Body<"previewAlertRule">), // as it was written above
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    retry: false,
  });
  return (
    <section aria-label="Preview" className="flex min-w-0 flex-col gap-3 rounded-lg bg-raised px-4 py-3 md:self-start">
      <div className="flex items-center justify-between gap-2">
        <h3 className="font-medium">Would have done</h3>
        <select
          aria-label="Days of the preview"
          className="input w-auto!"
          value={days}
          onChange={({ target }) => setDays(target.value)}
        >
          {Object.entries(DAYS).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
      {error !== null ? (
        <ErrorNotice error={error} />
      ) : data === undefined ? (
        <p className="text-soft">Looking through the events…</p>
      ) : (
        <div className={`flex flex-col gap-3 ${isFetching ? "opacity-60" : ""}`} aria-live="polite">
          <Counts data={data} />
          {data.newest.length > 0 && (
            <ul className="flex flex-col gap-1">
              {data.newest.slice(0, 5).map(({ eventId, createdAt, eventCount, event }) => (
                <li key={eventId} className="flex justify-between gap-3 text-xs">
                  <span className="truncate font-mono">{nameOf(event)}</span>
                  <span className="shrink-0 text-soft">
                    {eventCount > 1 && `${count(eventCount)} events · `}
                    <Time at={createdAt} />
                  </span>
                </li>
              ))}
            </ul>
          )}
          {data.sample !== null && <Sample event={data.sample} onInsert={onInsert} />}
        </div>
      )}
    </section>
  );
}

function Counts({ data }: { data: AlertPreview }) {
  if (data.events === 0) return <p className="text-soft">No such event has happened in these days.</p>;
  return (
    <div>
      <p className="text-xl font-semibold tabular-nums">{plural(data.alerts, "alert")}</p>
      <p className="text-soft">
        {data.matches === data.events
          ? `Of ${plural(data.events, "event")}`
          : `Of ${plural(data.events, "event")}, ${plural(data.matches, "matches", "match")}`}
        {data.suppressed > 0 && `; ${count(data.suppressed)} more in the quiet minutes`}.
        {data.isCut && (
          <>
            {" "}
            Only the newest events are looked through, since <Time at={data.since} />.
          </>
        )}
      </p>
      {data.filterErrors > 0 && (
        <p className="text-warn">
          {plural(data.filterErrors, "event")} could not be evaluated: {data.filterError}
        </p>
      )}
    </div>
  );
}

/** The id of the thing that the event is about. */
function nameOf(event: Record<string, unknown>): string {
  const { data } = event;
  const { id, runId } = typeof data === "object" && data !== null ? (data as Record<string, unknown>) : {};
  return shorten(id ?? runId ?? event["id"], 40);
}

function Sample({ event, onInsert }: { event: Record<string, unknown>; onInsert: (path: string) => void }) {
  const { data } = event;
  const members = typeof data === "object" && data !== null ? Object.entries(data) : [];
  return (
    <details open>
      <summary className="text-xs leading-6 font-medium text-soft hover:text-ink">The newest event</summary>
      <ul className="mt-1.5 flex flex-col">
        {members.map(([name, value]) => (
          <li key={name}>
            <button
              type="button"
              title={`Insert event.data.${name}`}
              onClick={() => onInsert(`event.data.${name} == ${JSON.stringify(value)}`)}
              className="flex w-full justify-between gap-3 rounded p-1 text-left text-xs hover:bg-surface"
            >
              <span className="font-mono">{name}</span>
              <span className="min-w-0 truncate text-soft">{shorten(value, 60)}</span>
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
