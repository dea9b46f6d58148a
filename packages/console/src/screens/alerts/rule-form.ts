/** What the dialog of a rule asks for, and the rule that it makes. */
import type { AlertRule } from "@rowmill/client";
import type { Destination, RuleBody } from "../../lib/alerts.ts";

export interface RuleForm {
  name: string;
  eventType: string;
  filter: string;
  trigger: "each" | "count";
  count: string;
  minutes: string;
  cooldownMinutes: string;
  place: Destination["type"];
  /** A URL, or addresses with commas. Empty: as it is. */
  address: string;
}

export const formOf = (rule: AlertRule | undefined): RuleForm => ({
  name: rule?.name ?? "",
  eventType: rule?.eventType ?? "run.failed",
  filter: rule?.filter ?? "",
  trigger: rule?.trigger.type ?? "each",
  count: String(rule?.trigger.type === "count" ? rule.trigger.count : 100),
  minutes: String(rule?.trigger.type === "count" ? rule.trigger.windowSeconds / 60 : 10),
  cooldownMinutes: String((rule?.cooldownSeconds ?? 300) / 60),
  place: rule?.destination.type ?? "slack",
  address: rule?.destination.type === "email" ? rule.destination.to.join(", ") : "",
});

const seconds = (minutes: string): number => Math.round(Number(minutes) * 60);

/** What a preview needs, too. */
export const conditionOf = (
  form: RuleForm,
): Pick<RuleBody, "eventType" | "filter" | "trigger" | "cooldownSeconds"> => ({
  eventType: form.eventType,
  filter: form.filter.trim() === "" ? null : form.filter.trim(),
  trigger:
    form.trigger === "each"
      ? { type: "each" }
      : { type: "count", count: Number(form.count), windowSeconds: seconds(form.minutes) },
  cooldownSeconds: seconds(form.cooldownMinutes),
});

export const destinationOf = ({ place, address }: RuleForm): Destination =>
  place === "email"
    ? {
        type: place,
        to: address
          .split(/[\s,;]+/)
          .map((text) => text.trim())
          .filter((text) => text !== ""),
      }
    : { type: place, url: address.trim() };
