/** Small pieces of Markdown. */

/** Text within a cell of a table. */
export const cell = (text: string): string => text.replaceAll("\n", " ").replaceAll("|", "\\|").replaceAll("<", "&lt;");

/** A table; none without rows. Cells are Markdown already. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`.replaceAll(/ {2,}\|/g, " |");
  return [line(header), `|${header.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}

export const code = (text: string): string => `\`${text}\``;

export function block(language: string, text: string): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;
}

/** The parts with an empty line between them; empty ones are left out. */
export const paragraphs = (...parts: readonly (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined && part !== "").join("\n\n");

/** As GitHub makes the anchor of a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");

/** Wider than this, a value is broken into lines. */
const JSON_WIDTH = 110;

/** JSON with what fits into a line on one line: an object of forty members is forty lines at most. */
export function compactJson(value: unknown, indent = ""): string {
  const flat = oneLine(value);
  if (indent.length + flat.length <= JSON_WIDTH && (indent !== "" || typeof value !== "object")) return flat;
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    // Words and numbers fill lines; objects have one each.
    if (value.every((item) => typeof item !== "object" || item === null)) return `[\n${fill(value, inner)}\n${indent}]`;
    return `[\n${value.map((item) => inner + compactJson(item, inner)).join(",\n")}\n${indent}]`;
  }
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value);
    if (members.length === 0) return "{}";
    return `{\n${members.map(([name, member]) => `${inner}${JSON.stringify(name)}: ${compactJson(member, inner)}`).join(",\n")}\n${indent}}`;
  }
  return flat;
}

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${oneLine(member)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

function fill(values: readonly unknown[], indent: string): string {
  const lines: string[] = [];
  let line = indent;
  for (const [n, value] of values.entries()) {
    const text = JSON.stringify(value) + (n === values.length - 1 ? "" : ",");
    if (line.trim() !== "" && line.length + 1 + text.length > JSON_WIDTH) {
      lines.push(line);
      line = indent;
    }
    line += line.trim() === "" ? text : ` ${text}`;
  }
  return [...lines, line].join("\n");
}
