import { describe, expect, test } from "vitest";
import { RowPostponedError } from "../../processors/processor.ts";
import { RunControl } from "./run-control.ts";
import type { DrainReason } from "./run-control.ts";

const running = { is: "running" };
const drainingFor = (reason: DrainReason) => ({ is: "draining", reason });

test("rows begin until a reason is given, and the first one is kept and reported once", () => {
  const reasons: DrainReason[] = [];
  const turn = new RunControl({ onDrain: (reason) => reasons.push(reason) });
  expect([turn.mayBegin(), turn.state, turn.reason]).toEqual([true, running, undefined]);
  turn.drain("budget_exhausted");
  turn.drain("superseded");
  expect([turn.mayBegin(), turn.state]).toEqual([false, drainingFor("budget_exhausted")]);
  expect(reasons).toEqual(["budget_exhausted"]);
});

test("an obstacle may pass, and a reason does not", () => {
  let obstacle: DrainReason | undefined = "turn_over";
  const turn = new RunControl({ obstacle: () => obstacle });
  expect([turn.mayBegin(), turn.state, turn.reason]).toEqual([false, drainingFor("turn_over"), undefined]);
  obstacle = undefined;
  expect(turn.mayBegin()).toBe(true);
  turn.drain("policy");
  expect(turn.state).toEqual(drainingFor("policy"));
});

test("a row that waits for its first call stops waiting when nothing begins, and may wait again when it does", () => {
  let obstacle: DrainReason | undefined = "trial";
  const chunk = new RunControl({ obstacle: () => obstacle }).forChunk();
  const { beginSignal } = chunk;
  expect(beginSignal.aborted).toBe(false);
  expect(chunk.mayBegin()).toBe(false);
  expect(beginSignal.aborted).toBe(true);
  expect(beginSignal.reason).toBeInstanceOf(RowPostponedError);
  expect(chunk.signal.aborted).toBe(false);
  obstacle = undefined;
  expect(chunk.mayBegin()).toBe(true);
  expect(chunk.beginSignal.aborted).toBe(false);
});

describe("the chunks of a turn", () => {
  test("drain together, whichever of them gives the reason", () => {
    const turn = new RunControl();
    const [one, other] = [turn.forChunk(), turn.forChunk()];
    one.drain("storage");
    expect([turn, one, other].map(({ state }) => state)).toEqual(Array(3).fill(drainingFor("storage")));
    expect(other.reason).toBe("storage");
  });

  test("are aborted one by one", () => {
    const turn = new RunControl();
    const [one, other] = [turn.forChunk(), turn.forChunk()];
    const reason = new Error("the claim is lost");
    one.abort(reason);
    expect([one.state, other.state, turn.state]).toEqual([{ is: "aborted" }, running, running]);
    expect([one.mayBegin(), other.mayBegin()]).toEqual([false, true]);
    expect(one.signal.reason).toBe(reason);
  });

  test("have rows to begin until it is noted that all have begun, or the work ends", async () => {
    const turn = new RunControl();
    const [one, other] = [turn.forChunk(), turn.forChunk()];
    one.noteAllBegun();
    await one.allBegun;
    expect([one.isBeginning, other.isBeginning, one.signal.aborted]).toEqual([false, true, false]);
    other.end();
    await other.allBegun;
    expect([other.isBeginning, other.signal.aborted]).toEqual([false, true]);
  });
});

test("a row that is tried alone begins in spite of reasons and obstacles; what it gives itself, the turn gets", () => {
  const turn = new RunControl({ obstacle: () => "trial" });
  const chunk = turn.forChunk();
  const trial = chunk.forTrial();
  expect([chunk.mayBegin(), trial.mayBegin()]).toEqual([false, true]);
  trial.drain("budget_exhausted");
  expect([trial.mayBegin(), turn.reason]).toEqual([false, "budget_exhausted"]);
  const aborted = turn.forChunk();
  aborted.abort();
  expect(aborted.forTrial().state).toEqual({ is: "aborted" });
});

test("a wake counts as seen once it has reached the rows", () => {
  const chunk = new RunControl().forChunk();
  const [first, second] = [new Date(1), new Date(2)];
  chunk.wakeRows(first);
  expect(chunk.seenWake).toBeUndefined();
  expect([chunk.takeWake(), chunk.takeWake(), chunk.seenWake]).toEqual([true, false, first]);
  chunk.wakeRows(second);
  expect(chunk.seenWake).toBe(first);
  expect([chunk.takeWake(), chunk.seenWake]).toEqual([true, second]);
});
