/** On a narrow screen the cells of a wide table stand below each other, each with the word of its column before it. */
import type { Token } from "markdown-it";
import { plainText } from "../markdown.ts";

/** Tables of two columns fit on a phone. */
const WIDE_COLUMNS = 3;

/** Marks wide tables and writes the label of each cell. */
export function labelCells(tokens: readonly Token[]): void {
  let table: Token | undefined;
  let labels: string[] = [];
  let column = 0;
  for (const [at, token] of tokens.entries()) {
    if (token.type === "table_open") [table, labels] = [token, []];
    else if (token.type === "th_open") labels.push(plainText(tokens[at + 1]?.children ?? []));
    else if (token.type === "thead_close" && labels.length >= WIDE_COLUMNS) table?.attrSet("class", "wide");
    else if (token.type === "tr_open") column = 0;
    else if (token.type === "td_open") {
      const label = labels[column++] ?? "";
      if (labels.length >= WIDE_COLUMNS && label !== "") token.attrSet("data-label", label);
    }
  }
}
