/**
 * The page to which `docUrl` of every error leads: each code with its meaning, its cause, the next step, and an anchor. It has the text of
 * the reference in the guide, and needs no guide to be built. Links are relative, for services below a path.
 */
import { codeTables } from "./code-tables.ts";
import type { CodeEntry, CodeTable } from "./code-tables.ts";
import { escapeHtml, pageOf, proseToHtml } from "./platform/http/pages-for-people.ts";

export function errorCodesPage(): string {
  const tables = codeTables();
  const taken = new Set<string>();
  const contents = tables.map(({ name, title }) => `<a href="#${name}">${title}</a>`);
  return pageOf(
    "Error codes of Rowmill",
    `<h1>Error codes</h1>
<p class="soft">Every code of this service. Programs get the same as JSON: <code>Accept: application/json</code>. <a href="../guide/reference/errors">The same in the guide</a> · <a href="../guide/troubleshooting">Troubleshooting</a> · <a href="../docs">Reference of the API</a></p>
<p>${contents.join(" · ")}</p>
${tables.map((table) => section(taken, table)).join("\n")}`,
  );
}

/** Some codes stand in two tables: the first has the plain anchor, and all have one with the name of their table. */
function section(taken: Set<string>, { name, title, page, where, entries }: CodeTable): string {
  const items = entries.map((entry) => {
    const plain = taken.has(entry.code) ? "" : `<span id="${escapeHtml(entry.code)}"></span>`;
    taken.add(entry.code);
    return item(entry, `${name}-${entry.code}`, plain, page);
  });
  return `<h2 id="${name}">${title}</h2>\n<p class="soft">${proseToHtml(where)}</p>\n<dl>\n${items.join("\n")}\n</dl>`;
}

function item({ code, kind, meaning, facts }: CodeEntry, id: string, anchor: string, page: string): string {
  const terms = facts.map(([name, text]) => `<dd><b>${escapeHtml(name)}</b>: ${proseToHtml(text)}</dd>`);
  return `<dt id="${escapeHtml(id)}">${anchor}<a href="#${escapeHtml(id)}"><code>${escapeHtml(code)}</code></a>${kind === undefined ? "" : ` <span class="soft">${proseToHtml(kind)}</span>`} <a class="soft" href="../guide/reference/${page}#${escapeHtml(code)}">in the guide</a></dt>
<dd>${proseToHtml(meaning)}</dd>
${terms.join("\n")}`;
}
