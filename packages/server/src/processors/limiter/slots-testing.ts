/** Connections that ask for slots on a clock of the test, and providers that allow so much. */
import type { Database } from "../../platform/database/database.ts";
import { newUuid } from "../../platform/ids.ts";
import { takeSlots } from "./take-slots.ts";
import type { SlotRequest, Limits, Slots } from "./take-slots.ts";

export const BEGINNING = 1_800_000_000;
export const unlimited: Limits = { requestsPerMinute: null, tokensPerMinute: null };
export const requests = (requestsPerMinute: number): Limits => ({ requestsPerMinute, tokensPerMinute: null });
export const tokens = (tokensPerMinute: number): Limits => ({ requestsPerMinute: null, tokensPerMinute });

export type Said = Partial<Omit<SlotRequest, "wanted">> & { wanted?: number | number[] };

/** A connection that nobody has used, and those who ask for it. `at` is in seconds. */
export function unusedConnection(pool: Database["pool"], limits: Limits, model = "") {
  const key = { organizationId: newUuid(), connectionId: newUuid(), model };
  const ask = (at: number, { wanted = 0, ...said }: Said = {}): Promise<Slots> =>
    takeSlots(
      pool,
      {
        ...key,
        limits,
        wanted: typeof wanted === "number" ? Array.from({ length: wanted }, () => 0) : wanted,
        returnedSlots: 0,
        tokens: 0,
        responses: 0,
        refusals: (said.refusedSecondsAgo ?? said.overloadedSecondsAgo ?? null) === null ? 0 : 1,
        respondedSecondsAgo: said.responses === undefined ? null : 0,
        refusedSecondsAgo: null,
        overloadedSecondsAgo: null,
        pauseSeconds: null,
        learnedRequestsPerMinute: null,
        learnedTokensPerMinute: null,
        ...said,
      },
      BEGINNING + at,
    );
  return { key, ask };
}
export type AskForSlots = ReturnType<typeof unusedConnection>["ask"];

/** Several processes that always want more, and get the outcome of each request: the moments at which their requests began. */
export async function demand(
  ask: AskForSlots,
  {
    from = 0,
    until,
    wanted = 64,
    processes = 1,
    said = () => ({}),
  }: {
    from?: number;
    until: number;
    wanted?: number | number[];
    processes?: number;
    said?: (given: number, at: number) => Said;
  },
): Promise<number[]> {
  const begun: number[] = [];
  let given = 0;
  for (let at = from; at < until; at += 0.1)
    for (let process = 0; process < processes; process++) {
      const { delaysMs } = await ask(at, { wanted, ...said(given, at) });
      given = delaysMs.length;
      begun.push(...delaysMs.map((delayMs) => at + Math.max(0, delayMs) / 1000));
    }
  return begun.filter((moment) => moment < until).toSorted((one, other) => one - other);
}

/** The most of them that fall into any window of so many seconds. */
export function mostWithin(moments: readonly number[], seconds: number): number {
  let most = 0;
  let first = 0;
  for (const [last, moment] of moments.entries()) {
    while ((moments[first] ?? 0) <= moment - seconds) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

/** Seconds in which responses come. */
export const STEP = 0.2;

/** A provider that says nothing of its limit, of each kind there is. Returns whether it refuses a request at a moment, or is overloaded. */
export type Allows = (at: number) => { retryAfter: number; isOverloaded?: boolean } | undefined;
export const fixedWindow = (limit: number, offset: number): Allows => {
  let window = -1;
  let used = 0;
  return (at) => {
    const current = Math.floor((at + offset) / 60);
    if (current !== window) [window, used] = [current, 0];
    return ++used <= limit ? undefined : { retryAfter: (current + 1) * 60 - at - offset };
  };
};
/** Refuses some calls at any rate. */
export const oneIn = (calls: number, retryAfter: number): Allows => {
  let made = 0;
  return () => (++made % calls === 0 ? { retryAfter } : undefined);
};
/** Refuses a share of the calls for a while, evenly. */
export const isAway = (
  from: number,
  until: number,
  { share = 1, isOverloaded = true }: { share?: number; isOverloaded?: boolean } = {},
): Allows => {
  let due = 0;
  return (at) => {
    if (at < from || at >= until) return undefined;
    due += share;
    if (due < 1) return undefined;
    due--;
    return { retryAfter: 0, isOverloaded };
  };
};
export const bucket = (perMinute: number, burst: number): Allows => {
  let level = burst;
  let last = 0;
  return (at) => {
    level = Math.min(burst, level + ((at - last) * perMinute) / 60);
    last = at;
    if (level < 1) return { retryAfter: ((1 - level) / perMinute) * 60 };
    level--;
    return undefined;
  };
};

export interface Ends {
  responses: number;
  refused: number;
}

/** Callers that always want more: how many of their calls ended how within a time. A refusal comes a step later, a response after `takes`. */
export async function callFor(
  ask: AskForSlots,
  {
    allows,
    saysWhen,
    from,
    until,
    callers = 64,
    takes = STEP,
  }: { allows: Allows; saysWhen: boolean; from: number; until: number; callers?: number; takes?: number },
): Promise<Ends> {
  let due: number[] = [];
  let underWay: number[] = [];
  const ends: Ends = { responses: 0, refused: 0 };
  for (let at = 0; at < until; at += STEP) {
    // What began in this step gets its refusal at the end of it.
    const begins = due.filter((moment) => moment < at);
    due = due.filter((moment) => moment >= at);
    const verdicts = begins.map(allows);
    const refusals = verdicts.filter((refusal) => refusal !== undefined);
    underWay.push(...verdicts.filter((refusal) => refusal === undefined).map(() => at - STEP));
    const responses = underWay.filter((beganAt) => beganAt + takes <= at + STEP / 2).length;
    underWay = underWay.slice(responses);
    if (at >= from) [ends.responses, ends.refused] = [ends.responses + responses, ends.refused + refusals.length];
    const pauseSeconds = saysWhen ? Math.max(0, ...refusals.map(({ retryAfter }) => retryAfter)) : 0;
    const wanted = () => Math.max(0, callers - underWay.length - due.length);
    const { delaysMs, coolingMs } = await ask(at, {
      wanted: wanted(),
      responses,
      refusals: refusals.length,
      respondedSecondsAgo: responses === 0 ? null : takes,
      refusedSecondsAgo: refusals.some(({ isOverloaded }) => isOverloaded !== true) ? STEP : null,
      overloadedSecondsAgo: refusals.some(({ isOverloaded }) => isOverloaded) ? STEP : null,
      pauseSeconds: pauseSeconds === 0 ? null : pauseSeconds,
    });
    if (coolingMs > 0) due = due.filter((moment) => moment > at + coolingMs / 1000);
    due.push(...delaysMs.map((delayMs) => at + Math.max(0, delayMs) / 1000));
    // A request gets what is due within a tenth of a second.
    const more = await ask(at + STEP / 2, { wanted: wanted() });
    due.push(...more.delaysMs.map((delayMs) => at + STEP / 2 + Math.max(0, delayMs) / 1000));
  }
  return ends;
}
