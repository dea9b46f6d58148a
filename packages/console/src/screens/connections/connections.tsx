import { useMutation, useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import type { Connection, ConnectionTest } from "@rowmill/client";
import { Pencil, Plus, Trash2, Zap } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Button } from "../../components/button.tsx";
import { readRequest } from "../../lib/request.ts";
import { Confirm } from "../../components/dialog.tsx";
import { MoreMenu } from "../../components/menu.tsx";
import { ListStatus } from "../../components/loading.tsx";
import { ErrorNotice, Notice } from "../../components/notice.tsx";
import { Empty, Page } from "../../components/page.tsx";
import { More } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { queries, rowmill } from "../../lib/client.ts";
import { count, duration, plural, visible } from "../../lib/format.ts";
import { useList } from "../../lib/lists.ts";
import { bind, screens } from "../../lib/screen-keys.ts";
import { useMay } from "../../lib/session.ts";
import { useShortcuts } from "../../lib/shortcuts.ts";
import { ConnectionDialog } from "./connection-dialog.tsx";

const KINDS: Record<Connection["type"], string> = {
  openai_compatible: "OpenAI-compatible",
  anthropic: "Anthropic",
  http: "HTTP",
};
/** Providers change their prices a few times a year. */
const OLD_PRICES_DAYS = 90;
const TRAFFIC_POLL_MS = 4_000;
const ALL: Connection["type"][] = ["openai_compatible", "anthropic", "http"];

export function Connections() {
  const mayWrite = useMay("connections:write");
  const [isMaking, setMaking] = useState(false);
  const list = useList<Connection>(["connections", "list"], (cursor) =>
    rowmill.connections.list({ cursor, limit: 200 }),
  );
  useShortcuts(mayWrite ? [bind(screens.connections.keys.create, () => setMaking(true))] : []);
  const create = mayWrite && (
    <Button look="primary" icon={Plus} onClick={() => setMaking(true)}>
      New connection
    </Button>
  );
  return (
    <Page
      title="Connections"
      tabTitle="Connections"
      request={readRequest("v1/connections", "connections.list")}
      lead="Models and services that job specs call. Secrets are stored encrypted, and limits hold for all runs together."
      actions={list.items.length > 0 && create}
    >
      <ListStatus list={list} />
      {list.items.map((connection) => (
        <Card key={connection.id} connection={connection} mayWrite={mayWrite} />
      ))}
      {list.items.length === 0 && !list.isLoading && list.error === null && (
        <Empty title="No connections yet." actions={create}>
          A connection is the address of a model provider or an HTTP service, with its key, its limits and its prices.
          Job specs name it and never see the key.
        </Empty>
      )}
      <More list={list} />
      {isMaking && <ConnectionDialog types={ALL} onClose={() => setMaking(false)} onSaved={() => list.showNew()} />}
    </Page>
  );
}

function Card({ connection, mayWrite }: { connection: Connection; mayWrite: boolean }) {
  const [open, setOpen] = useState<"edit" | "delete" | null>(null);
  const test = useMutation({ mutationFn: () => rowmill.connections.test(connection.id) });
  const ref = useRef<HTMLElement>(null);
  const { hash } = useLocation();
  useEffect(() => {
    // The address names one of them: the list comes after the browser has looked for it.
    if (hash === connection.id) ref.current?.focus();
  }, [hash, connection.id]);
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: ["connections"] });
  return (
    <article ref={ref} id={connection.id} tabIndex={-1} className="card flex scroll-mt-16 flex-col gap-3 px-5 py-4">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="text-base font-semibold [overflow-wrap:anywhere]">{visible(connection.name)}</h2>
          <p className="text-soft [overflow-wrap:anywhere]">
            {KINDS[connection.type]} · <span className="font-mono text-xs">{connection.baseUrl}</span>
          </p>
        </div>
        <div className="flex flex-wrap gap-2">
          {mayWrite && (
            <>
              <Button icon={Zap} isBusy={test.isPending} onClick={() => test.mutate()}>
                Test
              </Button>
              <Button icon={Pencil} onClick={() => setOpen("edit")}>
                Change
              </Button>
            </>
          )}
          <MoreMenu
            label={`More actions on ${connection.name}`}
            isInPalette={false}
            id={connection.id}
            request={readRequest(`v1/connections/${connection.id}`, "connections.get", {
              ids: [connection.id],
              isOne: true,
            })}
            items={mayWrite ? [{ label: "Delete", icon: Trash2, isDanger: true, run: () => setOpen("delete") }] : []}
          />
        </div>
      </div>
      <Facts connection={connection} />
      <Traffic connection={connection} />
      {test.data !== undefined && <TestResult test={test.data} />}
      {test.error !== null && <ErrorNotice error={test.error} />}
      {open === "edit" && (
        <ConnectionDialog
          connection={connection}
          types={[connection.type]}
          onClose={() => setOpen(null)}
          onSaved={() => void refresh()}
        />
      )}
      {open === "delete" && <Deletion connection={connection} onClose={() => setOpen(null)} onDeleted={refresh} />}
    </article>
  );
}

function Facts({ connection }: { connection: Connection }) {
  const { rateLimit, priceList } = connection;
  const limit = (value: number | null, unit: string): string =>
    value === null ? `no limit of ${unit}` : `${count(value)} ${unit} a minute`;
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-5 gap-y-1 [overflow-wrap:anywhere]">
      <dt className="text-soft">Secret</dt>
      <dd>{connection.hasSecret ? (connection.redactedSecret ?? "stored") : "none"}</dd>
      <dt className="text-soft">Limits</dt>
      <dd>
        {limit(rateLimit.requestsPerMinute, "requests")}
        {connection.type !== "http" && `, ${limit(rateLimit.tokensPerMinute, "tokens")}`}
      </dd>
      <dt className="text-soft">Prices</dt>
      <dd>
        <Prices connection={connection} />
      </dd>
      {priceList !== null && (
        <>
          <dt className="text-soft">Price list</dt>
          <dd className={priceList.ageDays > OLD_PRICES_DAYS ? "text-warn" : ""}>
            of {priceList.asOf}, {plural(priceList.ageDays, "day")} old
            {priceList.ageDays > OLD_PRICES_DAYS && ": compare it with your provider's"}
          </dd>
        </>
      )}
      <dt className="text-soft">Changed</dt>
      <dd>
        <Time at={connection.updatedAt} />
      </dd>
    </dl>
  );
}

function Prices({ connection: { type, prices } }: { connection: Connection }) {
  const models = Object.entries(prices?.models ?? {});
  return (
    <>
      {prices?.requestUsd !== undefined && `$${prices.requestUsd} a request`}
      {models.length > 0
        ? models.map(([model, price]) => (
            <span key={model} className="mr-4 inline-block">
              <code className="font-mono text-xs">{model === "*" ? "every other model" : model}</code> $
              {price.inputUsdPerMillionTokens} in, ${price.outputUsdPerMillionTokens} out
            </span>
          ))
        : prices?.requestUsd === undefined &&
          (type === "http"
            ? "not set: requests count as free"
            : "not set: cost is unknown, and budgets cannot be used")}
    </>
  );
}

function TestResult({ test: { ok, message, durationMs, models = [] } }: { test: ConnectionTest }) {
  return (
    <Notice tone={ok ? "good" : "bad"} title={message}>
      {duration(durationMs / 1000)}
      {models.length > 0 && ` · ${models.slice(0, 8).join(", ")}${models.length > 8 ? " …" : ""}`}
    </Notice>
  );
}

function Deletion({
  connection,
  onClose,
  onDeleted,
}: {
  connection: Connection;
  onClose: () => void;
  onDeleted: () => Promise<void>;
}) {
  return (
    <Confirm
      title="Delete this connection?"
      action="Delete the connection"
      onClose={onClose}
      onConfirm={async () => {
        await rowmill.connections.delete(connection.id);
        await onDeleted();
      }}
    >
      Its secret is destroyed at once. Job specs that name it cannot run until they name another one.
    </Confirm>
  );
}

/** What the provider lets through now, for each model that was called within the last hour. */
function Traffic({ connection }: { connection: Connection }) {
  const { data } = useQuery({
    queryKey: ["connections", connection.id, "limits"],
    queryFn: async () => (await rowmill.connections.limits(connection.id)).models,
    refetchInterval: TRAFFIC_POLL_MS,
  });
  if (data === undefined || data.length === 0) return null;
  const limit = (value: number | null, unit: string): string =>
    value === null ? `${unit} not reported` : `${count(value)} ${unit}`;
  return (
    <section aria-label="Calls now" className="border-t border-line pt-3">
      <h3 className="mb-1 font-medium">Called within the last hour</h3>
      <ul className="flex flex-col gap-1">
        {data.map((state) => (
          <li key={state.model} className="flex flex-wrap gap-x-4 gap-y-0.5">
            {state.model !== "" && <code className="font-mono text-xs leading-5">{state.model}</code>}
            <span className="text-soft">
              {state.learnedRequestsPerMinute === null && state.learnedTokensPerMinute === null
                ? "The provider reports no limits"
                : `The provider allows a minute: ${limit(state.learnedRequestsPerMinute, "requests")}${connection.type === "http" ? "" : `, ${limit(state.learnedTokensPerMinute, "tokens")}`}`}
            </span>
            {state.requestsPerMinute !== null && (
              <span className="text-soft">now tries {plural(state.requestsPerMinute, "request")} a minute</span>
            )}
            {state.slowedAt !== null && (
              <span className="text-warn">
                held back by refusals or overload, the last one <Time at={state.slowedAt} />
              </span>
            )}
            {state.refusals > 0 && <span className="text-warn">{plural(state.refusals, "refusal")} in a row</span>}
            {state.pausedSeconds > 0 ? (
              <span className="text-warn">paused by the provider for {duration(state.pausedSeconds)}</span>
            ) : state.waitSeconds >= 1 ? (
              <span className="text-warn">a new call waits {duration(state.waitSeconds)}</span>
            ) : (
              <span className="text-good">nothing waits</span>
            )}
            <span className="text-soft">
              last call <Time at={state.lastUsedAt} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
