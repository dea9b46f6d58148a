/** A new key: for what, what it may do, and until when. */
import { serviceNow } from "../../lib/clock.ts";
import type { Body, CreatedApiKey } from "@rowmill/client";
import { useMemo, useState } from "react";
import { ActionDialog } from "../../components/dialog.tsx";
import { ShownOnce } from "../../components/shown-once.tsx";
import { Choice, Field, NumberField } from "../../components/field.tsx";
import { queries, rowmill } from "../../lib/client.ts";
import { useOnce } from "../../lib/once.ts";
import { words } from "../../lib/format.ts";
import { accessOf, scopesOf, wordsOf } from "../../lib/keys.ts";
import type { Access } from "../../lib/keys.ts";
import { useSession } from "../../lib/session.ts";

type Preset = "usual" | "read" | "chosen";
const DAY_MS = 86_400_000;
const EXPIRIES = { "": "Never", "7": "In a week", "30": "In 30 days", "90": "In 90 days", "365": "In a year" } as const;
/** What programs rarely need, and what makes a stolen key worse. */
const RARE = ["api_keys", "invitations", "organization"];
const PRESETS = [
  ["usual", "Work with everything"],
  ["read", "Only read"],
  ["chosen", "Choose"],
] as const;
const NOTES = {
  usual:
    "Datasets, job specs, runs and all that belongs to them. It makes no keys, invites nobody, and does not change the organization.",
  read: "It changes nothing and starts nothing.",
} as const;

export function KeyDialog({ onClose }: { onClose: () => void }) {
  const { scopes: own } = useSession();
  const mine = accessOf(own);
  const [name, setName] = useState("");
  const [days, setDays] = useState("90");
  const [limit, setLimit] = useState("");
  const [preset, setPreset] = useState<Preset>("usual");
  const [chosen, setChosen] = useState<ReadonlyMap<string, Access>>(new Map());
  const [made, setMade] = useState<CreatedApiKey | null>(null);
  const access = preset === "chosen" ? chosen : accessFor(preset, mine);
  const scopes = scopesOf(access);
  const make = useMake();
  const expiry = useExpiry(days);
  async function create(): Promise<void> {
    const rate = limit === "" ? {} : { requestsPerMinute: Number(limit) };
    setMade(await make({ name: name.trim(), scopes, ...expiry, ...rate }));
    await queries.invalidateQueries({ queryKey: ["members"] });
  }
  function choose(next: Preset): void {
    if (next === "chosen") setChosen(access);
    setPreset(next);
  }
  if (made?.key !== undefined) return <MadeKey name={made.name} apiKey={made.key} onClose={onClose} />;
  return (
    <ActionDialog
      title="New API key"
      action="Make the key"
      isReady={name.trim() !== "" && scopes.length > 0}
      onAct={create}
      onClose={onClose}
    >
      <NameField name={name} onChange={setName} />
      <div className="grid gap-4 sm:grid-cols-2">
        <ExpiryField days={days} onChange={setDays} />
        <NumberField
          label="Requests a minute"
          hint="Empty: the organization's limit."
          min={1}
          value={limit}
          onChange={(text) => setLimit(text)}
        />
      </div>
      <Choice label="It may" value={preset} onChange={choose} options={PRESETS} />
      {preset === "chosen" ? (
        <AccessFields
          mine={mine}
          chosen={chosen}
          onChange={(resource, level) => setChosen(new Map(chosen).set(resource, level))}
        />
      ) : (
        <p className="text-soft">{NOTES[preset]}</p>
      )}
    </ActionDialog>
  );
}

function useMake(): (body: Body<"createApiKey">) => Promise<CreatedApiKey> {
  const { organizationId } = useSession();
  const once = useOnce();
  const { apiKeys } = rowmill.organizations;
  return (body) => once(body, (options) => apiKeys.create(organizationId ?? "", body, options));
}

/** From when it was chosen, and not from when the button is pressed: the same again is the same key. */
function useExpiry(days: string): Pick<Body<"createApiKey">, "expiresAt"> {
  const chosenAt = useMemo(serviceNow, [days]);
  return days === "" ? {} : { expiresAt: new Date(chosenAt + Number(days) * DAY_MS).toISOString() };
}

function MadeKey({ name, apiKey, onClose }: { name: string; apiKey: string; onClose: () => void }) {
  return (
    <ShownOnce title={`The key “${name}”`} name="API key" value={apiKey} onClose={onClose}>
      It is shown this once. Programs send it as <code className="font-mono">Authorization: Bearer …</code>
    </ShownOnce>
  );
}

function NameField({ name, onChange }: { name: string; onChange: (name: string) => void }) {
  return (
    <Field label="Name" hint="What it is for: the list and the audit show it.">
      <input
        className="input"
        autoFocus
        maxLength={200}
        placeholder="Nightly import"
        value={name}
        onChange={({ target }) => onChange(target.value)}
      />
    </Field>
  );
}

function ExpiryField({ days, onChange }: { days: string; onChange: (days: string) => void }) {
  return (
    <Field label="Expires">
      <select className="input" value={days} onChange={({ target }) => onChange(target.value)}>
        {Object.entries(EXPIRIES)
          .toSorted(([a], [b]) => (Number(a) || Infinity) - (Number(b) || Infinity))
          .map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
      </select>
    </Field>
  );
}

/** What the key may do with each kind of resource that its maker may read. */
function AccessFields({
  mine,
  chosen,
  onChange,
}: {
  mine: ReadonlyMap<string, Access>;
  chosen: ReadonlyMap<string, Access>;
  onChange: (resource: string, level: Access) => void;
}) {
  return (
    <ul className="grid gap-x-6 gap-y-2 sm:grid-cols-2">
      {[...mine].map(([resource, most]) => (
        <li key={resource} className="flex items-center justify-between gap-3">
          <span>{words(wordsOf(resource))}</span>
          <select
            aria-label={words(wordsOf(resource))}
            className="input w-28!"
            value={chosen.get(resource) ?? "none"}
            onChange={({ target }) => onChange(resource, target.value as Access)}
          >
            <option value="none">–</option>
            <option value="read">Read</option>
            {most === "write" && <option value="write">Change</option>}
          </select>
        </li>
      ))}
    </ul>
  );
}

/** No key gives more than its maker has. */
const accessFor = (preset: "usual" | "read", mine: ReadonlyMap<string, Access>): ReadonlyMap<string, Access> =>
  new Map([...mine].map(([name, level]) => [name, preset === "read" || RARE.includes(name) ? "read" : level]));
