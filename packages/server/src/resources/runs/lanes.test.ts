/** How lanes divide what a run may have under way. */
import { expect, test } from "vitest";
import { laneCount, laneShare } from "./lanes.ts";

test("the shares of the lanes add up to the run's concurrency, and no lane has none", () => {
  for (let chunkCount = 1; chunkCount <= 6; chunkCount++) {
    for (let concurrency = 1; concurrency <= 70; concurrency++) {
      const lanes = laneCount({ chunkCount, concurrency });
      const shares = Array.from({ length: lanes }, (_unused, lane) => laneShare({ chunkCount }, concurrency, lane));
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(concurrency);
      expect(Math.min(...shares)).toBeGreaterThanOrEqual(1);
    }
  }
});
