/**
 * Prompts as the model gets them, for `-v`. The service renders the ones that are sent; this shows the same for a few rows, without
 * a call: `{{row.member["odd name"] | json | truncate: 200}}`, and `\{{` for two braces.
 */
export interface PromptSource {
  role: string;
  template: string;
}

const TAG = /\\\{\{|\{\{((?:[^"}]|"(?:\\.|[^"\\])*")*)\}\}/g;
const MEMBER = /\.([\p{L}\p{N}_$-]+)|\[\s*(?:"((?:\\.|[^"\\])*)"|(\d+))\s*\]/gu;

export function renderPrompt(template: string, row: Readonly<Record<string, unknown>>): string {
  return template.replaceAll(TAG, (tag, inner: string | undefined) =>
    inner === undefined ? "{{" : renderTag(tag, inner.trim(), row),
  );
}

function renderTag(tag: string, inner: string, row: Readonly<Record<string, unknown>>): string {
  const path = /^row((?:\.[\p{L}\p{N}_$-]+|\[\s*(?:"(?:\\.|[^"\\])*"|\d+)\s*\])*)(.*)$/su.exec(inner);
  if (path === null) return tag;
  let value: unknown = row;
  for (const [, name, quoted, index] of (path[1] ?? "").matchAll(MEMBER)) {
    const key = name ?? quoted?.replaceAll(/\\(.)/g, "$1") ?? index ?? "";
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return tag;
    value = (value as Record<string, unknown>)[key];
  }
  let text: string | undefined;
  for (const filter of (path[2] ?? "").split("|").map((part) => part.trim())) {
    if (filter === "json") text = JSON.stringify(text ?? value);
    const limit = /^truncate:\s*(\d+)$/.exec(filter)?.[1];
    if (limit !== undefined)
      text = Array.from(text ?? printed(value))
        .slice(0, Number(limit))
        .join("");
  }
  return text ?? printed(value);
}

function printed(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The texts of a job spec's messages; an image is shown by its address. */
export function promptsOf(processor: object): PromptSource[] {
  if (!("messages" in processor) || !Array.isArray(processor.messages)) return [];
  return (processor.messages as { role: string; content: unknown }[]).map(({ role, content }) => ({
    role,
    template: Array.isArray(content) ? content.map(partText).join("\n") : String(content),
  }));
}

function partText(part: { type?: string; text?: string; url?: string }): string {
  return part.type === "image" ? `[image ${part.url ?? ""}]` : (part.text ?? "");
}
