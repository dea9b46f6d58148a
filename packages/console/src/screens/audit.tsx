/** Who did what: every change, and every attempt that was refused. Filters and the open event are in the address. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { AuditEvent } from "@rowmill/client";
import { Button } from "../components/button.tsx";
import { readRequest } from "../lib/request.ts";
import { Copy } from "../components/copy.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Facts } from "../components/facts.tsx";
import { More, Newer, Table } from "../components/table.tsx";
import { ListStatus } from "../components/loading.tsx";
import { Empty, Page } from "../components/page.tsx";
import type { Column } from "../components/table.tsx";
import { Time } from "../components/time.tsx";
import { Value } from "../components/value.tsx";
import { ACTORS, AUDIT_WORDS, auditTypes, placeOfTarget } from "../lib/audit.ts";
import type { AuditType } from "../lib/audit.ts";
import { rowmill } from "../lib/client.ts";
import { exactTime, words } from "../lib/format.ts";
import { isEmpty, neighborOf, useList } from "../lib/lists.ts";
import { shortId } from "../lib/names.ts";
import { usePeople } from "../lib/people.ts";
import { useSession } from "../lib/session.ts";

const POLL_MS = 10_000;
const DAY_MS = 86_400_000;
/** As far as times of four digits go. */
const END_OF_TIMES_MS = Date.UTC(9999, 11, 31);
/** The day after, so that the last day is a whole one. */
const endOf = (day: string): string => new Date(Math.min(Date.parse(day) + DAY_MS, END_OF_TIMES_MS)).toISOString();

export function Audit() {
  const search = useSearch({ from: "/frame/audit" });
  const navigate = useNavigate({ from: "/audit" });
  const { organizationId } = useSession();
  const nameOf = usePeople();
  const { type, actor, key, from, to, event } = search;
  const { query, list } = useAuditEvents(search);
  const set = (change: typeof search): void =>
    void navigate({ search: { ...search, ...change }, replace: true, resetScroll: false });
  const isFiltered = [type, actor, key, from, to].some((value) => value !== undefined && value !== "");
  const opened = list.items.find(({ id }) => id === event);
  return (
    <Page
      title="Audit"
      tabTitle="Audit"
      request={readRequest(`v1/organizations/${organizationId ?? ""}/audit-events`, "organizations.auditEvents", {
        ids: [organizationId ?? ""],
        query,
      })}
      lead="Every change and every refused attempt. An entry is written in the transaction of its change, and nobody can change or delete it."
    >
      <Filters
        search={search}
        nameOf={nameOf}
        onChange={set}
        onClear={isFiltered ? () => void navigate({ search: {}, replace: true }) : undefined}
      />
      <ListStatus list={list} />
      <Newer list={list} one="entry" />
      {list.items.length > 0 && (
        <Table
          label="Audit events"
          items={list.items}
          keyOf={({ id }) => id}
          columns={columnsOf(nameOf, (id) => set({ event: id }))}
        />
      )}
      {isEmpty(list) && <NoEvents isFiltered={isFiltered} />}
      <More list={list} />
      {opened !== undefined && (
        <EventPanel
          onMove={(step) => {
            const next = neighborOf(list.items, opened.id, step);
            if (next !== undefined) set({ event: next });
          }}
          event={opened}
          nameOf={nameOf}
          onKey={(apiKeyId) => set({ key: apiKeyId, event: "" })}
          onClose={() => set({ event: "" })}
        />
      )}
    </Page>
  );
}

function useAuditEvents({ type, actor, key, from, to }: AuditSearch) {
  const { organizationId } = useSession();
  const query = {
    type: type as AuditType | undefined, // a value of the select, or refused by the service
    actorType: actor as AuditEvent["actorType"] | undefined,
    apiKeyId: key,
    createdAfter: from === undefined ? undefined : `${from}T00:00:00.000Z`,
    createdBefore: to === undefined ? undefined : endOf(to),
  };
  const list = useList<AuditEvent>(
    ["audit", type, actor, key, from, to],
    (cursor) => rowmill.organizations.auditEvents(organizationId ?? "", { ...query, cursor, limit: 100 }),
    { pollMs: POLL_MS, isUnannounced: true },
  );
  return { query, list };
}

function NoEvents({ isFiltered }: { isFiltered: boolean }) {
  return (
    <Empty title={isFiltered ? "Nothing like that has happened." : "Nothing has happened yet."}>
      {isFiltered
        ? "Other days, or another kind of change, may have something."
        : "Each change of a dataset, a run, a key or a setting leaves an entry here, with who made it and from where."}
    </Empty>
  );
}

type AuditSearch = Partial<Record<"type" | "actor" | "key" | "from" | "to" | "event", string | undefined>>;

function Filters({
  search: { type, actor, key, from, to },
  nameOf,
  onChange,
  onClear,
}: {
  search: AuditSearch;
  nameOf: NameOf;
  onChange: (change: AuditSearch) => void;
  /** Undefined: nothing is filtered. */
  onClear: (() => void) | undefined;
}) {
  return (
    <div className="grid grid-cols-2 items-end gap-2 sm:flex sm:flex-wrap">
      <select
        aria-label="What"
        className="input sm:w-auto! sm:max-w-64"
        value={type ?? ""}
        onChange={({ target }) => onChange({ type: target.value })}
      >
        <option value="">Everything</option>
        {auditTypes.map((name) => (
          <option key={name} value={name}>
            {words(AUDIT_WORDS[name])}
          </option>
        ))}
      </select>
      <select
        aria-label="By whom"
        className="input sm:w-auto!"
        value={actor ?? ""}
        onChange={({ target }) => onChange({ actor: target.value })}
      >
        <option value="">Anybody</option>
        {Object.entries(ACTORS).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <Day word="from" label="From day" value={from} onChange={(day) => onChange({ from: day })} />
      <Day word="to" label="To day" value={to} onChange={(day) => onChange({ to: day })} />
      {key !== undefined && key !== "" && (
        <span className="inline-flex min-h-8 items-center rounded-md bg-raised px-2.5 text-soft">
          Key: {nameOf(key) ?? shortId(key)}
        </span>
      )}
      {onClear !== undefined && (
        <Button look="quiet" onClick={onClear}>
          Clear
        </Button>
      )}
    </div>
  );
}

function Day({
  word,
  label,
  value,
  onChange,
}: {
  word: string;
  label: string;
  value: string | undefined;
  onChange: (day: string) => void;
}) {
  return (
    <span className="flex items-center gap-2 text-soft max-sm:flex-col max-sm:items-start max-sm:gap-0.5 sm:inline-flex">
      <span aria-hidden>{word}</span>
      <input
        aria-label={label}
        title={`${label} (UTC)`}
        type="date"
        className="input sm:w-auto!"
        value={value ?? ""}
        onChange={({ target }) => onChange(target.value)}
      />
    </span>
  );
}

type NameOf = (id: string) => string | undefined;

const actorOf = ({ actorType, actorId }: AuditEvent, nameOf: NameOf): string =>
  (actorId === null ? undefined : nameOf(actorId)) ?? ACTORS[actorType];

const isRefusal = ({ type }: AuditEvent): boolean => type === "auth.denied";

const columnsOf = (nameOf: NameOf, open: (id: string) => void): Column<AuditEvent>[] => [
  {
    id: "what",
    head: "What",
    className: "max-w-lg",
    cell: (event) => (
      <button type="button" onClick={() => open(event.id)} className="text-left hover:underline">
        <span className="font-medium">{actorOf(event, nameOf)}</span>{" "}
        <span className={isRefusal(event) ? "text-bad" : ""}>{AUDIT_WORDS[event.type]}</span>
        <span className="block text-xs text-soft md:hidden">
          <Time at={event.createdAt} isExact />
          {event.target.id !== null && <span className="ml-2 font-mono">{shortId(event.target.id)}</span>}
        </span>
      </button>
    ),
  },
  {
    id: "target",
    head: "Target",
    wide: true,
    cell: ({ target }) => (
      <span className="font-mono text-xs text-soft">{target.id === null ? "–" : shortId(target.id)}</span>
    ),
  },
  { id: "ip", head: "From", wide: true, cell: ({ ip }) => <span className="text-soft">{ip ?? "–"}</span> },
  { id: "at", head: "When", align: "right", wide: true, cell: ({ createdAt }) => <Time at={createdAt} isExact /> },
];

interface EventPanelProps {
  event: AuditEvent;
  nameOf: NameOf;
  onClose: () => void;
  onMove: (step: number) => void;
  onKey: (apiKeyId: string) => void;
}

function EventPanel({ event, nameOf, onClose, onMove, onKey }: EventPanelProps) {
  const navigate = useNavigate();
  const { target, apiKeyId } = event;
  const place = event.type.endsWith(".deleted") ? undefined : placeOfTarget(target);
  return (
    <Dialog
      side
      width="max-w-xl"
      title={words(AUDIT_WORDS[event.type])}
      onClose={onClose}
      onMove={onMove}
      footer={
        <>
          {apiKeyId !== null && <Button onClick={() => onKey(apiKeyId)}>All of this key</Button>}
          {place !== undefined && (
            <Button onClick={() => void navigate({ href: place })}>Go to the {words(target.type).toLowerCase()}</Button>
          )}
        </>
      }
    >
      <EventFacts event={event} nameOf={nameOf} />
      {Object.keys(event.changes).length > 0 && <Value value={event.changes} label="Changes" />}
    </Dialog>
  );
}

function EventFacts({ event, nameOf }: { event: AuditEvent; nameOf: NameOf }) {
  const { target, apiKeyId, requestId } = event;
  return (
    <Facts
      facts={[
        ["Who", actorOf(event, nameOf)],
        ["When", exactTime(event.createdAt)],
        [
          "Type",
          <code key="type" className="font-mono text-xs">
            {event.type}
          </code>,
        ],
        ["Key", apiKeyId === null ? undefined : `${nameOf(apiKeyId) ?? ""} ${shortId(apiKeyId)}`.trim()],
        [
          "Target",
          target.id === null ? undefined : (
            <Copy key="target" text={target.id} label="Copy the target's id">
              {target.id}
            </Copy>
          ),
        ],
        ["From", event.ip ?? undefined],
        [
          "Request",
          requestId === null ? undefined : (
            <Copy key="request" text={requestId} label="Copy the request's id">
              {requestId}
            </Copy>
          ),
        ],
      ]}
    />
  );
}
