/**
 * Blocks of code that do the same, as tabs: radio buttons and styles, so that they need no script, work by keys, and are printed one after
 * the other. In the Markdown of the repository they stand below each other, each after its name.
 */
import type { Token } from "markdown-it";
import { plainText } from "../markdown.ts";

/** As many as the style sheet knows. */
const MOST_TABS = 6;

/** The HTML of a page. `render` makes that of tokens that belong together. */
export function groupTabs(tokens: readonly Token[], render: (tokens: Token[]) => string): string {
  let html = "";
  let from = 0;
  let count = 0;
  for (const [at, token] of tokens.entries()) {
    if (token.type === "tabs_open") {
      html += render(tokens.slice(from, at));
      from = at + 1;
    } else if (token.type === "tabs_close") {
      count += 1;
      html += tabsOf(tokens.slice(from, at), `tabs-${count}`, render);
      from = at + 1;
    }
  }
  return html + render(tokens.slice(from));
}

function tabsOf(tokens: Token[], group: string, render: (tokens: Token[]) => string): string {
  const names: string[] = [];
  const panels: Token[][] = [];
  for (const [at, token] of tokens.entries()) {
    if (token.type === "inline" && tokens[at + 2]?.type === "fence") {
      names.push(plainText(token.children ?? []));
      panels.push([]);
    } else if (token.type === "fence") panels.at(-1)?.push(token);
  }
  if (names.length < 2 || names.length > MOST_TABS || panels.some((panel) => panel.length !== 1))
    throw new Error(`tabs are 2 to ${MOST_TABS} blocks of code, each after a paragraph with its name`);
  const buttons = names.map(
    (name, n) =>
      `<input type="radio" name="${group}" id="${group}-${n}"${n === 0 ? " checked" : ""}><label for="${group}-${n}">${name}</label>`,
  );
  const shown = panels.map((panel, n) => `<div><p aria-hidden="true">${names[n] ?? ""}</p>${render(panel)}</div>`);
  return `<fieldset class="tabs"><legend>Language</legend>${buttons.join("")}${shown.join("")}</fieldset>\n`;
}
