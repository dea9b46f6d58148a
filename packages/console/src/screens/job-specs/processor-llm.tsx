import { useQuery } from "@tanstack/react-query";
import type { ConnectionTest } from "@rowmill/client";
import { useEffect, useId, useState } from "react";
import { CodeField } from "../../components/code-field.tsx";
import { Field, NumberField } from "../../components/field.tsx";
import { rowmill } from "../../lib/client.ts";
import { useProblem } from "../../lib/draft-problems.ts";
import { plural } from "../../lib/format.ts";
import { ConnectionField } from "./connection-field.tsx";
import { JsonField } from "./json-field.tsx";
import type { FormProps, Of } from "./processor-form.ts";
import { SchemaField } from "./schema-field.tsx";

export function Llm({ processor, onChange, columns }: FormProps<"llm">) {
  const set = (change: Partial<Of<"llm">>): void => onChange({ ...processor, ...change });
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
      <MessageFields messages={processor.messages} onChange={(messages) => set({ messages })} columns={columns} />
      <SchemaField
        schema={processor.outputSchema}
        onChange={(outputSchema) => {
          const { outputSchema: _, ...rest } = processor;
          onChange(outputSchema === undefined ? rest : { ...rest, outputSchema });
        }}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <NumberField
          label="Most output tokens"
          hint="A limit keeps the price range narrow."
          min={1}
          value={processor.parameters?.maxOutputTokens ?? ""}
          onChange={(text) => setParameters({ maxOutputTokens: text === "" ? undefined : Number(text) })}
        />
        <NumberField
          label="Temperature"
          hint="Empty: as the provider sets it."
          min={0}
          max={2}
          step={0.1}
          value={processor.parameters?.temperature ?? ""}
          onChange={(text) => setParameters({ temperature: text === "" ? undefined : Number(text) })}
        />
      </div>
    </>
  );
}

type Messages = Of<"llm">["messages"];
type Role = "system" | "user";

/** The two messages that most job specs have. What the form cannot show is kept as JSON: further messages, and parts with images. */
function MessageFields({
  messages,
  onChange,
  columns,
}: {
  messages: Messages;
  onChange: (messages: Messages) => void;
  columns: FormProps<"llm">["columns"];
}) {
  const isPlain =
    messages.every(({ role, content }) => role !== "assistant" && typeof content === "string") && messages.length <= 2;
  if (!isPlain)
    return (
      <JsonField
        label="Messages"
        value={messages}
        columns={columns}
        path="/processor/messages"
        onChange={(changed) => onChange((changed ?? []) as Messages)}
      />
    );
  const write = (role: Role, content: string): void => {
    const other = (name: Role): string => (name === role ? content : textOf(messages, name));
    onChange([
      ...(other("system") === "" ? [] : [{ role: "system" as const, content: other("system") }]),
      { role: "user", content: other("user") },
    ]);
  };
  return (
    <>
      <CodeField
        label="Instructions"
        hint="The same for every row. May be empty."
        language="template"
        value={textOf(messages, "system")}
        onChange={(text) => write("system", text)}
        columns={columns}
        minLines={2}
        {...pathOf(messages, "system")}
      />
      <CodeField
        label="Prompt"
        hint="Sent for each row, with its values in place of the columns. Type {{ to choose a column."
        language="template"
        value={textOf(messages, "user")}
        onChange={(text) => write("user", text)}
        columns={columns}
        minLines={5}
        placeholder="Label this review: {{row.review}}"
        {...pathOf(messages, "user")}
      />
    </>
  );
}

function textOf(messages: Messages, role: Role): string {
  const content = messages.find((message) => message.role === role)?.content;
  return typeof content === "string" ? content : "";
}

function pathOf(messages: Messages, role: Role): { path?: string } {
  const at = messages.findIndex((message) => message.role === role);
  return at === -1 ? {} : { path: `/processor/messages/${at}` };
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
  const problem = useProblem("/processor/model");
  // Its models are listed by a test of the connection, which the audit notes: not because somebody looks at a job spec.
  const [isChosen, setIsChosen] = useState(value === "");
  const { data } = useQuery<ConnectionTest>({
    queryKey: ["connections", connectionId, "models"],
    queryFn: () => rowmill.connections.test(connectionId),
    enabled: isChosen && connectionId !== "",
    staleTime: Infinity,
    retry: false,
  });
  const only = data?.models?.length === 1 ? data.models[0] : undefined;
  useEffect(() => {
    // Nothing to choose from.
    if (value === "" && only !== undefined) onChange(only);
  }, [only]);
  return (
    <>
      <Field
        label="Model"
        error={problem}
        hint={
          data === undefined
            ? undefined
            : data.ok
              ? (data.models?.length ?? 0) > 0
                ? `${plural(data.models?.length ?? 0, "model")} found.`
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
          onFocus={() => setIsChosen(true)}
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
