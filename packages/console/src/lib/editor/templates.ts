/** References to columns: colored where they stand, and completed while they are written. */
import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { EditorState, Facet } from "@codemirror/state";
import type { Extension } from "@codemirror/state";
import { Decoration, MatchDecorator, ViewPlugin } from "@codemirror/view";
import type { DecorationSet, EditorView, ViewUpdate } from "@codemirror/view";
import { memberOf, referenceIn, referencesIn } from "../specs.ts";
import type { Language } from "./language.ts";

/** The columns of the chosen dataset; undefined where none is chosen. */
export const columnsOf = Facet.define<readonly string[] | undefined, readonly string[] | undefined>({
  combine: ([columns]) => columns,
});

export function templates(language: Language): Extension {
  // One function for the life of the editor: it is how a list that is open is recognized.
  const autocomplete = language === "javascript" ? completeMember : completeReference(language);
  return [EditorState.languageData.of(() => [{ autocomplete }]), language === "javascript" ? [] : highlighter];
}

const known = Decoration.mark({ class: "cm-reference" });
const unknown = Decoration.mark({ class: "cm-reference-unknown" });

const decorator = new MatchDecorator({
  regexp: /\{\{[^{}]*\}\}/g,
  decoration: ([text], { state }) => {
    const columns = state.facet(columnsOf);
    const isUnknown = columns !== undefined && referencesIn(text).some((name) => !columns.includes(name));
    return isUnknown ? unknown : known;
  },
});

class References {
  decorations: DecorationSet;
  constructor(view: EditorView) {
    this.decorations = decorator.createDeco(view);
  }
  update(update: ViewUpdate): void {
    const isSame = update.startState.facet(columnsOf) === update.state.facet(columnsOf);
    this.decorations = isSame ? decorator.updateDeco(update, this.decorations) : decorator.createDeco(update.view);
  }
}
const highlighter = ViewPlugin.fromClass(References, { decorations: ({ decorations }) => decorations });

const optionsOf = (context: CompletionContext, apply: (column: string) => string): Completion[] =>
  (context.state.facet(columnsOf) ?? []).map((column) => ({ label: column, apply: apply(column) }));

/** From `{{` on; the braces that close it are there already, or come with the name. */
function completeReference(language: Language) {
  return (context: CompletionContext): CompletionResult | null => {
    const begun = context.matchBefore(/\{\{\s*(row\.?)?[\p{L}\p{M}\p{N}_$-]*/u);
    if (begun === null) return null;
    const name = /[\p{L}\p{M}\p{N}_$-]*$/u.exec(begun.text)?.[0] ?? "";
    const typed = "row".startsWith(name) && !begun.text.includes(".") ? "" : name;
    const closing = /^\s*\}\}/.exec(context.state.sliceDoc(context.pos, context.pos + 8))?.[0].length ?? 0;
    const from = context.pos - typed.length;
    return {
      from,
      options: optionsOf(context, (column) => referenceIn(language, column)).map((option) => ({
        ...option,
        apply: (view, _completion, _from, to) => {
          const insert = String(option.apply);
          view.dispatch({
            changes: { from: begun.from, to: Math.min(view.state.doc.length, to + closing), insert },
            selection: { anchor: begun.from + insert.length },
            userEvent: "input.complete",
          });
        },
      })),
    };
  };
}

function completeMember(context: CompletionContext): CompletionResult | null {
  const begun = context.matchBefore(/\brow\.[\p{L}\p{N}_$]*/u);
  if (begun === null) return null;
  return {
    from: begun.from + "row.".length,
    options: optionsOf(context, memberOf).map((option) => ({
      ...option,
      // `row["a b"]`: the dot goes, too.
      apply: (view, _completion, from, to) => {
        const member = String(option.apply);
        const start = member.startsWith("[") ? from - 1 : from;
        view.dispatch({
          changes: { from: start, to, insert: member },
          selection: { anchor: start + member.length },
          userEvent: "input.complete",
        });
      },
    })),
  };
}
