/** Makes a rule, or changes one; beside it stands what it would have done in the last days. */
import { useQuery } from "@tanstack/react-query";
import type { AlertRule, AlertRuleWithSecret } from "@rowmill/client";
import { useState } from "react";
import { ActionDialog } from "../../components/dialog.tsx";
import { Choice, Field, NumberField } from "../../components/field.tsx";
import { COMMON_TYPES, destinationTypes, placeName } from "../../lib/alerts.ts";
import type { Destination } from "../../lib/alerts.ts";
import { queries, rowmill } from "../../lib/client.ts";
import { useOnce } from "../../lib/once.ts";
import { plain } from "../../lib/format.ts";
import { serviceQuery } from "../../lib/service.ts";
import { eventTypesQuery } from "../../lib/webhooks.ts";
import { Preview } from "./preview.tsx";
import { conditionOf, destinationOf, formOf } from "./rule-form.ts";
import type { RuleForm } from "./rule-form.ts";

const ADDRESSES: Record<Destination["type"], { label: string; placeholder: string }> = {
  slack: { label: "Incoming webhook of Slack", placeholder: "https://hooks.slack.com/services/…" },
  webhook: { label: "URL", placeholder: "https://hooks.example.com/alerts" },
  email: { label: "Addresses", placeholder: "on-call@example.com, ada@example.com" },
};

interface RuleDialogProps {
  rule?: AlertRule;
  onClose: () => void;
  onSaved: (rule: AlertRuleWithSecret) => void;
}

export function RuleDialog({ rule, onClose, onSaved }: RuleDialogProps) {
  const [form, setForm] = useState(() => formOf(rule));
  const set = (change: Partial<RuleForm>): void => setForm({ ...form, ...change });
  const keepsAddress = rule !== undefined && rule.destination.type === form.place && form.address.trim() === "";
  const once = useOnce();
  function save(): Promise<AlertRuleWithSecret> {
    const body = { name: form.name.trim(), ...conditionOf(form) };
    if (rule === undefined) {
      const whole = { ...body, destination: destinationOf(form) };
      return once(whole, (options) => rowmill.alertRules.create(whole, options));
    }
    return rowmill.alertRules.update(rule.id, {
      ...body,
      ...(keepsAddress ? {} : { destination: destinationOf(form) }),
    });
  }
  async function saveAndClose(): Promise<void> {
    const saved = await save();
    await queries.invalidateQueries({ queryKey: ["alerts"] });
    onClose();
    onSaved(saved);
  }
  return (
    <ActionDialog
      title={rule === undefined ? "New alert rule" : "Change the rule"}
      width="max-w-4xl"
      action={rule === undefined ? "Create" : "Save"}
      isReady={form.name.trim() !== "" && (form.address.trim() !== "" || keepsAddress)}
      onAct={saveAndClose}
      onClose={onClose}
    >
      <div className="grid gap-6 md:grid-cols-[1fr_minmax(0,320px)]">
        <div className="flex min-w-0 flex-col gap-4">
          <Field label="Name" hint="The title of its alerts.">
            <input
              className="input"
              autoFocus
              maxLength={200}
              placeholder="Runs that fail"
              value={form.name}
              onChange={({ target }) => set({ name: target.value })}
            />
          </Field>
          <ConditionFields form={form} set={set} />
          <DestinationFields rule={rule} form={form} set={set} />
        </div>
        <Preview
          condition={conditionOf(form)}
          onInsert={(path) => set({ filter: form.filter === "" ? path : `${form.filter} ${path}` })}
        />
      </div>
    </ActionDialog>
  );
}

interface FieldsProps {
  form: RuleForm;
  set: (change: Partial<RuleForm>) => void;
}

function DestinationFields({ rule, form, set }: FieldsProps & { rule: AlertRule | undefined }) {
  const { data: service } = useQuery(serviceQuery);
  const { label, placeholder } = ADDRESSES[form.place];
  return (
    <>
      <Choice
        label="To"
        value={form.place}
        onChange={(place) => set({ place, address: "" })}
        options={destinationTypes.map((type) => [type, placeName(type)] as const)}
      />
      <Field
        label={label}
        hint={
          form.place === "email" && service?.sendsMail === false
            ? "This service has no mail server: the operator sets one up."
            : rule !== undefined && rule.destination.type === form.place && rule.destination.type !== "email"
              ? `Now ${rule.destination.url}. Empty leaves it as it is.`
              : undefined
        }
      >
        <input
          className={`input ${form.place === "email" ? "" : "font-mono"}`}
          spellCheck={false}
          placeholder={placeholder}
          value={form.address}
          onChange={({ target }) => set({ address: target.value })}
        />
      </Field>
    </>
  );
}

/** On which events, and on how many of them, it sends an alert. */
function ConditionFields({ form, set }: FieldsProps) {
  return (
    <>
      <EventTypeField form={form} set={set} />
      <Field
        label="Only if (CEL)"
        hint="An expression over the event. Empty: every event of the type. Click a member of the sample to insert it."
      >
        <textarea
          className="input font-mono text-[13px]"
          rows={2}
          spellCheck={false}
          placeholder="event.data.reason == 'budget_exhausted'"
          value={form.filter}
          onChange={({ target }) => set({ filter: target.value })}
        />
      </Field>
      <Choice
        label="Alert"
        value={form.trigger}
        onChange={(trigger) => set({ trigger })}
        options={[
          ["each", "At each event"],
          ["count", "At many"],
        ]}
      />
      {form.trigger === "count" && (
        <div className="grid grid-cols-2 gap-4">
          <NumberField label="Events" min={1} value={form.count} onChange={(text) => set({ count: text })} />
          <NumberField
            label="Within minutes"
            min={1}
            max={1440}
            value={form.minutes}
            onChange={(text) => set({ minutes: text })}
          />
        </div>
      )}
      <NumberField
        label="Quiet minutes after an alert"
        hint="Further alerts are counted, and not sent."
        className="max-w-60"
        min={0}
        max={10_080}
        value={form.cooldownMinutes}
        onChange={(text) => set({ cooldownMinutes: text })}
      />
    </>
  );
}

function EventTypeField({ form, set }: FieldsProps) {
  const { data: types = [] } = useQuery(eventTypesQuery);
  const others = types.filter(
    ({ type, deliverable }) => deliverable && type !== "test.ping" && !COMMON_TYPES.includes(type),
  );
  return (
    <Field label="On the event" hint={plain(types.find(({ type }) => type === form.eventType)?.meaning ?? "")}>
      <select className="input" value={form.eventType} onChange={({ target }) => set({ eventType: target.value })}>
        <optgroup label="Most used">
          {COMMON_TYPES.map((type) => (
            <option key={type}>{type}</option>
          ))}
        </optgroup>
        <optgroup label="Others">
          {others.map(({ type }) => (
            <option key={type}>{type}</option>
          ))}
        </optgroup>
      </select>
    </Field>
  );
}
