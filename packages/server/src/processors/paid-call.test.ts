import { afterEach, expect, test, vi } from "vitest";
import { makePaidCall, withMemory } from "./paid-call.ts";
import type { AttemptClock, Budget } from "./processor.ts";
import type { Limiter } from "./limiter/permits.ts";

afterEach(() => vi.restoreAllMocks());

const connection = {
  id: "conn_1",
  organizationId: "one",
  type: "http",
  baseUrl: "https://service.example",
  secret: null,
  rateLimit: { requestsPerMinute: null, tokensPerMinute: null },
  prices: null,
} as const;

const clockOf = (nothingBegins: AbortSignal): AttemptClock => ({
  offTheClock: (wait) => wait(),
  isTimeUp: () => false,
  nothingBegins,
});

/** Rejects with the reason of the signal, as soon as there is one. */
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });

/** A call that waits for a slot, with a budget that gives what it is asked for. */
function waitingCall(signal: AbortSignal, nothingBegins: AbortSignal): Promise<string> {
  const limiter: Limiter = { acquire: (_request, waiting) => untilAborted(waiting), close: () => Promise.resolve() };
  const budget: Budget = { reserve: () => Promise.resolve({ isLimited: true, settle: () => {} }) };
  const surroundings = { limiter, budget, signal, clock: clockOf(nothingBegins) };
  const paid = { connection, model: "", tokens: 0, highest: { usd: "0.1" } };
  return withMemory({ organizationId: "one", ownerId: "run" }, 1, surroundings, () =>
    makePaidCall(surroundings, paid, () => Promise.resolve("called")),
  );
}

test("the waits of all rows of a chunk share one signal, which is made once", async () => {
  const any = vi.spyOn(AbortSignal, "any");
  const [work, begin] = [new AbortController(), new AbortController()];
  const calls = Array.from({ length: 20 }, () => waitingCall(work.signal, begin.signal));
  const ended = Promise.allSettled(calls);
  begin.abort(new Error("nothing begins"));
  expect(await ended).toEqual(calls.map(() => ({ status: "rejected", reason: new Error("nothing begins") })));
  expect(any).toHaveBeenCalledTimes(1);
});

test("rows with a signal of their own end with that, beside others of their chunk, and have one for all waits", async () => {
  const any = vi.spyOn(AbortSignal, "any");
  const begin = new AbortController();
  const [one, other] = [new AbortController(), new AbortController()];
  const waiting = [one, other, one].map(({ signal }) => waitingCall(signal, begin.signal));
  const ended = Promise.allSettled(waiting);
  one.abort(new Error("the time of one is up"));
  await expect(waiting[0]).rejects.toThrow("the time of one is up");
  begin.abort(new Error("nothing begins"));
  const reasons = (await ended).map((end) => (end.status === "rejected" ? String(end.reason) : end.value));
  expect(reasons).toEqual(["Error: the time of one is up", "Error: nothing begins", "Error: the time of one is up"]);
  expect(any).toHaveBeenCalledTimes(2);
});

test("a wait after a row's chunk may begin again ends with the new signal", async () => {
  const work = new AbortController();
  const before = AbortSignal.abort(new Error("nothing began"));
  await expect(waitingCall(work.signal, before)).rejects.toThrow("nothing began");
  const begin = new AbortController();
  const call = waitingCall(work.signal, begin.signal);
  work.abort(new Error("the claim is lost"));
  await expect(call).rejects.toThrow("the claim is lost");
});
