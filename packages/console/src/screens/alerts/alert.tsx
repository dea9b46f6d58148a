/** One rule: what it watches, where it reports, and what it has sent. */
import { useMutation, useSuspenseQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import type { AlertRuleWithSecret } from "@rowmill/client";
import { Ellipsis, KeyRound, Pencil, Power, Send, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { Confirm } from "../../components/confirm.tsx";
import { Facts } from "../../components/facts.tsx";
import { Menu } from "../../components/menu.tsx";
import type { MenuItem } from "../../components/menu.tsx";
import { ErrorNotice, Notice, readError } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import { State } from "../../components/state.tsx";
import { Time } from "../../components/time.tsx";
import { toast } from "../../components/toast.tsx";
import { describeDestination, describeTrigger, placeName, ruleQuery } from "../../lib/alerts.ts";
import { queries, rowmill } from "../../lib/client.ts";
import { duration, visible } from "../../lib/format.ts";
import { useMay } from "../../lib/session.ts";
import { useShortcuts } from "../../lib/shortcuts.ts";
import { AlertDeliveries } from "./deliveries.tsx";
import { RuleDialog } from "./rule-dialog.tsx";
import { RuleSecret } from "./rule-secret.tsx";

export function AlertScreen() {
  const { alertRuleId: id } = useParams({ from: "/frame/alerts/$alertRuleId" });
  const { data: rule } = useSuspenseQuery(ruleQuery(id));
  const mayWrite = useMay("alerts:write");
  const navigate = useNavigate();
  const [open, setOpen] = useState<"edit" | "rotate" | "delete" | null>(null);
  const [made, setMade] = useState<AlertRuleWithSecret | null>(null);
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: ["alerts"] });
  const enable = useMutation({
    mutationFn: (enabled: boolean) => rowmill.alertRules.update(id, { enabled }),
    onSuccess: refresh,
    onError: (problem) => toast(readError(problem).title, "bad"),
  });
  const test = useMutation({ mutationFn: () => rowmill.alertRules.test(id), onSettled: refresh });
  useShortcuts(
    mayWrite
      ? [
          { keys: "t", label: "Send a test alert", run: () => test.mutate() },
          { keys: "e", label: "Change the rule", run: () => setOpen("edit") },
        ]
      : [],
  );
  const items: MenuItem[] = [
    { label: "Change", icon: Pencil, run: () => setOpen("edit") },
    ...(rule.destination.type === "webhook"
      ? [{ label: "Rotate the secret", icon: KeyRound, run: () => setOpen("rotate") }]
      : []),
    { label: rule.enabled ? "Disable" : "Enable", icon: Power, run: () => enable.mutate(!rule.enabled) },
    { label: "Delete", icon: Trash2, isDanger: true, run: () => setOpen("delete") },
  ];
  return (
    <Page
      trail={
        <Link to="/alerts" className="hover:underline">
          Alerts
        </Link>
      }
      title={visible(rule.name)}
      tabTitle={rule.name}
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
      {!rule.enabled && (
        <Notice
          tone="info"
          title="This rule is disabled."
          actions={mayWrite && <Button onClick={() => enable.mutate(true)}>Enable</Button>}
        >
          Events of the meantime become no alerts.
        </Notice>
      )}
      {rule.filterError !== null && (
        <Notice tone="warn" title="The filter could not be evaluated.">
          {visible(rule.filterError.message)} The event counted as one that does not match,{" "}
          <Time at={rule.filterError.at} />.
        </Notice>
      )}
      {test.data !== undefined && (
        <Notice
          tone={test.data.status === "succeeded" ? "good" : "bad"}
          title={test.data.attempts[0]?.message ?? "The test was sent."}
        />
      )}
      {test.error !== null && <ErrorNotice error={test.error} />}
      <div className="card px-5 py-4">
        <Facts
          across
          facts={[
            ["State", <State key="state" state={rule.enabled ? "enabled" : "disabled"} />],
            [
              "Event",
              <code key="event" className="font-mono text-xs">
                {rule.eventType}
              </code>,
            ],
            [
              "Only if",
              rule.filter === null ? undefined : (
                <code key="filter" className="font-mono text-xs">
                  {visible(rule.filter)}
                </code>
              ),
            ],
            ["Alerts", describeTrigger(rule.trigger)],
            ["Then quiet", rule.cooldownSeconds === 0 ? "not at all" : `for ${duration(rule.cooldownSeconds)}`],
            ["To", `${placeName(rule.destination.type)}: ${visible(describeDestination(rule.destination))}`],
            ["Changed", <Time key="changed" at={rule.updatedAt} />],
          ]}
        />
      </div>
      <AlertDeliveries ruleId={id} />
      {open === "edit" && <RuleDialog rule={rule} onClose={() => setOpen(null)} onSaved={setMade} />}
      {open === "rotate" && (
        <Confirm
          title="Rotate the signing secret?"
          action="Rotate"
          onClose={() => setOpen(null)}
          onConfirm={async () => setMade(await rowmill.alertRules.rotateSecret(id))}
        >
          The new secret signs at once. For 24 hours the header <code className="font-mono">webhook-signature</code>{" "}
          also carries the old one.
        </Confirm>
      )}
      {made !== null && <RuleSecret rule={made} onClose={() => setMade(null)} />}
      {open === "delete" && (
        <Confirm
          title="Delete this rule?"
          action="Delete the rule"
          onClose={() => setOpen(null)}
          onConfirm={async () => {
            await rowmill.alertRules.delete(id);
            await navigate({ to: "/alerts" });
            await refresh();
          }}
        >
          No further alerts are sent, also none that wait. The records of its alerts stay.
        </Confirm>
      )}
    </Page>
  );
}
