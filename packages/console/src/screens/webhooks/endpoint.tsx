/** One endpoint: how it fares, what was delivered to it, and what somebody can do about it. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { WebhookDeliveryWithResponse, WebhookEndpoint } from "@rowmill/client";
import { Rewind } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { readRequest } from "../../lib/request.ts";
import { Facts } from "../../components/facts.tsx";
import { Notice } from "../../components/notice.tsx";
import { ShownOnce } from "../../components/shown-once.tsx";
import { State } from "../../components/state.tsx";
import { Time } from "../../components/time.tsx";
import { rowmill } from "../../lib/client.ts";
import { duration, visible } from "../../lib/format.ts";
import { screens } from "../../lib/screen-keys.ts";
import { useMay } from "../../lib/session.ts";
import { durationSince, endpointQuery, stateOf, troubleOf } from "../../lib/webhooks.ts";
import { ReceiverScreen } from "../receiver-screen.tsx";
import { Deliveries } from "./webhook-deliveries.tsx";
import { EndpointDialog } from "./endpoint-dialog.tsx";
import { Recipe } from "./recipe.tsx";
import { ReplayDialog } from "./replay-dialog.tsx";
import { Types } from "./webhooks.tsx";

export function EndpointScreen() {
  const { webhookEndpointId: id } = useParams({ from: "/frame/webhooks/$webhookEndpointId" });
  const { data: endpoint } = useSuspenseQuery(endpointQuery(id));
  const mayWrite = useMay("webhooks:write");
  const [isReplaying, setReplaying] = useState(false);
  const [secret, setSecret] = useState<string>();
  return (
    <ReceiverScreen
      noun="endpoint"
      list={{ to: "/webhooks", label: "Webhooks", queryKey: "webhook-endpoints" }}
      id={id}
      head={{
        title: <span className="font-mono text-lg">{endpoint.url}</span>,
        tabTitle: endpoint.description ?? "Webhook endpoint",
        ...(endpoint.description !== null && { lead: visible(endpoint.description) }),
      }}
      isEnabled={endpoint.enabled}
      mayWrite={mayWrite}
      request={readRequest(`v1/webhook-endpoints/${id}`, "webhookEndpoints.get", { ids: [id], isOne: true })}
      keys={screens.webhook.keys}
      test={{
        send: async () => rowmill.webhookEndpoints.test(id),
        describe: (delivery) => describe(id, delivery),
      }}
      setEnabled={async (enabled) => rowmill.webhookEndpoints.update(id, { enabled })}
      disabling="Deliveries that wait are canceled, and no further ones are made. Events of the meantime can be replayed later; row events cannot."
      rotate={async () => setSecret((await rowmill.webhookEndpoints.rotateSecret(id)).signingSecret)}
      remove={async () => rowmill.webhookEndpoints.delete(id)}
      removal="Its secret is destroyed, and deliveries that wait are canceled. The records of its deliveries stay."
      items={[{ label: "Replay events", icon: Rewind, run: () => setReplaying(true) }]}
      edit={(onClose) => <EndpointDialog endpoint={endpoint} onClose={onClose} onSaved={onClose} />}
      trouble={({ run, isBusy }) => (
        <Trouble
          endpoint={endpoint}
          mayWrite={mayWrite}
          isBusy={isBusy}
          onEnable={run}
          onReplay={() => setReplaying(true)}
        />
      )}
    >
      <EndpointFacts endpoint={endpoint} />
      <Deliveries endpointId={id} />
      <details>
        <summary className="text-base font-semibold">Verify what arrives</summary>
        <div className="mt-3">
          <Recipe />
        </div>
      </details>
      {isReplaying && <ReplayDialog endpoint={endpoint} onClose={() => setReplaying(false)} />}
      {secret !== undefined && <NewSecret secret={secret} onClose={() => setSecret(undefined)} />}
    </ReceiverScreen>
  );
}

/** Characters of a response: an error and its reason. What was sent, and the rest of it, are one click away. */
const MAX_SHOWN = 300;

/** What the test of an endpoint has brought: where it failed, with what the receiver responded. */
const describe = (webhookEndpointId: string, { id, status, attempts, response }: WebhookDeliveryWithResponse) => ({
  text: (
    <>
      After {duration((attempts[0]?.durationMs ?? 0) / 1000)}.
      {status !== "succeeded" && <ResponseBody body={bodyOf(response)} />}
    </>
  ),
  action: (
    <Link to="/webhooks/$webhookEndpointId" params={{ webhookEndpointId }} search={{ delivery: id }} className="link">
      What was sent
    </Link>
  ),
});

/** During an upgrade a process of the version before responds without it. */
const bodyOf = (response: Partial<WebhookDeliveryWithResponse>["response"]): string => response?.body ?? "";

function ResponseBody({ body }: { body: string }) {
  if (body === "") return null;
  return (
    <span className="block font-mono text-xs [overflow-wrap:anywhere]">
      {visible(body.length > MAX_SHOWN ? `${body.slice(0, MAX_SHOWN)}…` : body)}
    </span>
  );
}

function EndpointFacts({ endpoint }: { endpoint: WebhookEndpoint }) {
  return (
    <div className="card px-5 py-4">
      <Facts
        across
        facts={[
          ["State", <State key="state" state={stateOf(endpoint)} />],
          ["Events", <Types key="types" of={endpoint} />],
          ["Last success", <Time key="success" at={endpoint.lastSuccessAt} />],
          ["Created", <Time key="created" at={endpoint.createdAt} />],
        ]}
      />
    </div>
  );
}

function NewSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <ShownOnce title="The new signing secret" name="signing secret" value={secret} onClose={onClose}>
      It is shown this once. Give it to your receiver within 24 hours.
    </ShownOnce>
  );
}

/** Why events do not arrive, with what cures it. */
function Trouble({
  endpoint,
  mayWrite,
  isBusy,
  onEnable,
  onReplay,
}: {
  endpoint: WebhookEndpoint;
  mayWrite: boolean;
  isBusy: boolean;
  onEnable: () => void;
  onReplay: () => void;
}) {
  const { enabled, failingSince } = endpoint;
  if (!enabled)
    return (
      <Notice
        tone="warn"
        title="This endpoint is disabled."
        actions={
          mayWrite && (
            <Button look="primary" isBusy={isBusy} onClick={onEnable}>
              Enable
            </Button>
          )
        }
      >
        {troubleOf(endpoint)} Enable it, then replay what it has missed.
      </Notice>
    );
  if (failingSince === null) return null;
  return (
    <Notice
      tone="warn"
      title={`Every delivery has failed for ${durationSince(failingSince)}.`}
      actions={mayWrite && <Button onClick={onReplay}>Replay events</Button>}
    >
      The newest attempts below say why. An endpoint that fails for five days is disabled.
    </Notice>
  );
}
