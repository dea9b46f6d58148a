import { expect, test } from "vitest";
import { SharedSteps } from "./shared-steps.ts";

test("a start that is under way is shared, and one that comes after its end does its own work", async () => {
  const steps = new SharedSteps<number>();
  const gate = Promise.withResolvers<void>();
  let starts = 0;
  const work = async (): Promise<number> => {
    starts++;
    await gate.promise;
    return starts;
  };
  const together = [steps.start("a", work), steps.start("a", work), steps.start("b", work)];
  expect(starts).toBe(2);
  gate.resolve();
  expect(await Promise.all(together)).toEqual([2, 2, 2]);
  expect(await steps.start("a", work)).toBe(3);
});

test("who waited for a start that failed tries for itself", async () => {
  const steps = new SharedSteps<string>();
  const first = steps.start("a", () => Promise.reject(new Error("the database is away")));
  const second = steps.start("a", () => Promise.resolve("started"));
  await expect(first).rejects.toThrow("the database is away");
  await expect(second).resolves.toBe("started");
});

test("ends of one run come one after the other, also behind one that fails; those of others do not wait", async () => {
  const steps = new SharedSteps<string>();
  const gate = Promise.withResolvers<void>();
  const ended: string[] = [];
  const first = steps.end("a", async () => {
    await gate.promise;
    ended.push("first");
    throw new Error("the database is away");
  });
  const second = steps.end("a", async () => void ended.push("second"));
  await steps.end("b", async () => void ended.push("other"));
  expect(ended).toEqual(["other"]);
  gate.resolve();
  await expect(first).rejects.toThrow("the database is away");
  await second;
  expect(ended).toEqual(["other", "first", "second"]);
});
