/**
 * Words that the documentation does not use, as patterns of whole words, each with what to write. One term has one meaning, and it is
 * the field's own term where there is one: readers know databases and HTTP, and read English as a second language.
 */
export const bannedWords: readonly (readonly [pattern: string, instead: string])[] = [
  ["anew", "again, or say what is repeated"],
  ["mend(?:s|ed|ing|able)?", "repair"],
  ["so long as", "while, or as long as"],
  ["is none", "is not a …"],
  ["dearer", "more expensive, or at a higher price"],
  ["berths?", "slot, or permit"],
  ["tells?|told|telling", "report, state, or describe"],
  ["hears?|heard", "receive, or read"],
  ["twins?", "duplicate"],
  ["sift(?:s|ed)?", "reject, or filter"],
  ["parcels?|consignments?", "delivery"],
  ["strained", "overloaded"],
  ["given (?:up|back)|give (?:up|back)|gives (?:up|back)|handed back|stepped aside", "release, abandon, or return"],
  ["in hand", "claimed (a chunk), in flight (a call), or reserved (money)"],
  ["admitted", "allowed"],
  ["judges?|judged", "validate, evaluate, or check"],
  ["next door", "local"],
  ["says? so", "state what is said"],
  ["whoever", "name the person or the process"],
  ["of whom|thereof|whereof|hitherto|thence", "a sentence of its own"],
];

/** Beside them in comments of the sources, where "there is none" is plain enough. */
export const commentWords: typeof bannedWords = [
  ...bannedWords.filter(([pattern]) => pattern !== "is none"),
  ["(?<!there )is none", "is not a …"],
  ["answers?|answered|answering", "response, result, completion, or respond, return"],
  ["held(?:-back)?", "claimed (a chunk), in flight (a call), reserved (money), locked (a row of a table), or kept"],
  ["take turns|takes turns|in turn", "alternate, or run one after the other"],
];

/** Whole words, in any case. */
export const compileWords = (words: typeof bannedWords): { pattern: RegExp; instead: string }[] =>
  words.map(([pattern, instead]) => ({ pattern: new RegExp(`(?<![\\w-])(?:${pattern})(?![\\w-])`, "iu"), instead }));
