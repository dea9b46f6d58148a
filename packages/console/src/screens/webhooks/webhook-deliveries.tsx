/** What was delivered to an endpoint: filters and the open delivery are in the address. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { WebhookDelivery } from "@rowmill/client";
import { useQuery } from "@tanstack/react-query";
import { More, Newer, Table } from "../../components/table.tsx";
import { ListStatus } from "../../components/loading.tsx";
import { Empty, Section } from "../../components/page.tsx";
import { State } from "../../components/state.tsx";
import { Breakable } from "../../components/value.tsx";
import type { Column } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { rowmill } from "../../lib/client.ts";
import { isEmpty, neighborOf, useList } from "../../lib/lists.ts";
import { eventTypesQuery, kindOf, lastMessage } from "../../lib/webhooks.ts";
import { DeliveryPanel } from "./delivery-panel.tsx";

const POLL_MS = 4_000;
const STATES = {
  "": "All",
  pending: "Waiting",
  failed: "Failed",
  succeeded: "Succeeded",
  canceled: "Canceled",
} as const;

export function Deliveries({ endpointId }: { endpointId: string }) {
  const search = useSearch({ from: "/frame/webhooks/$webhookEndpointId" });
  const navigate = useNavigate({ from: "/webhooks/$webhookEndpointId" });
  const { status, eventType, delivery } = search;
  const list = useDeliveries(endpointId, search);
  const set = (change: typeof search): void =>
    void navigate({ search: { ...search, ...change }, replace: true, resetScroll: false });
  const open = (id: string): void => void navigate({ search: { ...search, delivery: id }, resetScroll: false });
  return (
    <Section title="Deliveries" actions={<Filters search={search} onChange={set} />}>
      <ListStatus list={list} />
      <Newer list={list} one="delivery" />
      {list.items.length > 0 && (
        <Table label="Deliveries" items={list.items} keyOf={({ id }) => id} columns={columnsOf(open)} />
      )}
      {isEmpty(list) && (
        <Empty title={status || eventType ? "No such deliveries." : "Nothing was delivered yet."}>
          {status || eventType
            ? "Other states or events may have some."
            : "Send a test event: its delivery appears here, with what was sent and what came back."}
        </Empty>
      )}
      <More list={list} />
      {delivery !== undefined && delivery !== "" && (
        <DeliveryPanel
          key={delivery}
          id={delivery}
          onOpen={open}
          onMove={(step) => {
            const next = neighborOf(list.items, delivery, step);
            if (next !== undefined) set({ delivery: next });
          }}
          onClose={() => void navigate({ search: { ...search, delivery: "" }, resetScroll: false })}
        />
      )}
    </Section>
  );
}

interface Filter {
  status?: string | undefined;
  eventType?: string | undefined;
}

const useDeliveries = (endpointId: string, { status, eventType }: Filter) =>
  useList<WebhookDelivery>(
    ["webhook-endpoints", endpointId, "deliveries", status, eventType],
    (cursor) =>
      rowmill.webhookDeliveries.list({
        webhookEndpointId: endpointId,
        status: status as WebhookDelivery["status"] | undefined, // a value of the select, or refused by the service
        eventType: eventType as WebhookDelivery["eventType"] | undefined,
        cursor,
        limit: 50,
      }),
    { pollMs: POLL_MS, isUnannounced: true },
  );

function Filters({ search: { status, eventType }, onChange }: { search: Filter; onChange: (change: Filter) => void }) {
  const { data: types = [] } = useQuery(eventTypesQuery);
  return (
    <>
      <select
        aria-label="State"
        className="input w-auto!"
        value={status ?? ""}
        onChange={({ target }) => onChange({ status: target.value })}
      >
        {Object.entries(STATES).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <select
        aria-label="Event"
        className="input w-auto! max-w-48"
        value={eventType ?? ""}
        onChange={({ target }) => onChange({ eventType: target.value })}
      >
        <option value="">Every event</option>
        {types
          .filter(({ deliverable }) => deliverable)
          .map(({ type }) => (
            <option key={type}>{type}</option>
          ))}
      </select>
    </>
  );
}

const columnsOf = (open: (id: string) => void): Column<WebhookDelivery>[] => [
  { id: "state", head: "State", cell: ({ status }) => <State state={status} /> },
  {
    id: "event",
    head: "Event",
    // The longest name of a type.
    className: "md:min-w-48",
    cell: (delivery) => (
      <>
        <button
          type="button"
          onClick={() => open(delivery.id)}
          className="text-left font-mono text-xs font-medium hover:underline"
          aria-label={`${delivery.eventType}: open the delivery`}
        >
          <Breakable name={delivery.eventType} />
        </button>
        {delivery.status !== "succeeded" && (
          <p className="line-clamp-2 text-xs text-soft md:hidden">{lastMessage(delivery)}</p>
        )}
      </>
    ),
  },
  {
    id: "kind",
    head: "Why",
    wide: true,
    cell: (delivery) => <span className="text-soft">{kindOf(delivery)}</span>,
  },
  {
    id: "last",
    head: "Last attempt",
    className: "max-w-md",
    wide: true,
    cell: (delivery) => (
      <p className="line-clamp-1 [overflow-wrap:anywhere] text-soft" title={lastMessage(delivery)}>
        {lastMessage(delivery)}
      </p>
    ),
  },
  { id: "attempts", head: "Attempts", align: "right", wide: true, cell: ({ attempts }) => attempts.length },
  { id: "created", head: "Created", align: "right", cell: ({ createdAt }) => <Time at={createdAt} /> },
];
