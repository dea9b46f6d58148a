/** What a version of a job spec fixes. Prompts and functions stand in their lines; the copy is the JSON of the API. */
import type { JobSpecVersion } from "@rowmill/client";
import { Value } from "../../components/value.tsx";
import { definitionOf } from "../../lib/specs.ts";

export function Definition({ version }: { version: Parameters<typeof definitionOf>[0] }) {
  const definition = definitionOf(version);
  return <Value value={inLines(definition)} copied={definition} label="Definition" />;
}

/** The members of the processor beside the others, and each message of a prompt by its role. */
function inLines({ processor, ...rest }: Record<string, unknown>): Record<string, unknown> {
  const own = processor as JobSpecVersion["processor"]; // as `definitionOf` has it
  const shown = Object.entries(own).flatMap(([name, value]): [string, unknown][] =>
    name === "messages" && Array.isArray(value)
      ? (value as { role: string; content: unknown }[]).map(({ role, content }, at) => [`${at + 1}. ${role}`, content])
      : [[name === "type" ? "processor" : name, value]],
  );
  return { ...Object.fromEntries(shown), ...rest };
}
