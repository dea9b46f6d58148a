import type { AlertRuleWithSecret } from "@rowmill/client";
import { ShownOnce } from "../../components/shown-once.tsx";

/** Of a rule whose destination is a webhook, when its secret was just made; otherwise nothing. */
export function RuleSecret({ rule, onClose }: { rule: AlertRuleWithSecret; onClose: () => void }) {
  if (rule.signingSecret === null || rule.signingSecret === undefined) return null;
  return (
    <ShownOnce title="The rule's signing secret" name="signing secret" value={rule.signingSecret} onClose={onClose}>
      It is shown this once. The receiver verifies alerts with it, as it does webhooks; if it is lost, rotate it.
    </ShownOnce>
  );
}
