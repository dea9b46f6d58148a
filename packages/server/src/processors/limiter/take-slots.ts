/**
 * Asks the limiter, in one round trip: the database brings the row of a connection and model up to date with what this process has
 * learned from the provider, and grants start slots. The rules, with their states and constants, are the function `take_limiter_slots`
 * (`0053-return-after-outages.sql`).
 */
import type { Pool, QueryConfig } from "pg";

/** A row that was not used for this long holds nothing of use. */
const PURGE_AFTER_SECONDS = 3600;

/** The statement is retried after that: if it hangs, all waiting callers hang with it. */
const STATEMENT_TIMEOUT_MS = 10_000;

export interface LimiterKey {
  organizationId: string;
  /** The UUID. */
  connectionId: string;
  model: string;
}

export interface Limits {
  requestsPerMinute: number | null;
  tokensPerMinute: number | null;
}

/** What a process reports, and what it requests. Each `…SecondsAgo` is when the latest-started of those calls started. */
export interface SlotRequest extends LimiterKey {
  limits: Limits;
  /** Expected tokens of each request that waits, in their order. */
  wanted: number[];
  returnedSlots: number;
  /** Tokens used beyond those that were expected; may be negative. */
  tokens: number;
  responses: number;
  /** Calls that were refused: rate limited, or by an overloaded server. */
  refusals: number;
  respondedSecondsAgo: number | null;
  refusedSecondsAgo: number | null;
  overloadedSecondsAgo: number | null;
  /** No request may start for this long. */
  pauseSeconds: number | null;
  learnedRequestsPerMinute: number | null;
  learnedTokensPerMinute: number | null;
}

export interface Slots {
  /** For the first of those that were wanted, in milliseconds from now; 0 or less is at once. */
  delaysMs: number[];
  /** When the slot after these is, from now. */
  nextMs: number;
  /** No request starts before that, from now. */
  coolingMs: number;
  countsTokens: boolean;
}

/** `now` is for tests: seconds since 1970 instead of the database's clock. */
export async function takeSlots(pool: Pick<Pool, "query">, ask: SlotRequest, now?: number): Promise<Slots> {
  // The driver knows this option of a single query, its types do not.
  const statement: QueryConfig & { query_timeout: number } = {
    name: "take-limiter-slots",
    text: TAKE_SLOTS,
    values: [
      ask.organizationId,
      ask.connectionId,
      ask.model,
      now ?? null,
      ask.limits.requestsPerMinute,
      ask.limits.tokensPerMinute,
      ask.wanted,
      ask.returnedSlots,
      ask.tokens,
      ask.responses,
      ask.refusals,
      ask.respondedSecondsAgo,
      ask.refusedSecondsAgo,
      ask.overloadedSecondsAgo,
      ask.pauseSeconds,
      ask.learnedRequestsPerMinute,
      ask.learnedTokensPerMinute,
    ],
    query_timeout: STATEMENT_TIMEOUT_MS,
  };
  const { rows } = await pool.query<Slots>(statement);
  const [slots] = rows;
  if (slots === undefined) throw new Error("take_limiter_slots returned no row");
  return slots;
}

/** Also rows of deleted connections: nobody uses them. */
export async function purgeUnusedLimiters(pool: Pick<Pool, "query">): Promise<void> {
  await pool.query(`delete from limiters where used_at < extract(epoch from now()) - ${PURGE_AFTER_SECONDS}`);
}

/** The rules themselves are a function of the database, written step by step. */
const TAKE_SLOTS = `
select delays_ms as "delaysMs", next_ms as "nextMs", cooling_ms as "coolingMs", counts_tokens as "countsTokens"
from take_limiter_slots($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`;
