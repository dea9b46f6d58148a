import { CodeField } from "../../components/code-field.tsx";
import { Field } from "../../components/field.tsx";
import { ConnectionField } from "./connection-field.tsx";
import { JsonField } from "./json-field.tsx";
import type { FormProps, Of } from "./processor-form.ts";

export function Http({ processor, onChange, columns }: FormProps<"http">) {
  const setOrRemove = (name: "headers" | "body", value: unknown): void => {
    const { [name]: _, ...rest } = processor;
    onChange(value === undefined ? rest : { ...rest, [name]: value });
  };
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
        <CodeField
          label="URL"
          hint="With a connection, a path on its address."
          language="template"
          value={processor.url}
          onChange={(url) => set({ url })}
          columns={columns}
          minLines={1}
          placeholder="/companies/{{row.id}}"
          path="/processor/url"
        />
      </div>
      <JsonField
        label="Headers"
        hint='Such as {"authorization": "Bearer {{connection.secret}}"}.'
        value={processor.headers}
        columns={columns}
        path="/processor/headers"
        minLines={2}
        onChange={(headers) => setOrRemove("headers", headers)}
      />
      {processor.method !== "GET" && (
        <JsonField
          label="Body"
          hint="JSON whose texts are templates."
          value={processor.body}
          columns={columns}
          path="/processor/body"
          onChange={(body) => setOrRemove("body", body)}
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
