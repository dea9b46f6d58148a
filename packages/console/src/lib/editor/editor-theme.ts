/** The colors of the console, in both themes: each is a variable that follows the color scheme. */
import { HighlightStyle } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

export const colors = HighlightStyle.define([
  {
    tag: [tags.propertyName, tags.definition(tags.variableName), tags.function(tags.variableName)],
    color: "var(--color-accent)",
  },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: "var(--color-good)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--color-warn)" },
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: "var(--color-ink)", fontWeight: "600" },
  { tag: tags.comment, color: "var(--color-soft)", fontStyle: "italic" },
]);

const mix = (color: string, percent: number): string =>
  `color-mix(in srgb, var(--color-${color}) ${percent}%, transparent)`;

/** Messages of the linter, and the list of columns. */
const TOOLTIPS = {
  ".cm-tooltip": {
    backgroundColor: "var(--color-surface)",
    color: "var(--color-ink)",
    border: "1px solid var(--color-edge)",
    borderRadius: "6px",
    boxShadow: "var(--shadow-float)",
    overflow: "hidden",
  },
  ".cm-tooltip .cm-diagnostic": { padding: "6px 10px", borderLeft: "3px solid var(--color-bad)", maxWidth: "420px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": {
    fontFamily: "var(--font-mono)",
    fontSize: "12px",
    maxHeight: "220px",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "3px 10px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--color-fill)",
    color: "var(--color-on-fill)",
  },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "600" },
  ".cm-completionDetail": { fontStyle: "normal", color: "inherit" },
};

export const theme = (minHeightPx: number, maxHeightPx: number, lineHeightPx: number) =>
  EditorView.theme({
    "&": { color: "var(--color-ink)", backgroundColor: "transparent", fontSize: "13px" },
    "&.cm-focused": { outline: "none" },
    ".cm-scroller": {
      fontFamily: "var(--font-mono)",
      fontVariantLigatures: "none",
      lineHeight: `${lineHeightPx}px`,
      maxHeight: `${maxHeightPx + 16}px`,
      overflow: "auto",
    },
    ".cm-content": { minHeight: `${minHeightPx + 16}px`, padding: "8px 0", caretColor: "var(--color-ink)" },
    ".cm-line": { padding: "0 10px" },
    ".cm-gutters": {
      minHeight: `${minHeightPx + 16}px`,
      backgroundColor: "transparent",
      color: "var(--color-soft)",
      border: "none",
      userSelect: "none",
    },
    ".cm-lineNumbers .cm-gutterElement": { padding: "0 2px 0 10px", minWidth: "26px" },
    ".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--color-ink)", borderLeftWidth: "1.5px" },
    "& > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground":
      { backgroundColor: mix("accent", 25) },
    ".cm-placeholder": { color: "var(--color-soft)" },
    "&.cm-focused .cm-matchingBracket": { backgroundColor: mix("accent", 18), color: "inherit" },
    "&.cm-focused .cm-nonmatchingBracket, .cm-nonmatchingBracket": {
      backgroundColor: mix("bad", 18),
      color: "inherit",
    },
    ".cm-reference": { color: "var(--color-accent)", backgroundColor: mix("accent", 12), borderRadius: "2px" },
    ".cm-reference-unknown": { color: "var(--color-bad)", backgroundColor: mix("bad", 12), borderRadius: "2px" },
    ".cm-reference span, .cm-reference-unknown span": { color: "inherit" },
    ".cm-lintRange-error": {
      backgroundImage: "none",
      textDecoration: "underline wavy var(--color-bad)",
      textUnderlineOffset: "3px",
    },
    ".cm-lintPoint-error::after": { borderBottomColor: "var(--color-bad)" },
    ...TOOLTIPS,
  });
