/** The shape of the output: by a form for what most need, as JSON Schema for everything else. */
import { Plus, X } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { Choice } from "../../components/field.tsx";
import { JsonField } from "./json-field.tsx";

type Schema = Record<string, unknown>;
const TYPES = {
  string: "Text",
  number: "Number",
  integer: "Whole number",
  boolean: "Yes or no",
  enum: "One of",
  array: "List of texts",
} as const;
type FieldType = keyof typeof TYPES;
export interface OutputField {
  name: string;
  type: FieldType;
  /** Of `enum`, separated by commas. */
  values: string;
}

/** The schema of the fields. All are required, as strict structured outputs demand. */
export function schemaOf(fields: readonly OutputField[]): Schema | undefined {
  const named = fields.filter(({ name }) => name.trim() !== "");
  if (named.length === 0) return undefined;
  return {
    type: "object",
    properties: Object.fromEntries(named.map(({ name, type, values }) => [name.trim(), typeOf(type, values)])),
    required: named.map(({ name }) => name.trim()),
    additionalProperties: false,
  };
}

const typeOf = (type: FieldType, values: string): Schema =>
  type === "enum"
    ? {
        type: "string",
        enum: values
          .split(",")
          .map((value) => value.trim())
          .filter((value) => value !== ""),
      }
    : type === "array"
      ? { type: "array", items: { type: "string" } }
      : { type };

/** Undefined where the schema says more than the form can show. */
export function fieldsOf(schema: unknown): OutputField[] | undefined {
  if (schema === undefined || schema === null) return [];
  const { properties } = schema as {
    properties?: Record<string, { type?: string; enum?: unknown[]; items?: unknown }>;
  };
  if (properties === undefined) return undefined;
  const fields = Object.entries(properties).map(([name, member]): OutputField => ({
    name,
    type: member.enum !== undefined ? "enum" : (member.type as FieldType),
    values: (member.enum ?? []).join(", "),
  }));
  return JSON.stringify(schemaOf(fields)) === JSON.stringify(schema) ? fields : undefined;
}

export function SchemaField({ schema, onChange }: { schema: unknown; onChange: (schema: Schema | undefined) => void }) {
  const [fields, setFields] = useState<OutputField[]>(() => fieldsOf(schema) ?? []);
  const [by, setBy] = useState<"form" | "text">(() => (fieldsOf(schema) === undefined ? "text" : "form"));
  const [problem, setProblem] = useState<string>();
  function change(next: OutputField[]): void {
    setFields(next);
    onChange(schemaOf(next));
  }
  return (
    <div className="flex flex-col gap-2">
      <Choice
        label="Shape of the output"
        value={by}
        onChange={(next) => {
          const known = next === "form" ? fieldsOf(schema) : undefined;
          if (next === "form" && known === undefined)
            return setProblem("This schema says more than the form can show.");
          if (known !== undefined) setFields(known);
          setProblem(undefined);
          setBy(next);
        }}
        options={[
          ["form", "Fields"],
          ["text", "JSON Schema"],
        ]}
      />
      {by === "form" ? (
        <Fields fields={fields} onChange={change} />
      ) : (
        <JsonField
          label="JSON Schema"
          hint="Every output matches it, or the row fails. Empty: the output is the text of the model."
          path="/processor/outputSchema"
          minLines={10}
          value={schema}
          onChange={(next) => onChange(next as Schema | undefined)}
        />
      )}
      {problem !== undefined && <p className="text-xs text-bad">{problem}</p>}
    </div>
  );
}

function Fields({ fields, onChange }: { fields: readonly OutputField[]; onChange: (fields: OutputField[]) => void }) {
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      {fields.length === 0 && (
        <p className="text-soft">
          Without fields, the output is the text of the model. With fields, every output has exactly these, or the row
          fails.
        </p>
      )}
      {fields.map((field, i) => (
        <FieldLine
          key={i}
          field={field}
          // A field that was just added is named next; those that were there when the form opened take no focus.
          hasFocus={isAdding && i === fields.length - 1}
          onChange={(part) => onChange(fields.map((old, other) => (other === i ? { ...old, ...part } : old)))}
          onRemove={() => onChange(fields.filter((_, other) => other !== i))}
        />
      ))}
      <Button
        look="quiet"
        icon={Plus}
        className="self-start"
        onClick={() => {
          setAdding(true);
          onChange([...fields, { name: "", type: "string", values: "" }]);
        }}
      >
        Add a field
      </Button>
    </>
  );
}

function FieldLine({
  field,
  hasFocus,
  onChange,
  onRemove,
}: {
  field: OutputField;
  hasFocus: boolean;
  onChange: (part: Partial<OutputField>) => void;
  onRemove: () => void;
}) {
  return (
    // Without a name it is not in the schema, and is not saved.
    <div className="flex flex-wrap gap-2" data-unfinished={field.name.trim() === "" ? "" : undefined}>
      <input
        aria-label="Name of the field"
        autoFocus={hasFocus}
        className="input min-w-32 flex-1 font-mono"
        placeholder="sentiment"
        value={field.name}
        onChange={({ target }) => onChange({ name: target.value })}
      />
      <select
        aria-label="Type of the field"
        className="input w-36! max-sm:w-32!"
        value={field.type}
        onChange={({ target }) => onChange({ type: target.value as FieldType })}
      >
        {Object.entries(TYPES).map(([type, label]) => (
          <option key={type} value={type}>
            {label}
          </option>
        ))}
      </select>
      {field.type === "enum" && (
        <input
          aria-label="Values"
          className="input min-w-40 flex-1"
          placeholder="positive, negative, neutral"
          value={field.values}
          onChange={({ target }) => onChange({ values: target.value })}
        />
      )}
      <Button look="quiet" icon={X} label="Remove the field" onClick={onRemove} />
    </div>
  );
}
