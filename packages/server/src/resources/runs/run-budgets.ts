/**
 * A run's money, shared by all workers. A call's highest cost is set aside before the call and settled after it, so that
 *
 *     spent + set aside by every process ≤ maxCostUsd
 *
 * holds at every moment. The highest cost is a bound and no estimate (`mostTokensOf`), so that a call cannot cost more than
 * was reserved for it. A process asks for its calls together, under a lock on the run's row in `run_budgets`. What a dead process had set
 * aside is free after a while: calls that it had not recorded are all that a crash can add. What is set aside for a batch stays until it ends.
 */
import { randomUUID } from "node:crypto";
import type { Budget as BudgetSetting } from "@rowmill/contract/run-options";
import { sql } from "kysely";
import { isUnavailable } from "../../platform/database/database.ts";
import type { OrganizationDatabase, Queryable, Transaction } from "../../platform/database/database.ts";
import type { Log } from "../../platform/log.ts";
import { formatUsd, parseUsd } from "../../platform/usd.ts";
import type { PicoUsd } from "../../platform/usd.ts";
import type { Budget, BudgetReservation } from "../../processors/processor.ts";
import { BATCH_PREFIX, lockBudget, writeBudget, writeTalk } from "./budget-row.ts";
import type { RunRecord } from "./runs.ts";

/** Seconds since 1970, in a thousand years: batches outlive processes. */
const WHILE_IT_LASTS = 32_503_680_000;
/** How long a process's reservation counts after its last sync. Well above the pause between two syncs. */
const HOLD_SECONDS = 60;
const WORD_EVERY_MS = 20_000;
/** Spent money is written at least this often while calls end. */
const SETTLE_AFTER_MS = 200;
/** Where others have reserved the money: the pause before it is looked again whether they have released some. */
const LOOK_AGAIN_MS = 250;
const PAUSE_AFTER_ERROR_MS = 1_000;

interface Asking {
  amount: PicoUsd;
  respond: (granted: boolean) => void;
}

/** One process's view of one run's budget. */
export class RunBudget implements Budget {
  readonly #database: OrganizationDatabase;
  readonly #log: Log;
  readonly #run: { organizationId: string; id: string };
  readonly #holder = randomUUID();
  #isLimited: boolean;
  /** Calls were made without a budget, before there was one: they stand in the run's counters alone. */
  #mustCatchUp = false;
  #asking: Asking[] = [];
  /** Set aside for calls under way. */
  #reserved = 0n;
  /** Spent, and not yet written down. */
  #unwritten = 0n;
  /** Something was settled or released since the last sync with the database. */
  #isStale = false;
  #isPumping = false;
  #timer: NodeJS.Timeout | undefined;
  #settled = Promise.withResolvers<void>();

  constructor(database: OrganizationDatabase, log: Log, run: Pick<RunRecord, "organizationId" | "id" | "budget">) {
    this.#database = database;
    this.#log = log;
    this.#run = run;
    this.#isLimited = run.budget !== null;
  }

  /** The run as it was read again: its budget may have been set, changed or taken away. */
  follow(run: Pick<RunRecord, "budget">): void {
    const isLimited = run.budget !== null;
    if (isLimited && !this.#isLimited) this.#mustCatchUp = true;
    this.#isLimited = isLimited;
  }

  async reserve(amountUsd: string | undefined, signal: AbortSignal): Promise<BudgetReservation | undefined> {
    // Spend is not tracked here for runs without a budget: a budget that is set later starts from their counters.
    if (!this.#isLimited) return { isLimited: false, settle: (spentUsd) => this.#noteUnlimited(parseUsd(spentUsd)) };
    signal.throwIfAborted();
    // A budget cannot cover what has no price.
    if (amountUsd === undefined) return undefined;
    const amount = parseUsd(amountUsd);
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const asking: Asking = { amount, respond: resolve };
    const leave = (): void => {
      this.#asking = this.#asking.filter((other) => other !== asking);
      reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
    };
    signal.addEventListener("abort", leave, { once: true });
    this.#asking.push(asking);
    void this.#pump();
    try {
      if (!(await promise)) return undefined;
    } finally {
      signal.removeEventListener("abort", leave);
    }
    let isSettled = false;
    return {
      isLimited: true,
      settle: (spentUsd) => {
        if (isSettled) throw new Error("a reservation was settled twice");
        isSettled = true;
        this.#reserved -= amount;
        this.#unwritten += parseUsd(spentUsd);
        this.#isStale = true;
        this.#settled.resolve();
        this.#speakWithin(SETTLE_AFTER_MS);
      },
    };
  }

  /** It began without a budget. If there is one by now, it looks at what is recorded from here on only by this. */
  #noteUnlimited(spent: PicoUsd): void {
    if (!this.#isLimited) return;
    this.#unwritten += spent;
    this.#isStale = true;
    this.#speakWithin(SETTLE_AFTER_MS);
  }

  #speakWithin(ms: number): void {
    if (this.#isPumping) return;
    clearTimeout(this.#timer);
    // Its calls may outlive the lanes; the process waits for neither.
    this.#timer = setTimeout(() => void this.#pump(), ms).unref();
  }

  /** One talk with the database after the other, as long as there is something to ask or to write down. */
  async #pump(): Promise<void> {
    if (this.#isPumping) return;
    this.#isPumping = true;
    clearTimeout(this.#timer);
    do {
      let pauseMs = 0;
      this.#settled = Promise.withResolvers<void>();
      try {
        pauseMs = await this.#talk();
      } catch (error) {
        this.#isStale = true;
        if (!isUnavailable(error))
          this.#log.error({ err: error, runId: this.#run.id }, "could not read a run's budget");
        pauseMs = PAUSE_AFTER_ERROR_MS;
      }
      if (pauseMs > 0) await this.#pause(pauseMs);
    } while (this.#asking.length > 0);
    this.#isPumping = false;
    if (this.#isStale) this.#speakWithin(SETTLE_AFTER_MS);
    else if (this.#reserved > 0n) this.#speakWithin(WORD_EVERY_MS);
  }

  async #pause(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([
      this.#settled.promise,
      new Promise<void>((resolve) => {
        timer = setTimeout(resolve, ms);
      }),
    ]);
    clearTimeout(timer);
  }

  /** Returns after how many milliseconds to sync again. */
  async #talk(): Promise<number> {
    const asked = [...this.#asking];
    let spentNow = 0n;
    const mustCatchUp = this.#mustCatchUp;
    const talk = await this.#database.transaction(async (tx) => {
      if (mustCatchUp) await openBudget(tx, this.#run);
      const state = await lockBudget(tx, this.#run, this.#holder);
      if (state === undefined) {
        // The run is gone, and nobody will ask for what was spent.
        spentNow = this.#unwritten;
        this.#isStale = false;
        return { granted: asked.length, isRefused: false };
      }
      // Read in one moment: what is settled between two readings would be counted in neither.
      spentNow = this.#unwritten;
      let reserved = this.#reserved;
      this.#isStale = false;
      const spent = state.spent + spentNow;
      let granted = 0;
      for (const { amount } of asked) {
        if (state.max !== undefined && spent + state.reservedByOthers + reserved + amount > state.max) break;
        reserved += amount;
        granted++;
      }
      // While any call is under way, its end may free what it does not need. That of a batch is hours away: nobody waits for it.
      const isRefused = granted < asked.length && reserved === 0n && state.reservedByOthers === state.reservedByBatches;
      const isExhausted = isRefused && state.reservedByBatches === 0n;
      const own = { usd: formatUsd(reserved), until: state.now + HOLD_SECONDS };
      const holds = reserved === 0n ? state.otherHolds : { ...state.otherHolds, [this.#holder]: own };
      await writeTalk(tx, this.#run, { spent, holds, max: state.max, isExhausted });
      return { granted, isRefused };
    });
    if (mustCatchUp) this.#mustCatchUp = false;
    this.#unwritten -= spentNow;
    const settled = talk.isRefused ? asked : asked.slice(0, talk.granted);
    const still = new Set(this.#asking);
    for (const [i, asking] of settled.entries()) {
      // Aborted callers get no grant; the next sync returns the money.
      if (!still.delete(asking)) {
        this.#isStale = true;
        continue;
      }
      if (i < talk.granted) this.#reserved += asking.amount;
      asking.respond(i < talk.granted);
    }
    this.#asking = this.#asking.filter((asking) => still.has(asking));
    return this.#asking.length > 0 && settled.length < asked.length ? LOOK_AGAIN_MS : 0;
  }
}

/** What a batch of the run may cost at most at this moment; undefined: anything. `isWaiting`: others may release some of theirs. */
export async function readBudgetRoom(
  database: OrganizationDatabase,
  run: { organizationId: string; id: string },
  batchId: string,
): Promise<{ room: PicoUsd; isWaiting: boolean } | undefined> {
  const state = await database.transaction((tx) => lockBudget(tx, run, BATCH_PREFIX + batchId));
  if (state?.max === undefined) return undefined;
  const room = state.max - state.spent - state.reservedByOthers;
  return { room: room > 0n ? room : 0n, isWaiting: state.reservedByOthers > 0n };
}

/** Sets the highest cost of a batch aside, until it is settled. False: the budget does not have it. */
export async function reserveForBatch(
  tx: Transaction,
  run: { organizationId: string; id: string },
  batchId: string,
  amount: PicoUsd,
): Promise<boolean> {
  const name = BATCH_PREFIX + batchId;
  const state = await lockBudget(tx, run, name);
  if (state?.max === undefined) return true;
  if (state.spent + state.reservedByOthers + amount > state.max) return false;
  const own = { [name]: { usd: formatUsd(amount), until: WHILE_IT_LASTS } };
  await writeBudget(tx, run, { ...state.otherHolds, ...own }, state.spent);
  return true;
}

/** Records what responses of a batch have cost, and leaves so much less set aside for it; `over`: nothing is any more. */
export async function settleBatch(
  tx: Transaction,
  run: { organizationId: string; id: string },
  batchId: string,
  spent: PicoUsd,
  isOver: boolean,
): Promise<void> {
  const name = BATCH_PREFIX + batchId;
  const { rows } = await sql<{ usd: string | null }>`
    select holds->${name}->>'usd' as usd from run_budgets where run_id = ${run.id} for update`.execute(tx);
  if (rows[0] === undefined) return;
  const reserved = parseUsd(rows[0].usd ?? "0");
  const left = reserved > spent ? reserved - spent : 0n;
  const state = await lockBudget(tx, run, name, spent);
  if (state === undefined) return;
  const own = isOver || left === 0n ? {} : { [name]: { usd: formatUsd(left), until: WHILE_IT_LASTS } };
  await writeBudget(tx, run, { ...state.otherHolds, ...own }, state.spent + spent);
}

/** For a run that gets a budget now, perhaps again: what it has spent so far counts. */
export async function openBudget(tx: Transaction, run: { organizationId: string; id: string }): Promise<void> {
  await sql`
    insert into run_budgets (organization_id, run_id, spent_usd)
    select ${run.organizationId}, ${run.id}, coalesce((select sum(cost_usd) from run_chunks where run_id = ${run.id}), 0)
    on conflict (run_id) do update set spent_usd = greatest(run_budgets.spent_usd, excluded.spent_usd)`.execute(tx);
}

/** Whether the run would stop again at once: its budget is no larger than the one that was found too small. */
export async function isBudgetExhausted(
  db: Queryable,
  run: Pick<RunRecord, "id"> & { budget: BudgetSetting | null },
): Promise<boolean> {
  if (run.budget === null) return false;
  const row = await db.selectFrom("runBudgets").select("exhaustedAtUsd").where("runId", "=", run.id).executeTakeFirst();
  const exhaustedAt = row?.exhaustedAtUsd ?? null;
  return exhaustedAt !== null && parseUsd(run.budget.maxCostUsd) <= parseUsd(exhaustedAt);
}
