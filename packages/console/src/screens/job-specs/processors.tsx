/** One form for each processor. */
import { useQuery } from "@tanstack/react-query";
import type { Connection, ConnectionTest } from "@rowmill/client";
import { Plus } from "lucide-react";
import { useId, useState } from "react";
import { Button } from "../../components/button.tsx";
import { Field } from "../../components/field.tsx";
import { TemplateField } from "../../components/template.tsx";
import { rowmill } from "../../lib/client.ts";
import type { Processor } from "../../lib/specs.ts";
import { ConnectionDialog } from "../connections/connection-dialog.tsx";
import { SchemaField } from "./schema-field.tsx";

type Of<T extends Processor["type"]> = Extract<Processor, { type: T }>;
interface FormProps<T extends Processor["type"]> {
  processor: Of<T>;
  onChange: (processor: Of<T>) => void;
  columns: readonly string[] | undefined;
}

export function ProcessorForm({
  processor,
  onChange,
  columns,
}: {
  processor: Processor;
  onChange: (processor: Processor) => void;
  columns: readonly string[] | undefined;
}) {
  switch (processor.type) {
    case "llm":
      return <Llm processor={processor} onChange={onChange} columns={columns} />;
    case "http":
      return <Http processor={processor} onChange={onChange} columns={columns} />;
    case "transform":
      return <Transform processor={processor} onChange={onChange} columns={columns} />;
    case "mock":
      return <Mock processor={processor} onChange={onChange} columns={columns} />;
  }
}

function ConnectionField({
  value,
  types,
  optional = false,
  onChange,
}: {
  value: string;
  types: Connection["type"][];
  optional?: boolean;
  onChange: (id: string) => void;
}) {
  const [isMaking, setMaking] = useState(false);
  const { data = [] } = useQuery({
    queryKey: ["connections", "choice"],
    queryFn: async () => (await rowmill.connections.list({ limit: 200 })).data,
  });
  const id = useId();
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        Connection
      </label>
      <div className="flex gap-2">
        <select id={id} className="input min-w-0" value={value} onChange={({ target }) => onChange(target.value)}>
          <option value="">{optional ? "None: the URL is absolute" : "Choose a connection"}</option>
          {data
            .filter(({ type }) => types.includes(type))
            .map((connection) => (
              <option key={connection.id} value={connection.id}>
                {connection.name}
              </option>
            ))}
        </select>
        <Button icon={Plus} label="New connection" onClick={() => setMaking(true)} />
      </div>
      {isMaking && (
        <ConnectionDialog types={types} onClose={() => setMaking(false)} onSaved={(made) => onChange(made.id)} />
      )}
    </div>
  );
}

function ModelField({
  connectionId,
  value,
  onChange,
}: {
  connectionId: string;
  value: string;
  onChange: (model: string) => void;
}) {
  const list = useId();
  const { data } = useQuery<ConnectionTest>({
    queryKey: ["connections", connectionId, "models"],
    queryFn: () => rowmill.connections.test(connectionId),
    enabled: connectionId !== "",
    staleTime: Infinity,
    retry: false,
  });
  return (
    <>
      <Field
        label="Model"
        hint={
          data === undefined
            ? undefined
            : data.ok
              ? (data.models?.length ?? 0) > 0
                ? `${data.models?.length} models found.`
                : undefined
              : data.message
        }
      >
        <input
          className="input font-mono"
          list={list}
          value={value}
          placeholder="gpt-5-mini"
          spellCheck={false}
          onChange={({ target }) => onChange(target.value)}
        />
      </Field>
      <datalist id={list}>
        {data?.models?.map((model) => (
          <option key={model} value={model} />
        ))}
      </datalist>
    </>
  );
}

function Llm({ processor, onChange, columns }: FormProps<"llm">) {
  const set = (change: Partial<Of<"llm">>): void => onChange({ ...processor, ...change });
  const textOf = (role: "system" | "user"): string => {
    const content = processor.messages.find((message) => message.role === role)?.content;
    return typeof content === "string" ? content : "";
  };
  // What the form cannot show is kept: further turns, and parts with images.
  const isPlain =
    processor.messages.every(({ role, content }) => role !== "assistant" && typeof content === "string") &&
    processor.messages.length <= 2;
  const write = (role: "system" | "user", content: string): void => {
    const other = (name: "system" | "user") => (name === role ? content : textOf(name));
    set({
      messages: [
        ...(other("system") === "" ? [] : [{ role: "system" as const, content: other("system") }]),
        { role: "user", content: other("user") },
      ],
    });
  };
  const setParameters = (change: NonNullable<Of<"llm">["parameters"]>): void => {
    const merged = Object.fromEntries(
      Object.entries({ ...processor.parameters, ...change }).filter(([, value]) => value !== undefined),
    );
    const { parameters: _, ...rest } = processor;
    onChange(Object.keys(merged).length === 0 ? rest : { ...rest, parameters: merged });
  };
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <ConnectionField
          value={processor.connection}
          types={["openai_compatible", "anthropic"]}
          onChange={(connection) => set({ connection })}
        />
        <ModelField connectionId={processor.connection} value={processor.model} onChange={(model) => set({ model })} />
      </div>
      {isPlain ? (
        <>
          <Field label="Instructions" hint="The same for every row. May be empty.">
            <TemplateField
              value={textOf("system")}
              onChange={(text) => write("system", text)}
              columns={columns}
              rows={2}
            />
          </Field>
          <Field label="Prompt" hint="Sent for each row, with its values in place of the columns.">
            <TemplateField
              value={textOf("user")}
              onChange={(text) => write("user", text)}
              columns={columns}
              rows={5}
              placeholder="Label this review: {{row.review}}"
            />
          </Field>
        </>
      ) : (
        <JsonField
          label="Messages"
          value={processor.messages}
          onChange={(messages) => set({ messages: messages as Of<"llm">["messages"] })}
        />
      )}
      <SchemaField
        schema={processor.outputSchema}
        onChange={(outputSchema) => {
          const { outputSchema: _, ...rest } = processor;
          onChange(outputSchema === undefined ? rest : { ...rest, outputSchema });
        }}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Most output tokens" hint="A limit keeps the price range narrow.">
          <input
            className="input"
            type="number"
            min={1}
            value={processor.parameters?.maxOutputTokens ?? ""}
            onChange={({ target }) =>
              setParameters({ maxOutputTokens: target.value === "" ? undefined : Number(target.value) })
            }
          />
        </Field>
        <Field label="Temperature" hint="Empty: as the provider sets it.">
          <input
            className="input"
            type="number"
            min={0}
            max={2}
            step={0.1}
            value={processor.parameters?.temperature ?? ""}
            onChange={({ target }) =>
              setParameters({ temperature: target.value === "" ? undefined : Number(target.value) })
            }
          />
        </Field>
      </div>
    </>
  );
}

function Http({ processor, onChange, columns }: FormProps<"http">) {
  const set = (change: Partial<Of<"http">>): void => onChange({ ...processor, ...change });
  return (
    <>
      <ConnectionField
        optional
        value={processor.connection ?? ""}
        types={["http"]}
        onChange={(connection) => {
          const { connection: _, ...rest } = processor;
          onChange(connection === "" ? rest : { ...rest, connection });
        }}
      />
      <div className="grid gap-4 sm:grid-cols-[120px_1fr]">
        <Field label="Method">
          <select
            className="input"
            value={processor.method}
            onChange={({ target }) => set({ method: target.value as Of<"http">["method"] })}
          >
            {["GET", "POST", "PUT", "PATCH", "DELETE"].map((method) => (
              <option key={method}>{method}</option>
            ))}
          </select>
        </Field>
        <Field label="URL" hint="With a connection, a path on its address.">
          <TemplateField
            value={processor.url}
            onChange={(url) => set({ url })}
            columns={columns}
            rows={1}
            placeholder="/companies/{{row.id}}"
          />
        </Field>
      </div>
      <JsonField
        label="Headers"
        hint='Such as {"authorization": "Bearer {{connection.secret}}"}.'
        value={processor.headers ?? {}}
        onChange={(headers) => set({ headers: headers as Record<string, string> })}
      />
      {processor.method !== "GET" && (
        <JsonField
          label="Body"
          hint="JSON whose texts are templates."
          value={processor.body ?? {}}
          onChange={(body) => set({ body })}
        />
      )}
      <Field label="Part of the response that is the output" hint="Such as data.items.0.name. Empty: all of it.">
        <input
          className="input font-mono"
          value={processor.responsePath ?? ""}
          onChange={({ target }) => {
            const { responsePath: _, ...rest } = processor;
            onChange(target.value === "" ? rest : { ...rest, responsePath: target.value });
          }}
        />
      </Field>
    </>
  );
}

function Transform({ processor, onChange }: FormProps<"transform">) {
  return (
    <Field label="Function" hint="From a row to any JSON value. It runs in a sandbox, without network, files or clock.">
      <textarea
        className="input font-mono text-[13px] leading-5"
        rows={14}
        spellCheck={false}
        value={processor.code}
        onChange={({ target }) => onChange({ ...processor, code: target.value })}
      />
    </Field>
  );
}

function Mock({ processor, onChange }: FormProps<"mock">) {
  const number = (name: "failEvery" | "failUntilRetry" | "delayMs", label: string, hint: string) => (
    <Field label={label} hint={hint}>
      <input
        className="input"
        type="number"
        min={name === "delayMs" ? 0 : 1}
        value={processor[name] ?? ""}
        onChange={({ target }) => {
          const { [name]: _, ...rest } = processor;
          onChange(target.value === "" ? rest : { ...rest, [name]: Number(target.value) });
        }}
      />
    </Field>
  );
  return (
    <>
      <p className="text-soft">
        Echoes each row and calls nobody: a rehearsal of a run, its failures and its retries that costs nothing.
      </p>
      <div className="grid gap-4 sm:grid-cols-3">
        {number("failEvery", "Fail every so many rows", "Empty: none fail.")}
        {number("failUntilRetry", "Until retry number", "Empty: in every run.")}
        {number("delayMs", "Milliseconds a row", "How long each takes.")}
      </div>
    </>
  );
}

/** JSON as text; the value changes when the text is JSON. */
function JsonField({
  label,
  hint,
  value,
  onChange,
}: {
  label: string;
  hint?: string;
  value: unknown;
  onChange: (value: unknown) => void;
}) {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2));
  const [problem, setProblem] = useState<string>();
  return (
    <Field label={label} hint={hint} error={problem}>
      <textarea
        className="input font-mono text-xs"
        rows={Math.min(12, text.split("\n").length + 1)}
        spellCheck={false}
        data-template
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          try {
            onChange(JSON.parse(target.value));
            setProblem(undefined);
          } catch (error) {
            setProblem(error instanceof Error ? error.message : String(error));
          }
        }}
      />
    </Field>
  );
}
