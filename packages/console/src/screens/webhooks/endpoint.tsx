/** One endpoint: how it fares, what was delivered to it, and what somebody can do about it. */
import { useMutation, useSuspenseQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import type { WebhookEndpoint } from "@rowmill/client";
import { Ellipsis, KeyRound, Pencil, Power, Rewind, Send, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { Confirm } from "../../components/confirm.tsx";
import { Copy } from "../../components/copy.tsx";
import { Facts } from "../../components/facts.tsx";
import { Menu } from "../../components/menu.tsx";
import type { MenuItem } from "../../components/menu.tsx";
import { ErrorNotice, Notice, readError } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import { ShownOnce } from "../../components/shown-once.tsx";
import { State } from "../../components/state.tsx";
import { Time } from "../../components/time.tsx";
import { toast } from "../../components/toast.tsx";
import { queries, rowmill } from "../../lib/client.ts";
import { duration, visible } from "../../lib/format.ts";
import { useMay } from "../../lib/session.ts";
import { useShortcuts } from "../../lib/shortcuts.ts";
import { durationSince, endpointQuery, stateOf, troubleOf } from "../../lib/webhooks.ts";
import { Deliveries } from "./deliveries.tsx";
import { EndpointDialog } from "./endpoint-dialog.tsx";
import { Recipe } from "./recipe.tsx";
import { ReplayDialog } from "./replay-dialog.tsx";
import { Types } from "./webhooks.tsx";

type Opened = "edit" | "rotate" | "replay" | "disable" | "delete" | null;

export function EndpointScreen() {
  const { webhookEndpointId: id } = useParams({ from: "/frame/webhooks/$webhookEndpointId" });
  const { data: endpoint } = useSuspenseQuery(endpointQuery(id));
  const mayWrite = useMay("webhooks:write");
  const navigate = useNavigate();
  const [open, setOpen] = useState<Opened>(null);
  const [secret, setSecret] = useState<string>();
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: ["webhook-endpoints"] });
  const enable = useMutation({
    mutationFn: (enabled: boolean) => rowmill.webhookEndpoints.update(id, { enabled }),
    onSuccess: refresh,
    onError: (problem) => toast(readError(problem).title, "bad"),
  });
  const test = useMutation({ mutationFn: () => rowmill.webhookEndpoints.test(id), onSettled: refresh });
  useShortcuts(
    mayWrite
      ? [
          { keys: "t", label: "Send a test event", run: () => test.mutate() },
          { keys: "e", label: "Change the endpoint", run: () => setOpen("edit") },
        ]
      : [],
  );
  const items: MenuItem[] = [
    { label: "Change", icon: Pencil, run: () => setOpen("edit") },
    { label: "Replay events", icon: Rewind, run: () => setOpen("replay") },
    { label: "Rotate the secret", icon: KeyRound, run: () => setOpen("rotate") },
    ...(endpoint.enabled ? [{ label: "Disable", icon: Power, run: () => setOpen("disable") }] : []),
    { label: "Delete", icon: Trash2, isDanger: true, run: () => setOpen("delete") },
  ];
  return (
    <Page
      trail={
        <Link to="/webhooks" className="hover:underline">
          Webhooks
        </Link>
      }
      title={<span className="font-mono text-lg">{endpoint.url}</span>}
      tabTitle={endpoint.description ?? "Webhook endpoint"}
      lead={endpoint.description === null ? undefined : visible(endpoint.description)}
      actions={
        mayWrite && (
          <>
            <Button icon={Send} isBusy={test.isPending} onClick={() => test.mutate()}>
              Send a test
            </Button>
            <Menu
              className="inline-flex size-8 items-center justify-center rounded-md border border-edge bg-surface hover:bg-raised"
              trigger={
                <>
                  <Ellipsis aria-hidden size={16} />
                  <span className="sr-only">More actions</span>
                </>
              }
              items={items}
            />
          </>
        )
      }
    >
      <Trouble
        endpoint={endpoint}
        mayWrite={mayWrite}
        isBusy={enable.isPending}
        onEnable={() => enable.mutate(true)}
        onReplay={() => setOpen("replay")}
      />
      {test.data !== undefined && (
        <Notice
          tone={test.data.status === "succeeded" ? "good" : "bad"}
          title={test.data.attempts[0]?.message ?? "The test was sent."}
          actions={
            <Link
              to="/webhooks/$webhookEndpointId"
              params={{ webhookEndpointId: id }}
              search={{ delivery: test.data.id }}
              className="link"
            >
              What was sent
            </Link>
          }
        >
          After {duration((test.data.attempts[0]?.durationMs ?? 0) / 1000)}.
        </Notice>
      )}
      {test.error !== null && <ErrorNotice error={test.error} />}
      <div className="card px-5 py-4">
        <Facts
          across
          facts={[
            ["State", <State key="state" state={stateOf(endpoint)} />],
            ["Events", <Types key="types" of={endpoint} />],
            ["Last success", <Time key="success" at={endpoint.lastSuccessAt} />],
            ["Created", <Time key="created" at={endpoint.createdAt} />],
            [
              "Id",
              <Copy key="id" text={id} label="Copy the id">
                {id}
              </Copy>,
            ],
          ]}
        />
      </div>
      <Deliveries endpointId={id} />
      <details>
        <summary className="text-base font-semibold">Verify what arrives</summary>
        <div className="mt-3">
          <Recipe />
        </div>
      </details>
      {open === "edit" && (
        <EndpointDialog endpoint={endpoint} onClose={() => setOpen(null)} onSaved={() => setOpen(null)} />
      )}
      {open === "replay" && <ReplayDialog endpoint={endpoint} onClose={() => setOpen(null)} />}
      {open === "rotate" && (
        <Confirm
          title="Rotate the signing secret?"
          action="Rotate"
          onClose={() => setOpen(null)}
          onConfirm={async () => {
            setSecret((await rowmill.webhookEndpoints.rotateSecret(id)).signingSecret);
            await refresh();
          }}
        >
          The new secret signs at once. For 24 hours the header <code className="font-mono">webhook-signature</code>{" "}
          also carries the old one, so that a receiver which checks it misses nothing.
        </Confirm>
      )}
      {secret !== undefined && (
        <ShownOnce
          title="The new signing secret"
          name="signing secret"
          value={secret}
          onClose={() => setSecret(undefined)}
        >
          It is shown this once. Give it to your receiver within 24 hours.
        </ShownOnce>
      )}
      {open === "disable" && (
        <Confirm
          title="Disable this endpoint?"
          action="Disable"
          onClose={() => setOpen(null)}
          onConfirm={() => enable.mutateAsync(false)}
        >
          Deliveries that wait are canceled, and no further ones are made. Events of the meantime can be replayed later;
          row events cannot.
        </Confirm>
      )}
      {open === "delete" && (
        <Confirm
          title="Delete this endpoint?"
          action="Delete the endpoint"
          onClose={() => setOpen(null)}
          onConfirm={async () => {
            await rowmill.webhookEndpoints.delete(id);
            await navigate({ to: "/webhooks" });
            await refresh();
          }}
        >
          Its secret is destroyed, and deliveries that wait are canceled. The records of its deliveries stay.
        </Confirm>
      )}
    </Page>
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
