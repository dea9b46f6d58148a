import { useQuery } from "@tanstack/react-query";
import type { Connection } from "@rowmill/client";
import { useState } from "react";
import { ActionDialog } from "../../components/dialog.tsx";
import { Field, NumberField } from "../../components/field.tsx";
import { Notice } from "../../components/notice.tsx";
import { queries, rowmill } from "../../lib/client.ts";
import { useOnce } from "../../lib/once.ts";
import { plural } from "../../lib/format.ts";

const TYPES: Record<Connection["type"], { label: string; baseUrl: string; name: string }> = {
  openai_compatible: {
    label: "OpenAI, or a server that speaks its API",
    baseUrl: "https://api.openai.com/v1",
    name: "OpenAI",
  },
  anthropic: { label: "Anthropic", baseUrl: "https://api.anthropic.com/v1", name: "Anthropic" },
  http: { label: "HTTP service", baseUrl: "https://", name: "" },
};

const formOf = (connection: Connection | undefined, type: Connection["type"]) => {
  const prices = Object.entries(connection?.prices?.models ?? {})[0];
  return {
    name: connection?.name ?? TYPES[type].name,
    baseUrl: connection?.baseUrl ?? TYPES[type].baseUrl,
    secret: "",
    requests: String(connection?.rateLimit.requestsPerMinute ?? ""),
    tokens: String(connection?.rateLimit.tokensPerMinute ?? ""),
    model: prices?.[0] ?? "*",
    input: prices?.[1].inputUsdPerMillionTokens ?? "",
    output: prices?.[1].outputUsdPerMillionTokens ?? "",
    request: connection?.prices?.requestUsd ?? "",
    // Without a price, nothing can say what a run costs, and no budget can end one.
    usesList: connection === undefined || connection.priceList !== null,
  };
};
type Form = ReturnType<typeof formOf>;

/** What create and update have in common. Prices that the form does not show stay as they are. */
function bodyOf(form: Form, type: Connection["type"], connection: Connection | undefined, usesList: boolean) {
  const numberOrNull = (text: string): number | null => (text.trim() === "" ? null : Number(text));
  const hasPrices = type !== "http" && form.input !== "" && form.output !== "";
  const models = {
    ...connection?.prices?.models,
    [form.model.trim() || "*"]: { inputUsdPerMillionTokens: form.input, outputUsdPerMillionTokens: form.output },
  };
  return {
    name: form.name.trim(),
    baseUrl: form.baseUrl.trim(),
    ...(form.secret === "" ? {} : { secret: form.secret.trim() }),
    rateLimit: {
      requestsPerMinute: numberOrNull(form.requests),
      ...(type === "http" ? {} : { tokensPerMinute: numberOrNull(form.tokens) }),
    },
    ...(type === "http"
      ? form.request === ""
        ? {}
        : { prices: { requestUsd: form.request } }
      : usesList
        ? { prices: "list" as const }
        : hasPrices
          ? { prices: { models } }
          : {}),
  };
}

interface ConnectionDialogProps {
  connection?: Connection;
  types: Connection["type"][];
  onClose: () => void;
  onSaved: (connection: Connection) => void;
}

/** Makes a connection, or changes one: its secret is written and never read. What fails its test is corrected where it stands. */
export function ConnectionDialog({ connection: given, types, onClose, onSaved }: ConnectionDialogProps) {
  const [connection, setConnection] = useState(given);
  const first = connection?.type ?? types[0] ?? "openai_compatible";
  const [type, setType] = useState(first);
  const [form, setForm] = useState(() => formOf(connection, first));
  const list = usePriceList(form.baseUrl, type);
  const usesList = form.usesList && list !== undefined;
  const [refusal, setRefusal] = useState<string>();
  const set = (change: Partial<typeof form>): void => setForm({ ...form, ...change });

  const create = useCreate();
  async function save(): Promise<Connection> {
    const shared = bodyOf(form, type, connection, usesList);
    if (connection !== undefined) return rowmill.connections.update(connection.id, shared);
    return create({ type, ...shared } as NewConnection);
  }
  async function saveAndTest(): Promise<void> {
    setRefusal(undefined);
    const made = await save();
    await queries.invalidateQueries({ queryKey: ["connections"] });
    const { ok, message } = await rowmill.connections.test(made.id);
    onSaved(made);
    if (ok) return onClose();
    setConnection(made);
    setRefusal(message);
  }
  return (
    <ActionDialog
      title={given === undefined ? "New connection" : "Change the connection"}
      action={refusal === undefined ? "Save and test" : "Save and test again"}
      isReady={form.name.trim() !== ""}
      onAct={saveAndTest}
      onClose={onClose}
    >
      {connection === undefined && types.length > 1 && (
        <TypeField
          types={types}
          type={type}
          onChange={(next) => {
            setType(next);
            set({ baseUrl: TYPES[next].baseUrl, name: TYPES[next].name });
          }}
        />
      )}
      <Field label="Name">
        <input className="input" value={form.name} onChange={({ target }) => set({ name: target.value })} />
      </Field>
      <AddressField type={type} form={form} set={set} />
      <SecretField connection={connection} form={form} set={set} />
      <RateLimitFields type={type} form={form} set={set} />
      {list !== undefined && <PriceListField list={list} form={form} set={set} />}
      {(type === "http" || !usesList) && <PriceFields type={type} form={form} set={set} />}
      {refusal !== undefined && (
        <Notice tone="warn" title="Saved, but the test did not succeed. Correct the fields above, and test again.">
          {refusal}
        </Notice>
      )}
    </ActionDialog>
  );
}

type NewConnection = Parameters<typeof rowmill.connections.create>[0];

function useCreate(): (body: NewConnection) => Promise<Connection> {
  const once = useOnce();
  return (body) => once(body, (options) => rowmill.connections.create(body, options));
}

/** The list of prices that comes with this version, where it has those of the provider at the address. */
function usePriceList(baseUrl: string, type: Connection["type"]) {
  const { data: list } = useQuery({
    queryKey: ["model-prices"],
    queryFn: () => rowmill.request("GET", "/v1/model-prices"),
    staleTime: Infinity,
  });
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).host : "";
  const isListed = list?.providers.some((provider) => provider.host === host && provider.connectionType === type);
  return isListed === true ? list : undefined;
}

interface FieldsProps {
  type: Connection["type"];
  form: Form;
  set: (change: Partial<Form>) => void;
}

function TypeField({
  types,
  type,
  onChange,
}: {
  types: readonly Connection["type"][];
  type: Connection["type"];
  onChange: (type: Connection["type"]) => void;
}) {
  return (
    <Field label="To">
      <select className="input" value={type} onChange={({ target }) => onChange(target.value as Connection["type"])}>
        {types.map((option) => (
          <option key={option} value={option}>
            {TYPES[option].label}
          </option>
        ))}
      </select>
    </Field>
  );
}

function AddressField({ type, form, set }: FieldsProps) {
  return (
    <Field
      label="Address"
      hint={
        type === "openai_compatible"
          ? "A model on the machine of the service: http://127.0.0.1:11434/v1, where the operator allows it."
          : undefined
      }
    >
      <input
        className="input font-mono"
        value={form.baseUrl}
        spellCheck={false}
        onChange={({ target }) => set({ baseUrl: target.value })}
      />
    </Field>
  );
}

function SecretField({ connection, form, set }: Omit<FieldsProps, "type"> & { connection: Connection | undefined }) {
  return (
    <Field
      label="Secret"
      hint={
        connection?.hasSecret === true
          ? `Kept: ${connection.redactedSecret ?? "yes"}. Empty leaves it as it is.`
          : "API key or token. It is stored encrypted and never shown. Empty where the server needs none."
      }
    >
      <input
        className="input font-mono"
        type="password"
        autoComplete="off"
        value={form.secret}
        onChange={({ target }) => set({ secret: target.value })}
      />
    </Field>
  );
}

function RateLimitFields({ type, form, set }: FieldsProps) {
  return (
    <div className="grid grid-cols-2 gap-4">
      <NumberField
        label="Requests a minute"
        hint="Empty: as the provider allows."
        min={1}
        value={form.requests}
        onChange={(text) => set({ requests: text })}
      />
      {type !== "http" && (
        <NumberField label="Tokens a minute" min={1} value={form.tokens} onChange={(text) => set({ tokens: text })} />
      )}
    </div>
  );
}

function PriceListField({
  list,
  form,
  set,
}: Omit<FieldsProps, "type"> & { list: NonNullable<ReturnType<typeof usePriceList>> }) {
  return (
    <label className="flex items-start gap-2">
      <input
        type="checkbox"
        className="mt-0.5"
        checked={form.usesList}
        onChange={({ target }) => set({ usesList: target.checked })}
      />
      <span>
        Use the price list of this version
        <span className="block text-xs text-soft">
          Of {list.asOf}, {plural(list.ageDays, "day")} old: your provider's own page may say otherwise.
        </span>
      </span>
    </label>
  );
}

function PriceFields({ type, form, set }: FieldsProps) {
  if (type === "http")
    return (
      <Field label="Price of a request in US dollars" hint="Empty: requests count as free.">
        <input
          className="input"
          inputMode="decimal"
          placeholder="0.002"
          value={form.request}
          onChange={({ target }) => set({ request: target.value })}
        />
      </Field>
    );
  return (
    <fieldset className="grid grid-cols-3 gap-4">
      <legend className="mb-1.5 font-medium">Price in US dollars for a million tokens</legend>
      <Field label="Model" hint="* is any model without a price of its own.">
        <input className="input font-mono" value={form.model} onChange={({ target }) => set({ model: target.value })} />
      </Field>
      <Field label="Input">
        <input
          className="input"
          inputMode="decimal"
          placeholder="0.25"
          value={form.input}
          onChange={({ target }) => set({ input: target.value })}
        />
      </Field>
      <Field label="Output">
        <input
          className="input"
          inputMode="decimal"
          placeholder="2.00"
          value={form.output}
          onChange={({ target }) => set({ output: target.value })}
        />
      </Field>
    </fieldset>
  );
}
