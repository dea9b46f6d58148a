import { useNavigate, useSearch } from "@tanstack/react-router";
import type { AlertDelivery } from "@rowmill/client";
import { More, Newer, Table } from "../../components/table.tsx";
import { ListStatus } from "../../components/loading.tsx";
import { Empty, Section } from "../../components/page.tsx";
import { State } from "../../components/state.tsx";
import type { Column } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { rowmill } from "../../lib/client.ts";
import { count, plural, visible } from "../../lib/format.ts";
import { isEmpty, useList } from "../../lib/lists.ts";

const POLL_MS = 5_000;
const STATES = {
  "": "All",
  succeeded: "Sent",
  failed: "Failed",
  pending: "Waiting",
  suppressed: "In the quiet time",
} as const;

export function AlertDeliveries({ ruleId }: { ruleId: string }) {
  const { status } = useSearch({ from: "/frame/alerts/$alertRuleId" });
  const navigate = useNavigate({ from: "/alerts/$alertRuleId" });
  const list = useList<AlertDelivery>(
    ["alerts", ruleId, "deliveries", status],
    (cursor) =>
      rowmill.alertDeliveries.list({
        alertRuleId: ruleId,
        status: status as AlertDelivery["status"] | undefined, // a value of the select, or refused by the service
        cursor,
      }),
    { pollMs: POLL_MS, isUnannounced: true },
  );
  return (
    <Section
      title="Alerts"
      actions={
        <select
          aria-label="State"
          className="input w-auto!"
          value={status ?? ""}
          onChange={({ target }) =>
            void navigate({
              search: target.value === "" ? {} : { status: target.value },
              replace: true,
              resetScroll: false,
            })
          }
        >
          {Object.entries(STATES).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      }
    >
      <ListStatus list={list} />
      <Newer list={list} one="alert" />
      {list.items.length > 0 && <Table label="Alerts" items={list.items} keyOf={({ id }) => id} columns={COLUMNS} />}
      {isEmpty(list) && (
        <Empty title={status ? "No such alerts." : "Nothing was reported yet."}>
          {status
            ? "Other states may have some."
            : "The rule's alerts appear here, with what became of each. A test goes to its destination at once."}
        </Empty>
      )}
      <More list={list} />
    </Section>
  );
}

const COLUMNS: Column<AlertDelivery>[] = [
  { id: "state", head: "State", cell: ({ status }) => <State state={status} /> },
  {
    id: "what",
    head: "For",
    cell: ({ test, eventCount }) => (test ? "A test" : eventCount === 1 ? "An event" : plural(eventCount, "event")),
  },
  {
    id: "last",
    head: "Last attempt",
    wide: true,
    className: "max-w-md",
    cell: ({ attempts, status }) => {
      const message =
        attempts.at(-1)?.message ??
        (status === "suppressed" ? "Counted in the quiet time after an alert." : "None yet.");
      return (
        <p className="truncate text-soft" title={message}>
          {visible(message)}
        </p>
      );
    },
  },
  { id: "attempts", head: "Attempts", align: "right", wide: true, cell: ({ attempts }) => count(attempts.length) },
  { id: "created", head: "When", align: "right", cell: ({ createdAt }) => <Time at={createdAt} /> },
];
