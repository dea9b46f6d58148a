/** Deliveries of a period once more; the count comes first. */
import { serviceNow } from "../../lib/clock.ts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Body, WebhookEndpoint } from "@rowmill/client";
import { useState } from "react";
import { ActionDialog } from "../../components/dialog.tsx";
import { Choice, Field } from "../../components/field.tsx";
import { ErrorNotice, Notice } from "../../components/notice.tsx";
import { toast } from "../../components/toast.tsx";
import { queries, rowmill } from "../../lib/client.ts";
import { useOnce } from "../../lib/once.ts";
import { count, localMinute, plural } from "../../lib/format.ts";

type Chosen = "undelivered" | "failed" | "all";
const STATUSES: Record<Chosen, Body<"replayWebhookEndpoint">["statuses"]> = {
  undelivered: ["missed", "failed", "canceled"],
  failed: ["failed"],
  all: ["missed", "failed", "canceled", "succeeded"],
};
const HOUR_MS = 3_600_000;

export function ReplayDialog({ endpoint, onClose }: { endpoint: WebhookEndpoint; onClose: () => void }) {
  const [since, setSince] = useState(() =>
    localMinute(endpoint.failingSince === null ? serviceNow() - 24 * HOUR_MS : Date.parse(endpoint.failingSince)),
  );
  const [until, setUntil] = useState("");
  const [chosen, setChosen] = useState<Chosen>("undelivered");
  const body = bodyOf(since, until, chosen);
  const counted = useQuery({
    // Not below "webhook-endpoints": the count would be asked again with each delivery that is sent.
    queryKey: ["replay-count", endpoint.id, body],
    queryFn: () => rowmill.webhookEndpoints.replay(endpoint.id, { ...body, dryRun: true }),
    enabled: body.since !== "",
    placeholderData: keepPreviousData,
  });
  const once = useOnce();
  async function replay(): Promise<void> {
    const { deliveries } = await once(body, (options) => rowmill.webhookEndpoints.replay(endpoint.id, body, options));
    toast(`${plural(deliveries, "delivery", "deliveries")} queued.`);
    onClose();
    await queries.invalidateQueries({ queryKey: ["webhook-endpoints"] });
  }
  const deliveries = counted.data?.deliveries ?? 0;
  return (
    <ActionDialog
      title="Replay events"
      action={deliveries === 0 ? "Replay" : `Replay ${count(deliveries)}`}
      isReady={deliveries > 0 && !counted.isFetching && endpoint.enabled}
      onAct={replay}
      onClose={onClose}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TimeField label="From" value={since} onChange={setSince} />
        <TimeField label="To" hint="Empty: now." value={until} onChange={setUntil} />
      </div>
      <Choice
        label="Events"
        value={chosen}
        onChange={setChosen}
        options={[
          ["undelivered", "Not delivered"],
          ["failed", "Failed"],
          ["all", "All"],
        ]}
      />
      <p className="text-soft" role="status">
        {counted.data === undefined
          ? "Counting…"
          : deliveries === 0
            ? "There are no such events in this time."
            : `${plural(deliveries, "event")} will be delivered again, each with the id and the bytes that it had. A receiver that stores an id once takes none twice.`}
      </p>
      {!endpoint.enabled && <Notice tone="warn" title="The endpoint is disabled: enable it first." />}
      {counted.error !== null && <ErrorNotice error={counted.error} />}
    </ActionDialog>
  );
}

/** Without a beginning there is nothing to count. */
function bodyOf(since: string, until: string, chosen: Chosen) {
  const from = Date.parse(since);
  const to = Date.parse(until);
  return {
    since: Number.isNaN(from) ? "" : new Date(from).toISOString(),
    ...(Number.isNaN(to) ? {} : { until: new Date(to).toISOString() }),
    statuses: STATUSES[chosen],
  };
}

function TimeField({
  label,
  hint,
  value,
  onChange,
}: {
  label: string;
  hint?: string;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <Field label={label} hint={hint}>
      <input className="input" type="datetime-local" value={value} onChange={({ target }) => onChange(target.value)} />
    </Field>
  );
}
