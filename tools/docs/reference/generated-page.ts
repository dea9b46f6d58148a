/** What the generator writes. */
export interface Page {
  /** Below `docs/reference/`. */
  path: string;
  text: string;
}

/** The mark of every page that nobody edits by hand. */
export const GENERATED = "<!-- Written by `npm run generate`; edit its sources instead. -->";
