/** JSON.parse source text access, which Node 24 has and TypeScript's library does not know yet. */
interface RawJSON {
  readonly rawJSON: string;
}
interface JSON {
  rawJSON(text: string): RawJSON;
  isRawJSON(value: unknown): value is RawJSON;
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
}
