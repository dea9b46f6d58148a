/**
 * CodeMirror, as the console uses it. It is loaded after the screen, whose fields are plain until then.
 *
 * The editor is inside a shadow root. There its styles are adopted sheets, which the content security policy allows. Outside, they
 * would be a `<style>` element, which it refuses. Colors and fonts come through, since they are inherited variables.
 */
import { autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { json } from "@codemirror/lang-json";
import { diagnosticCount, linter } from "@codemirror/lint";
import { Annotation, Compartment, StateEffect, StateField } from "@codemirror/state";
import type { Extension } from "@codemirror/state";
import { EditorView, drawSelection, keymap, lineNumbers, placeholder } from "@codemirror/view";
import type { PathProblem } from "../draft-problems.ts";
import { diagnosticsOf, parseProblem } from "./json-problems.ts";
import type { Language } from "./language.ts";
import { columnsOf, templates } from "./templates.ts";
import { colors, theme } from "./editor-theme.ts";

export interface EditorOptions {
  language: Language;
  /** The extension of the language, where it is loaded by itself. */
  grammar?: Extension;
  label: string;
  description: string;
  placeholder?: string | undefined;
  minLines: number;
  text: string;
  onChange: (text: string) => void;
  /** The place of what is wrong with the text itself, as a sentence. */
  onParseProblem: (problem: string | undefined) => void;
}

export interface CodeEditor {
  setText(text: string): void;
  setColumns(columns: readonly string[] | undefined): void;
  setProblems(problems: readonly PathProblem[]): void;
  insert(text: string): void;
  select(from: number, to: number): void;
  focus(): void;
  destroy(): void;
}

const LINE_HEIGHT_PX = 20;
const MAX_LINES = 24;
/** A pause in typing after which the text is checked. */
const CHECK_DELAY_MS = 250;

const fromOutside = Annotation.define<boolean>();
const setProblems = StateEffect.define<readonly PathProblem[]>();
const problemsField = StateField.define<readonly PathProblem[]>({
  create: () => [],
  update: (problems, { effects }) => effects.findLast((effect) => effect.is(setProblems))?.value ?? problems,
});

export function createEditor(host: HTMLElement, options: EditorOptions): CodeEditor {
  const { language, minLines } = options;
  const isCode = language !== "template";
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const columns = new Compartment();
  const view = new EditorView({
    root,
    parent: root,
    doc: options.text,
    extensions: [
      history(),
      drawSelection(),
      EditorView.lineWrapping,
      indentUnit.of("  "),
      // In prose, Tab goes to the next field.
      keymap.of([...completionKeymap, ...(isCode ? [indentWithTab] : []), ...defaultKeymap, ...historyKeymap]),
      ...(isCode ? [lineNumbers(), bracketMatching(), syntaxHighlighting(colors)] : []),
      ...(language === "json" ? [json()] : []),
      ...(options.grammar === undefined ? [] : [options.grammar]),
      ...(options.placeholder === undefined ? [] : [placeholder(options.placeholder)]),
      autocompletion({ icons: false }),
      columns.of(columnsOf.of(undefined)),
      templates(language),
      problemsField,
      linterOf(options),
      attributesOf(options),
      theme(minLines * LINE_HEIGHT_PX, MAX_LINES * LINE_HEIGHT_PX, LINE_HEIGHT_PX),
      reportChanges(options.onChange),
    ],
  });
  return {
    setText(text) {
      if (view.state.doc.toString() !== text)
        view.dispatch({
          changes: { from: 0, to: view.state.doc.length, insert: text },
          annotations: fromOutside.of(true),
        });
    },
    setColumns: (names) => view.dispatch({ effects: columns.reconfigure(columnsOf.of(names)) }),
    setProblems: (problems) => view.dispatch({ effects: setProblems.of(problems) }),
    insert(text) {
      view.dispatch(view.state.replaceSelection(text));
      view.focus();
    },
    select: (anchor, head) => view.dispatch({ selection: { anchor, head } }),
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}

function linterOf({ language, onParseProblem }: EditorOptions): Extension {
  return linter(
    ({ state }) => {
      const own = language === "json" ? parseProblem(state) : undefined;
      onParseProblem(own?.message);
      return [...(own === undefined ? [] : [own]), ...diagnosticsOf(state, state.field(problemsField), language)];
    },
    {
      delay: CHECK_DELAY_MS,
      needsRefresh: ({ transactions }) =>
        transactions.some(({ effects }) => effects.some((effect) => effect.is(setProblems))),
    },
  );
}

function attributesOf({ label, description }: EditorOptions): Extension {
  return EditorView.contentAttributes.of(({ state }) => ({
    "aria-label": label,
    "aria-description": description,
    "aria-invalid": diagnosticCount(state) > 0 ? "true" : "false",
    spellcheck: "false",
  }));
}

/** What somebody types, and not what the screen sets. */
function reportChanges(onChange: (text: string) => void): Extension {
  return EditorView.updateListener.of(({ docChanged, transactions, state }) => {
    if (docChanged && !transactions.some((transaction) => transaction.annotation(fromOutside) === true))
      onChange(state.doc.toString());
  });
}
