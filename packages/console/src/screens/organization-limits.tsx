/** The limits of one organization, set by the operator. */
import type { Organization } from "@rowmill/client";
import { useState } from "react";
import { ActionDialog } from "../components/dialog.tsx";
import { NumberField } from "../components/field.tsx";
import { queries, rowmill } from "../lib/client.ts";
import { bytes, count } from "../lib/format.ts";

const LIMITS = {
  storageBytes: "Storage in GB",
  runsInProgress: "Runs in progress",
  rowsPerRun: "Rows a run",
  requestsPerMinute: "API requests a minute",
  webhookEndpoints: "Webhook endpoints",
  apiKeys: "Active API keys",
} as const;
type Name = keyof typeof LIMITS;
const names = Object.keys(LIMITS) as Name[];
const GB = 1_000_000_000;

const textOf = (name: Name, value: number | null | undefined): string =>
  value === null || value === undefined ? "" : String(name === "storageBytes" ? value / GB : value);
const valueOf = (name: Name, text: string): number | null =>
  text.trim() === "" ? null : Math.round(Number(text) * (name === "storageBytes" ? GB : 1));

export function OrganizationLimits({ organization, onClose }: { organization: Organization; onClose: () => void }) {
  const { limits, usage } = organization;
  const [form, setForm] = useState<Record<Name, string>>(
    () => Object.fromEntries(names.map((name) => [name, textOf(name, limits[name])])) as Record<Name, string>, // of all names
  );
  const used: Partial<Record<Name, string>> = {
    storageBytes: bytes(usage.storageBytes),
    runsInProgress: count(usage.runsInProgress),
    webhookEndpoints: count(usage.webhookEndpoints),
    apiKeys: count(usage.apiKeys),
  };
  const changed = names.filter((name) => form[name] !== textOf(name, limits[name]));
  async function save(): Promise<void> {
    await rowmill.organizations.update(organization.id, {
      limits: Object.fromEntries(changed.map((name) => [name, valueOf(name, form[name])])),
    });
    await queries.invalidateQueries({ queryKey: ["organizations"] });
    onClose();
  }
  return (
    <ActionDialog
      title={`Limits of ${organization.name}`}
      action="Save"
      isReady={changed.length > 0}
      onAct={save}
      onClose={onClose}
    >
      <p className="text-soft">What is empty has the default of the service. A lower limit deletes nothing.</p>
      <div className="grid gap-4 sm:grid-cols-2">
        {names.map((name) => (
          <NumberField
            key={name}
            label={LIMITS[name]}
            hint={used[name] === undefined ? undefined : `${used[name]} in use`}
            min={0}
            step={name === "storageBytes" ? "any" : 1}
            placeholder="No limit"
            value={form[name]}
            onChange={(text) => setForm({ ...form, [name]: text })}
          />
        ))}
      </div>
    </ActionDialog>
  );
}
