/** The page to which `docUrl` of every error leads: each code with its meaning, what to do, and an anchor. */
import { escapeHtml, pageOf, proseToHtml } from "./platform/http/pages-for-people.ts";
import { allCodes } from "./resources/reference/all-codes.ts";

interface Entry {
  code: string;
  meaning: string;
  cause?: string;
  action?: string;
  note?: string;
}

export function errorCodesPage(): string {
  const { data, rowFailures, uploadErrors, runReasons } = allCodes();
  const taken = new Set<string>();
  const sections = [
    section(
      taken,
      "request",
      "Errors of requests",
      "<code>error.code</code> of a response with this status.",
      data.map(({ status, retryable, ...entry }) => ({
        ...entry,
        note: `HTTP ${status}${retryable ? ", the same request may succeed later" : ""}`,
      })),
    ),
    section(
      taken,
      "row",
      "Failures of rows",
      "<code>code</code> of a failure in a run. The other rows go on.",
      rowFailures.map(({ class: failureClass, retryable, ...entry }) => ({
        ...entry,
        note: `class ${failureClass}, ${retryable ? "may succeed in a retry run with nothing changed" : "fails again while nothing is changed"}`,
      })),
    ),
    section(taken, "upload", "Errors of uploads", "<code>errors[].code</code> of a dataset upload.", uploadErrors),
    section(
      taken,
      "run",
      "Why a run stands still or was ended",
      "<code>stateReason</code> and <code>error.code</code> of a run.",
      runReasons,
    ),
  ];
  return pageOf(
    "Error codes of Rowmill",
    `<h1>Error codes</h1>
<p class="soft">Every code that this service answers. Programs get the same as JSON: <code>Accept: application/json</code>. <a href="/guide/">Guide</a> · <a href="/docs">Reference of the API</a></p>
${sections.join("\n")}`,
  );
}

/** Some codes stand in two tables: the first has the plain anchor, and all have one with the name of their table. */
function section(taken: Set<string>, table: string, title: string, intro: string, entries: readonly Entry[]): string {
  const items = entries.map(({ code, meaning, cause, action, note }) => {
    const plain = taken.has(code) ? "" : `<span id="${escapeHtml(code)}"></span>`;
    taken.add(code);
    const id = `${table}-${escapeHtml(code)}`;
    return `<dt id="${id}">${plain}<a href="#${id}"><code>${escapeHtml(code)}</code></a>${note === undefined ? "" : ` <span class="soft">${escapeHtml(note)}</span>`}</dt>
<dd>${proseToHtml(meaning)}</dd>${cause === undefined ? "" : `\n<dd>${proseToHtml(cause)}</dd>`}${action === undefined ? "" : `\n<dd>${proseToHtml(action)}</dd>`}`;
  });
  return `<h2>${title}</h2>\n<p class="soft">${intro}</p>\n<dl>\n${items.join("\n")}\n</dl>`;
}
