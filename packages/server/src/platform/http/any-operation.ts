/** The shapes that all handlers have in common. */
import type { Queryable, Transaction } from "../database/database.ts";
import type { AnyCaller } from "./admission.ts";
import type { Position } from "./cursors.ts";
import type { ReplayCheck } from "./secret-replays.ts";

/** Operations as `serve.ts` sees them: the types of each were checked where handlers and contract meet. */
export interface AnyInput {
  params: Record<string, string | number>;
  query: Record<string, unknown>;
  filters: Record<string, unknown>;
  page: { limit: number; after: Position | undefined };
  body: unknown;
}
export type AnyRead = (db: Queryable, caller: AnyCaller, input: AnyInput) => Promise<unknown>;
export type AnyWrite = (tx: Transaction, caller: AnyCaller, input: AnyInput) => Promise<unknown>;
export type AnyPrepare = (
  db: Queryable,
  caller: AnyCaller,
  input: AnyInput,
) => Promise<(tx: Transaction) => Promise<unknown>>;
export type AnyReplayCheck = ReplayCheck<AnyCaller, unknown>;
export type AnyHandler = AnyRead | AnyWrite | { prepare: AnyPrepare };
export interface AnyPage {
  data: unknown[];
  next: Position | null;
}
