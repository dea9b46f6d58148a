import { CodeField } from "../../components/code-field.tsx";
import { Field } from "../../components/field.tsx";
import { ConnectionField } from "./connection-field.tsx";
import { JsonField } from "./json-field.tsx";
import type { FormProps, Of } from "./processor-form.ts";

export function Http({ processor, onChange, columns }: FormProps<"http">) {
  const setOrRemove = (name: "headers" | "body" | "responsePath", value: unknown): void => {
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
        <MethodField method={processor.method} onChange={(method) => set({ method })} />
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
      <ResponsePathField
        path={processor.responsePath}
        onChange={(responsePath) => setOrRemove("responsePath", responsePath)}
      />
    </>
  );
}

type Method = Of<"http">["method"];

function MethodField({ method: chosen, onChange }: { method: Method; onChange: (method: Method) => void }) {
  return (
    <Field label="Method">
      <select className="input" value={chosen} onChange={({ target }) => onChange(target.value as Method)}>
        {["GET", "POST", "PUT", "PATCH", "DELETE"].map((method) => (
          <option key={method}>{method}</option>
        ))}
      </select>
    </Field>
  );
}

function ResponsePathField({
  path,
  onChange,
}: {
  path: string | undefined;
  onChange: (path: string | undefined) => void;
}) {
  return (
    <Field label="Part of the response that is the output" hint="Such as data.items.0.name. Empty: all of it.">
      <input
        className="input font-mono"
        value={path ?? ""}
        onChange={({ target }) => onChange(target.value === "" ? undefined : target.value)}
      />
    </Field>
  );
}
