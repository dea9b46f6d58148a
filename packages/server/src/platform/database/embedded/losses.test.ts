import { expect, test } from "vitest";
import { Losses, MANY_LOSSES, STEADY_MS, TAKE_BACK_MS } from "./losses.ts";

function lossesAt() {
  let now = 0;
  const losses = new Losses(() => now);
  return {
    losses,
    wait: (ms: number) => (now += ms),
    loseAfter: (ms: number) => {
      losses.owned();
      now += ms;
      losses.lost();
    },
  };
}

test("a server that is lost again and again is given up, although each start succeeds", () => {
  const { losses, loseAfter } = lossesAt();
  const seen: boolean[] = [];
  const many = Math.floor(TAKE_BACK_MS / (STEADY_MS / 2)) + 2;
  for (let n = 1; n <= many; n++) {
    loseAfter(STEADY_MS / 2);
    seen.push(losses.areEndless);
  }
  expect(seen).toEqual([...Array<boolean>(many - 1).fill(false), true]);
  expect([losses.isOver, losses.count]).toEqual([true, many]);
});

test("a steady time in between begins a new count", () => {
  const { losses, loseAfter } = lossesAt();
  for (let n = 1; n <= 4 * MANY_LOSSES; n++) {
    loseAfter(STEADY_MS);
    expect([losses.count, losses.elapsedMs, losses.isOver]).toEqual([1, 0, false]);
  }
});

test("a few losses are not endless, however long the recoveries took; a start that fails for too long is over", () => {
  const { losses, wait, loseAfter } = lossesAt();
  for (let n = 1; n < MANY_LOSSES; n++) {
    loseAfter(1);
    wait(TAKE_BACK_MS);
    expect([losses.count, losses.areEndless, losses.isOver]).toEqual([n, false, false]);
  }
  wait(1);
  expect([losses.areEndless, losses.isOver]).toEqual([false, true]);
});
