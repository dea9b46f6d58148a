/** Text that is broken between words where the screen ends: a terminal breaks it within them. */
import { widthOf } from "./table.ts";

/** Each further line of a paragraph begins with `indent`. A word that is longer than a line, such as a link, stays whole. */
export function wrapText(text: string, columns: number, indent = ""): string {
  return text
    .split("\n")
    .map((line) => wrapLine(line, columns, indent))
    .join("\n");
}

function wrapLine(line: string, columns: number, indent: string): string {
  if (widthOf(line) <= columns) return line;
  const lines: string[] = [];
  let current = "";
  for (const word of line.split(/(?<=\S) (?=\S)/)) {
    const longer = current === "" ? word : `${current} ${word}`;
    if (current !== "" && widthOf(longer) > columns) {
      lines.push(current);
      current = `${indent}${word}`;
    } else current = longer;
  }
  return [...lines, current].join("\n");
}
