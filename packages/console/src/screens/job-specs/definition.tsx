/** What a version of a job spec fixes. Prompts and functions stand in their lines; the copy is the JSON of the API. */
import { useQuery } from "@tanstack/react-query";
import type { JobSpecVersion } from "@rowmill/client";
import { Value } from "../../components/value.tsx";
import { rowmill } from "../../lib/client.ts";
import { useMay } from "../../lib/session.ts";
import { definitionOf } from "../../lib/specs.ts";

export function Definition({ version }: { version: Parameters<typeof definitionOf>[0] }) {
  const definition = definitionOf(version);
  const shown = inLines(definition);
  const name = useConnectionName(shown["connection"]);
  const named = name === undefined ? shown : { ...shown, connection: `${name} (${String(shown["connection"])})` };
  return <Value value={named} copied={definition} label="Definition" />;
}

/** Undefined where there is none, and where the key may not read it. */
function useConnectionName(id: unknown): string | undefined {
  const may = useMay("connections:read");
  const isId = typeof id === "string";
  const { data } = useQuery({
    queryKey: ["connections", "one", id],
    queryFn: () => rowmill.connections.get(String(id)),
    enabled: may && isId,
  });
  return isId ? data?.name : undefined;
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
