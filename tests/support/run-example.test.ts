import { expect, test } from "vitest";
import { runInHome } from "./run-example.ts";

const BUSY_MS = 2_000;

test("what an example prints is in its order, however late it is read: regions of a page hold both streams", async () => {
  const text = ["begin", "first", "second >&2", "third"].map((word) => `echo ${word}; sleep 0.2`).join("\n");
  let hasWaited = false;
  const { code, output } = await runInHome({
    name: "order.sh",
    text,
    command: ["sh"],
    settings: {},
    onOutput: () => {
      // As on a machine with much other work: all of the rest has been printed when it is read.
      if (!hasWaited) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_MS);
      hasWaited = true;
    },
  });
  expect([code, output]).toEqual([0, "begin\nfirst\nsecond\nthird\n"]);
});
