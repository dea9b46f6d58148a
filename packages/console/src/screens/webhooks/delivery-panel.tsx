/** One delivery whole: the bytes that were sent, and what each attempt met. */
import { useMutation, useQuery } from "@tanstack/react-query";
import type { WebhookDelivery, WebhookDeliveryContent } from "@rowmill/client";
import { RotateCcw } from "lucide-react";
import { Button } from "../../components/button.tsx";
import { Copy } from "../../components/copy.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Facts } from "../../components/facts.tsx";
import { Loading } from "../../components/loading.tsx";
import { ErrorNotice } from "../../components/notice.tsx";
import { State } from "../../components/state.tsx";
import { Time } from "../../components/time.tsx";
import { toast } from "../../components/toast.tsx";
import { Value } from "../../components/value.tsx";
import { queries, rowmill } from "../../lib/client.ts";
import { duration, visible } from "../../lib/format.ts";
import { useMay } from "../../lib/session.ts";
import { kindOf } from "../../lib/webhooks.ts";

const POLL_MS = 3_000;

interface DeliveryPanelProps {
  id: string;
  onClose: () => void;
  onOpen: (id: string) => void;
  onMove: (step: number) => void;
}

export function DeliveryPanel({ id, onClose, onOpen, onMove }: DeliveryPanelProps) {
  const mayWrite = useMay("webhooks:write");
  const { data: delivery, error } = useQuery({
    queryKey: ["webhook-endpoints", "delivery", id],
    queryFn: () => rowmill.webhookDeliveries.get(id),
    refetchInterval: ({ state }) => (state.data?.status === "pending" ? POLL_MS : false),
  });
  const { data: content } = useQuery({
    queryKey: ["webhook-endpoints", "delivery", id, "content", delivery?.attempts.length],
    queryFn: () => rowmill.webhookDeliveries.content(id),
    enabled: delivery !== undefined,
  });
  // A panel that was closed meanwhile stays closed: what leads on belongs to the call, and ends with the panel.
  const again = useMutation({
    mutationFn: () => rowmill.webhookDeliveries.redeliver(id),
    onSuccess: async (made) => {
      toast(made.attempts[0]?.message ?? "It was sent.", made.status === "succeeded" ? "good" : "bad");
      await queries.invalidateQueries({ queryKey: ["webhook-endpoints"] });
    },
  });
  return (
    <Dialog
      side
      width="max-w-xl"
      title={
        <span className="flex flex-wrap items-center gap-x-3">
          <code className="font-mono text-sm">{delivery?.eventType ?? "Delivery"}</code>
          {delivery !== undefined && <State state={delivery.status} />}
        </span>
      }
      onClose={onClose}
      onMove={onMove}
      footer={
        <div className="flex w-full flex-wrap items-center justify-between gap-2">
          <Copy text={id} label="Copy the delivery's id">
            {id}
          </Copy>
          {mayWrite && delivery !== undefined && (
            <Button
              icon={RotateCcw}
              isBusy={again.isPending}
              onClick={() => again.mutate(undefined, { onSuccess: (made) => onOpen(made.id) })}
            >
              Send again
            </Button>
          )}
        </div>
      }
    >
      {delivery === undefined && error === null && <Loading />}
      {error !== null && <ErrorNotice error={error} />}
      {again.error !== null && <ErrorNotice error={again.error} />}
      {delivery !== undefined && <Content delivery={delivery} content={content} />}
    </Dialog>
  );
}

function Content({ delivery, content }: { delivery: WebhookDelivery; content: WebhookDeliveryContent | undefined }) {
  return (
    <>
      <Facts
        facts={[
          ["Why", kindOf(delivery)],
          [
            "Event",
            <Copy key="event" text={delivery.eventId} label="Copy the event's id">
              {delivery.eventId}
            </Copy>,
          ],
          ["Created", <Time key="created" at={delivery.createdAt} />],
          [
            "Next attempt",
            delivery.nextAttemptAt === null ? undefined : <Time key="next" at={delivery.nextAttemptAt} />,
          ],
        ]}
      />
      {content !== undefined &&
        (content.body === null ? (
          <p className="text-soft">The event is no longer kept, and its body with it.</p>
        ) : (
          <Value value={parse(content.body)} label="Body" />
        ))}
      <section className="flex flex-col gap-2">
        <h3 className="font-medium">Attempts</h3>
        {delivery.attempts.length === 0 && <p className="text-soft">None was made yet.</p>}
        {delivery.attempts.toReversed().map((attempt) => (
          <Attempt
            key={attempt.number}
            attempt={attempt}
            content={content?.attempts.find(({ number }) => number === attempt.number)}
          />
        ))}
      </section>
    </>
  );
}

const parse = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
};

function Attempt({
  attempt: { number, startedAt, durationMs, responseStatus, message },
  content,
}: {
  attempt: WebhookDelivery["attempts"][number];
  content: WebhookDeliveryContent["attempts"][number] | undefined;
}) {
  const isGood = responseStatus !== null && responseStatus >= 200 && responseStatus <= 299;
  return (
    <div className="card flex flex-col gap-1.5 px-3.5 py-2.5">
      <p className={isGood ? "" : "text-bad"}>{visible(message)}</p>
      <p className="text-xs text-soft">
        Attempt {number} · <Time at={startedAt} /> · {duration(durationMs / 1000)}
      </p>
      {content?.request !== null && content?.request !== undefined && (
        <Headers title="Request headers" headers={content.request.headers} />
      )}
      {content?.response !== null && content?.response !== undefined && (
        <>
          <Headers
            title={`Response headers${responseStatus === null ? "" : `, ${responseStatus}`}`}
            headers={content.response.headers}
          />
          <details open={!isGood && content.response.body !== ""}>
            <summary className="text-xs leading-6 font-medium text-soft hover:text-ink">Response body</summary>
            {content.response.body === "" ? (
              <p className="mt-1 text-xs text-soft italic">empty</p>
            ) : (
              <>
                <pre
                  tabIndex={0}
                  aria-label="Response body"
                  className="mt-1 max-h-56 overflow-auto rounded bg-raised px-2.5 py-1.5 font-mono text-xs [overflow-wrap:anywhere] whitespace-pre-wrap"
                >
                  {visible(content.response.body)}
                </pre>
                {content.response.isCut && <p className="mt-1 text-xs text-soft">Its beginning; no more is kept.</p>}
              </>
            )}
          </details>
        </>
      )}
    </div>
  );
}

function Headers({ title, headers }: { title: string; headers: Record<string, string> }) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <details>
      <summary className="text-xs leading-6 font-medium text-soft hover:text-ink">{title}</summary>
      <div className="relative mt-1">
        <pre
          tabIndex={0}
          aria-label={title}
          className="max-h-56 overflow-auto rounded bg-raised px-2.5 py-1.5 font-mono text-xs break-all whitespace-pre-wrap"
        >
          {visible(lines.join("\n"))}
        </pre>
        <span className="absolute top-1 right-1 rounded bg-raised">
          <Copy text={lines.join("\n")} label={`Copy the ${title.toLowerCase()}`} />
        </span>
      </div>
    </details>
  );
}
