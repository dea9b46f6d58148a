/**
 * What templates of a job spec refer to, compared with the columns of its rows. A template that refers to none makes the same
 * call for every row, and each of them is paid.
 *
 *     {{row.title}}   a tag            {row.title}, {title}   text, and most likely meant as a tag
 */
import type { JobSpecWarning } from "@rowmill/contract/job-specs";
import { didYouMean } from "../../platform/nearest-name.ts";
import { cutText } from "../../platform/text.ts";
import type { TemplateText } from "../processor-definition.ts";
import { parseTemplate } from "./parse.ts";

export interface ReferenceProblem {
  /** JSON pointer into the job spec. */
  path: string;
  code: JobSpecWarning["code"] | "unknown_column";
  message: string;
}

export interface References {
  /** Nothing refers to the row; the place where a tag is missing first. */
  withoutRow: (ReferenceProblem & { code: "template_without_row" }) | undefined;
  /** `{row.title}`, and `{title}` where `columns` has it. `isColumn`: there is such a column. */
  singleBraces: (ReferenceProblem & { code: "single_brace_reference"; isColumn: boolean })[];
  /** `{{row.titel}}` where `columns` are known and have no `titel`. */
  unknownColumns: ReferenceProblem[];
}

/** A hundred equal mistakes are one. */
const MAX_PROBLEMS = 20;
const SHOWN_CHARACTERS = 60;

/** In double braces, or behind a backslash, it is no reference in single ones; inside of JSON a name is in quotes. */
const SINGLE = /(?<![{\\])\{(\s*)(?:(row)\.)?([\p{L}_$][\p{L}\p{M}\p{N}_$-]{0,199})\s*\}(?!\})/gu;

/** `mainPath` is where a tag belongs first; `columns` undefined: nobody knows the rows yet. */
export function findReferences(
  texts: Iterable<TemplateText>,
  mainPath: string,
  columns: readonly string[] | undefined,
): References {
  const found: References = { withoutRow: undefined, singleBraces: [], unknownColumns: [] };
  const known = columns === undefined ? undefined : new Set(columns);
  let refersToRow = false;
  for (const { path, text } of texts) {
    // The secret of the connection is not part of the row.
    for (const part of parseTemplate(text, ["row", "connection"]).parts) {
      if (typeof part === "string") {
        found.singleBraces.push(...findSingleBraces(part, path, known));
        continue;
      }
      if (part.root !== "row") continue;
      refersToRow = true;
      const [column] = part.keys;
      if (columns === undefined || known === undefined || column === undefined || known.has(column)) continue;
      const hint = didYouMean(column, columns);
      const message = `The rows have no column \`${cutText(column, SHOWN_CHARACTERS)}\`, which a template names.${hint}`;
      found.unknownColumns.push({ path, code: "unknown_column", message });
    }
  }
  found.singleBraces = found.singleBraces.slice(0, MAX_PROBLEMS);
  found.unknownColumns = found.unknownColumns.slice(0, MAX_PROBLEMS);
  if (!refersToRow)
    found.withoutRow = {
      path: mainPath,
      code: "template_without_row",
      message:
        "No template names a field of the row: every row makes the same call, and each is paid. Write {{row.field}} where the value of a column belongs.",
    };
  return found;
}

function findSingleBraces(text: string, path: string, known: ReadonlySet<string> | undefined) {
  const found: References["singleBraces"] = [];
  for (const [written, space, root, name = ""] of text.matchAll(SINGLE)) {
    const isColumn = known?.has(name) === true;
    // Words in braces are common in prompts and JSON; only a name of a column is taken for one.
    if (root === undefined && (!isColumn || space !== "")) continue;
    const shown = cutText(written, SHOWN_CHARACTERS);
    found.push({
      path,
      code: "single_brace_reference",
      // A space keeps literal text possible.
      isColumn: isColumn && space === "",
      message: `${shown} in single braces is sent as it stands. Write {{row.${cutText(name, SHOWN_CHARACTERS)}}} for the value of the column; for literal text put a space behind the brace.`,
    });
    if (found.length >= MAX_PROBLEMS) break;
  }
  return found;
}

/** Every string in a value; recursion is safe, since bodies of requests are at most 64 levels deep. */
export function* stringsOf(value: unknown, path: string): Generator<TemplateText> {
  if (typeof value === "string") yield { path, text: value };
  else if (typeof value === "object" && value !== null)
    for (const [name, member] of Object.entries(value))
      yield* stringsOf(member, `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
}
