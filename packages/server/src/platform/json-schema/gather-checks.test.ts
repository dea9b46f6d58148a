import { setImmediate as nextRound } from "node:timers/promises";
import { expect, test } from "vitest";
import { gatherChecks } from "./gather-checks.ts";
import type { SchemaCheck } from "./gather-checks.ts";
import type { Verdict } from "./schema-protocol.ts";

interface Message {
  texts: readonly string[];
  signal: AbortSignal | undefined;
  respond: PromiseWithResolvers<(Verdict | undefined)[]>;
}

/** A check that writes down what it was called with, and responds when the test does. */
function createGathered(atOnce: number): { check: SchemaCheck; messages: Message[] } {
  const messages: Message[] = [];
  const check: SchemaCheck = (texts, signal) => {
    const respond = Promise.withResolvers<(Verdict | undefined)[]>();
    messages.push({ texts, signal, respond });
    return respond.promise;
  };
  return { check: gatherChecks(check, atOnce), messages };
}

const mismatch = (message: string): Verdict => ({ kind: "mismatch", path: "", message });
const textsOf = (messages: readonly Message[]): string[][] => messages.map(({ texts }) => [...texts]);

test("what comes in one round of the event loop goes together, shared by the workers, and each has its own verdicts", async () => {
  const { check, messages } = createGathered(2);
  const checks = [check(["1", "2"]), check(["3"]), check(["4"])];
  expect(messages).toEqual([]);
  await nextRound();
  expect(textsOf(messages)).toEqual([["1", "2", "3"], ["4"]]);
  messages[0]?.respond.resolve([undefined, mismatch("two"), mismatch("three")]);
  messages[1]?.respond.resolve([mismatch("four")]);
  expect(await Promise.all(checks)).toEqual([[undefined, mismatch("two")], [mismatch("three")], [mismatch("four")]]);
});

test("what comes while all workers are busy waits, and goes together when one is free", async () => {
  const { check, messages } = createGathered(1);
  const first = check(["1"]);
  await nextRound();
  const later = [check(["2"]), check(["3"])];
  await nextRound();
  expect(textsOf(messages)).toEqual([["1"]]);
  messages[0]?.respond.resolve([undefined]);
  await first;
  expect(textsOf(messages)).toEqual([["1"], ["2", "3"]]);
  messages[1]?.respond.resolve([undefined, undefined]);
  expect(await Promise.all(later)).toEqual([[undefined], [undefined]]);
});

test("large values and many values do not wait for each other", async () => {
  const { check, messages } = createGathered(1);
  const large = "a".repeat(200 * 1024);
  const many = Array.from({ length: 101 }, (_unused, at) => String(at));
  const checks = [check([large]), check([large]), check(many), check(["1"])];
  for (let at = 0; at < 4; at++) {
    await nextRound();
    const { texts, respond } = messages[at] ?? {};
    respond?.resolve((texts ?? []).map(() => undefined));
  }
  await Promise.all(checks);
  expect(textsOf(messages)).toEqual([[large], [large], many, ["1"]]);
});

test("who gives up no longer waits; the others do, and with the last of them the check ends", async () => {
  const { check, messages } = createGathered(1);
  const [first, second] = [new AbortController(), new AbortController()];
  const checks = [check(["1"], first.signal), check(["2"], second.signal)];
  await nextRound();
  first.abort(new Error("the first is over"));
  await expect(checks[0]).rejects.toThrow("the first is over");
  expect(messages[0]?.signal?.aborted).toBe(false);
  second.abort(new Error("the second is over"));
  await expect(checks[1]).rejects.toThrow("the second is over");
  expect(messages[0]?.signal?.aborted).toBe(true);

  const waiting = new AbortController();
  const given = check(["3"], waiting.signal);
  waiting.abort(new Error("over before its turn"));
  await expect(given).rejects.toThrow("over before its turn");
  messages[0]?.respond.reject(new Error("nobody waits"));
  await nextRound();
  expect(textsOf(messages)).toEqual([["1", "2"]]);
  await expect(check(["4"], waiting.signal)).rejects.toThrow("over before its turn");
});

test("an error is that of all who went together, and not of those who come after it", async () => {
  const { check, messages } = createGathered(1);
  const checks = [check(["1"]), check(["2"])];
  await nextRound();
  const last = check(["3"]);
  messages[0]?.respond.reject(new Error("no worker"));
  for (const failed of checks) await expect(failed).rejects.toThrow("no worker");
  await nextRound();
  messages[1]?.respond.resolve([undefined]);
  expect(await last).toEqual([undefined]);
});
