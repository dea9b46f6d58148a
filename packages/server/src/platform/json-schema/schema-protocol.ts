/** What the main thread and a thread of schemas send each other: one message each way. */

export interface SchemaProblem {
  /** JSON pointer into the schema. */
  path: string;
  message: string;
}

export interface SchemaRequest {
  /** JSON text of the schema. */
  schema: string;
  /** JSON texts; none: the schema is only compiled. */
  values: readonly string[];
  /** The worker replies after this long, with the values that were checked by then, and at least one. */
  workMs: number;
}

export interface SchemaResponse {
  /** Why the schema cannot be used. */
  problem: SchemaProblem | null;
  /** Of the first values, as many as were checked; null for one that fits. */
  verdicts: (Verdict | null)[];
}

/** What is wrong with a value. */
export type Verdict =
  | { kind: "mismatch"; /** JSON pointer into the value. */ path: string; message: string }
  | { kind: "not_json"; message: string }
  /** Checking it takes more time or memory than there is for a value. */
  | { kind: "limit"; message: string };
