import { expect, test } from "vitest";
import { createSemaphore } from "./semaphore.ts";

test("work waits for a slot in the order of its arrival, and a slot is free again after work that fails", async () => {
  const withSlot = createSemaphore(2);
  const begun: number[] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  const begin = (n: number): Promise<void> =>
    withSlot(async () => {
      begun.push(n);
      const end = (ends[n] = Promise.withResolvers<void>());
      await end.promise;
    });
  const works = [0, 1, 2, 3].map(begin);
  expect(begun).toEqual([0, 1]);
  ends[1]?.reject(new Error("failed"));
  await expect(works[1]).rejects.toThrow("failed");
  expect(begun).toEqual([0, 1, 2]);
  ends[0]?.resolve();
  await works[0];
  expect(begun).toEqual([0, 1, 2, 3]);
  for (const end of ends) end.resolve();
  await Promise.allSettled(works);
  expect(await withSlot(() => Promise.resolve("free"))).toBe("free");
});
