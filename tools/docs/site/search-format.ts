/** Shared by the build, which writes it, and the browser, which reads it. */
export interface SearchDocument {
  pages: readonly (readonly [address: string, title: string, section: string])[];
  /** `excerpt` is the beginning of the text, `words` what the rest adds to it. */
  sections: readonly (readonly [page: number, anchor: string, title: string, excerpt: string, words: string])[];
}
