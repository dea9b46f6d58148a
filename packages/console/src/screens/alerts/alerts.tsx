/** Alert rules: what somebody wants to know at once, and where. */
import { Link } from "@tanstack/react-router";
import type { AlertRule, AlertRuleWithSecret } from "@rowmill/client";
import { Plus } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { readRequest } from "../../lib/request.ts";
import { More, Table } from "../../components/table.tsx";
import { ListStatus } from "../../components/loading.tsx";
import { Empty, Page } from "../../components/page.tsx";
import { State } from "../../components/state.tsx";
import type { Column } from "../../components/table.tsx";
import { describeDestination, describeTrigger, placeName } from "../../lib/alerts.ts";
import { rowmill } from "../../lib/client.ts";
import { visible } from "../../lib/format.ts";
import { useList } from "../../lib/lists.ts";
import { useMay } from "../../lib/session.ts";
import { bind, screens } from "../../lib/screen-keys.ts";
import { useShortcuts } from "../../lib/shortcuts.ts";
import { RuleDialog } from "./rule-dialog.tsx";
import { RuleSecret } from "./rule-secret.tsx";

export function Alerts() {
  const mayWrite = useMay("alerts:write");
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<AlertRuleWithSecret | null>(null);
  const list = useList<AlertRule>(["alerts", "list"], (cursor) => rowmill.alertRules.list({ cursor, limit: 200 }));
  useShortcuts(mayWrite ? [bind(screens.alerts.keys.create, () => setMaking(true))] : []);
  const create = mayWrite && (
    <Button look="primary" icon={Plus} onClick={() => setMaking(true)}>
      New rule
    </Button>
  );
  return (
    <Page
      title="Alerts"
      tabTitle="Alerts"
      request={readRequest("v1/alert-rules", "alertRules.list")}
      lead="A rule reports the events that matter to people: by Slack, e-mail or a webhook, with quiet minutes between alerts."
      actions={list.items.length > 0 && create}
    >
      <ListStatus list={list} />
      {list.items.length > 0 && (
        <Table label="Alert rules" items={list.items} keyOf={({ id }) => id} columns={COLUMNS} />
      )}
      {list.items.length === 0 && !list.isLoading && list.error === null && (
        <Empty title="No rules yet." actions={create}>
          For example: notify the channel when a run fails, or when a hundred rows have failed within ten minutes. Each
          rule shows first what it would have done with the events of the last days.
        </Empty>
      )}
      <More list={list} />
      {isMaking && (
        <RuleDialog
          onClose={() => setMaking(false)}
          onSaved={(rule) => {
            list.showNew();
            setMade(rule);
          }}
        />
      )}
      {made !== null && <RuleSecret rule={made} onClose={() => setMade(null)} />}
    </Page>
  );
}

const COLUMNS: Column<AlertRule>[] = [
  {
    id: "name",
    head: "Rule",
    className: "max-w-sm",
    cell: ({ id, name, filterError, eventType, trigger, enabled, destination }) => (
      <>
        <Link
          to="/alerts/$alertRuleId"
          params={{ alertRuleId: id }}
          className="font-medium [overflow-wrap:anywhere] hover:underline"
        >
          {visible(name)}
        </Link>
        {filterError !== null && <p className="text-xs text-warn">The filter could not be evaluated.</p>}
        <div className="text-xs md:hidden">
          <p className="text-soft">
            <code className="font-mono">{eventType}</code>
            {trigger.type === "count" && ` ${describeTrigger(trigger)}`} → {placeName(destination.type)}
          </p>
          <State state={enabled ? "enabled" : "disabled"} />
        </div>
      </>
    ),
  },
  {
    id: "on",
    head: "On",
    wide: true,
    className: "max-w-sm",
    cell: ({ eventType, filter, trigger }) => (
      <>
        <p>
          <code className="font-mono text-xs">{eventType}</code>
          {trigger.type === "count" && <span className="text-soft"> {describeTrigger(trigger)}</span>}
        </p>
        {filter !== null && <p className="truncate font-mono text-xs text-soft">{visible(filter)}</p>}
      </>
    ),
  },
  {
    id: "to",
    head: "To",
    wide: true,
    className: "max-w-xs",
    cell: ({ destination }) => (
      <>
        <p>{placeName(destination.type)}</p>
        <p className="truncate text-xs text-soft">{visible(describeDestination(destination))}</p>
      </>
    ),
  },
  { id: "state", head: "State", wide: true, cell: ({ enabled }) => <State state={enabled ? "enabled" : "disabled"} /> },
];
