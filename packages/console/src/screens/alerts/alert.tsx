/** One rule: what it watches, where it reports, and what it has sent. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { AlertRule, AlertRuleWithSecret } from "@rowmill/client";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { readRequest } from "../../lib/request.ts";
import { Facts } from "../../components/facts.tsx";
import { Notice } from "../../components/notice.tsx";
import { State } from "../../components/state.tsx";
import { Time } from "../../components/time.tsx";
import { describeDestination, describeTrigger, placeName, ruleQuery } from "../../lib/alerts.ts";
import { rowmill } from "../../lib/client.ts";
import { duration, visible } from "../../lib/format.ts";
import { screens } from "../../lib/screen-keys.ts";
import { useMay } from "../../lib/session.ts";
import { ReceiverScreen } from "../receiver-screen.tsx";
import { AlertDeliveries } from "./alert-deliveries.tsx";
import { RuleDialog } from "./rule-dialog.tsx";
import { RuleSecret } from "./rule-secret.tsx";

export function AlertScreen() {
  const { alertRuleId: id } = useParams({ from: "/frame/alerts/$alertRuleId" });
  const { data: rule } = useSuspenseQuery(ruleQuery(id));
  const mayWrite = useMay("alerts:write");
  const [made, setMade] = useState<AlertRuleWithSecret | null>(null);
  const hasSecret = rule.destination.type === "webhook";
  return (
    <ReceiverScreen
      noun="rule"
      list={{ to: "/alerts", label: "Alerts", queryKey: "alerts" }}
      id={id}
      head={{ title: visible(rule.name), tabTitle: rule.name }}
      isEnabled={rule.enabled}
      mayWrite={mayWrite}
      request={readRequest(`v1/alert-rules/${id}`, "alertRules.get", { ids: [id], isOne: true })}
      keys={screens.alert.keys}
      test={{ send: async () => rowmill.alertRules.test(id) }}
      setEnabled={async (enabled) => rowmill.alertRules.update(id, { enabled })}
      {...(hasSecret && { rotate: async () => setMade(await rowmill.alertRules.rotateSecret(id)) })}
      remove={async () => rowmill.alertRules.delete(id)}
      removal="No further alerts are sent, also none that wait. The records of its alerts stay."
      edit={(onClose) => <RuleDialog rule={rule} onClose={onClose} onSaved={setMade} />}
      trouble={({ run, isBusy }) => <Trouble rule={rule} mayWrite={mayWrite} isBusy={isBusy} onEnable={run} />}
    >
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
            ["Quiet after an alert", rule.cooldownSeconds === 0 ? "no" : `for ${duration(rule.cooldownSeconds)}`],
            ["To", `${placeName(rule.destination.type)}: ${visible(describeDestination(rule.destination))}`],
            ["Changed", <Time key="changed" at={rule.updatedAt} />],
          ]}
        />
      </div>
      <AlertDeliveries ruleId={id} />
      {made !== null && <RuleSecret rule={made} onClose={() => setMade(null)} />}
    </ReceiverScreen>
  );
}

function Trouble({
  rule,
  mayWrite,
  isBusy,
  onEnable,
}: {
  rule: AlertRule;
  mayWrite: boolean;
  isBusy: boolean;
  onEnable: () => void;
}) {
  return (
    <>
      {!rule.enabled && (
        <Notice
          tone="info"
          title="This rule is disabled."
          actions={
            mayWrite && (
              <Button look="primary" isBusy={isBusy} onClick={onEnable}>
                Enable
              </Button>
            )
          }
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
    </>
  );
}
