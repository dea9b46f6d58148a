/** Webhook endpoints: where the service reports what happens, and how each of them fares. */
import { Link } from "@tanstack/react-router";
import type { WebhookEndpoint, WebhookEndpointWithSecret } from "@rowmill/client";
import { Plus } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { readRequest } from "../../lib/request.ts";
import { More, Table } from "../../components/table.tsx";
import { ListStatus } from "../../components/loading.tsx";
import { Empty, Page, Section } from "../../components/page.tsx";
import { ShownOnce } from "../../components/shown-once.tsx";
import { State } from "../../components/state.tsx";
import type { Column } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { rowmill } from "../../lib/client.ts";
import { visible } from "../../lib/format.ts";
import { useList } from "../../lib/lists.ts";
import { useMay } from "../../lib/session.ts";
import { bind, screens } from "../../lib/screen-keys.ts";
import { useShortcuts } from "../../lib/shortcuts.ts";
import { durationSince, stateOf, troubleOf } from "../../lib/webhooks.ts";
import { EndpointDialog } from "./endpoint-dialog.tsx";
import { Recipe } from "./recipe.tsx";

const POLL_MS = 10_000;
/** What needs somebody comes first. */
const ORDER = ["failing", "disabled", "enabled"];

export function Webhooks() {
  const mayWrite = useMay("webhooks:write");
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<WebhookEndpointWithSecret | null>(null);
  const list = useList<WebhookEndpoint>(
    ["webhook-endpoints", "list"],
    (cursor) => rowmill.webhookEndpoints.list({ cursor, limit: 200 }),
    { pollMs: POLL_MS },
  );
  useShortcuts(mayWrite ? [bind(screens.webhooks.keys.create, () => setMaking(true))] : []);
  const items = list.items.toSorted((a, b) => ORDER.indexOf(stateOf(a)) - ORDER.indexOf(stateOf(b)));
  const create = mayWrite && (
    <Button look="primary" icon={Plus} onClick={() => setMaking(true)}>
      New endpoint
    </Button>
  );
  return (
    <Page
      title="Webhooks"
      tabTitle="Webhooks"
      request={readRequest("v1/webhook-endpoints", "webhookEndpoints.list")}
      lead="The service posts a signed event to your URL whenever something happens that the endpoint subscribes to."
      actions={items.length > 0 && create}
    >
      <ListStatus list={list} />
      {items.length > 0 && <Table label="Endpoints" items={items} keyOf={({ id }) => id} columns={COLUMNS} />}
      <More list={list} />
      {items.length === 0 && !list.isLoading && list.error === null && (
        <Empty title="No endpoints yet." actions={create}>
          Give the URL of a receiver of yours, and it learns of every run that ends, every export that is ready, every
          row that fails. Failed deliveries are repeated for three days, and can be sent again from here.
        </Empty>
      )}
      <Section title="Verify what arrives" note="A receiver must refuse what is not signed with the endpoint's secret.">
        <Recipe />
      </Section>
      {isMaking && (
        <EndpointDialog
          onClose={() => setMaking(false)}
          onSaved={(endpoint) => {
            list.showNew();
            if ("signingSecret" in endpoint) setMade(endpoint);
          }}
        />
      )}
      {made?.signingSecret !== undefined && (
        <ShownOnce
          title="The endpoint's signing secret"
          name="signing secret"
          value={made.signingSecret}
          onClose={() => setMade(null)}
        >
          It is shown this once. Your receiver verifies deliveries with it; if it is lost, rotate it.
        </ShownOnce>
      )}
    </Page>
  );
}

const COLUMNS: Column<WebhookEndpoint>[] = [
  {
    id: "endpoint",
    head: "Endpoint",
    className: "max-w-sm",
    cell: (endpoint) => (
      <div className="min-w-0">
        <Link
          to="/webhooks/$webhookEndpointId"
          params={{ webhookEndpointId: endpoint.id }}
          className="font-mono text-xs font-medium [overflow-wrap:anywhere] hover:underline"
        >
          {endpoint.url}
        </Link>
        {endpoint.description !== null && endpoint.description !== "" && (
          <p className="line-clamp-2 [overflow-wrap:anywhere] text-soft">{visible(endpoint.description)}</p>
        )}
      </div>
    ),
  },
  {
    id: "state",
    head: "State",
    cell: (endpoint) => (
      <>
        <State state={stateOf(endpoint)} />
        <p className="text-xs text-soft max-md:hidden">
          {endpoint.enabled && endpoint.failingSince !== null
            ? `for ${durationSince(endpoint.failingSince)}`
            : troubleOf(endpoint)}
        </p>
      </>
    ),
  },
  { id: "events", head: "Events", wide: true, className: "max-w-xs", cell: (endpoint) => <Types of={endpoint} /> },
  {
    id: "success",
    head: "Last success",
    align: "right",
    wide: true,
    cell: ({ lastSuccessAt }) => <Time at={lastSuccessAt} />,
  },
];

const SHOWN_TYPES = 4;
export function Types({ of: { eventTypes } }: { of: Pick<WebhookEndpoint, "eventTypes"> }) {
  const shown = eventTypes.slice(0, SHOWN_TYPES);
  return (
    <span className="flex flex-wrap gap-1">
      {shown.map((type) => (
        <code key={type} className="rounded bg-raised px-1.5 py-0.5 font-mono text-xs">
          {type === "*" ? "every event" : type}
        </code>
      ))}
      {eventTypes.length > SHOWN_TYPES && (
        <span className="text-xs leading-6 text-soft">and {eventTypes.length - SHOWN_TYPES} more</span>
      )}
    </span>
  );
}
