import { expect, test } from "vitest";
import { parseByteRange } from "./byte-range.ts";

test.for<[string | undefined, number, ReturnType<typeof parseByteRange>]>([
  [undefined, 10, "whole"],
  ["bytes=0-0", 10, { start: 0, end: 0 }],
  ["bytes=0-9", 10, { start: 0, end: 9 }],
  ["bytes=3-", 10, { start: 3, end: 9 }],
  ["bytes=9-", 10, { start: 9, end: 9 }],
  ["bytes=5-99", 10, { start: 5, end: 9 }],
  ["bytes=-3", 10, { start: 7, end: 9 }],
  ["bytes=-99", 10, { start: 0, end: 9 }],
  ["BYTES = 1-2", 10, { start: 1, end: 2 }],
  ["bytes=10-", 10, "unsatisfiable"],
  ["bytes=10-20", 10, "unsatisfiable"],
  ["bytes=-0", 10, "unsatisfiable"],
  ["bytes=0-", 0, "unsatisfiable"],
  ["bytes=-5", 0, "unsatisfiable"],
  ["bytes=5-3", 10, "whole"],
  ["bytes=-", 10, "whole"],
  ["bytes=0-1,3-4", 10, "whole"],
  ["rows=0-1", 10, "whole"],
  ["bytes=a-b", 10, "whole"],
  ["bytes=0x1-2", 10, "whole"],
  ["bytes=9999999999999999999-", 10, "whole"],
])("%s of %d bytes", ([header, sizeBytes, expected]) => {
  expect(parseByteRange(header, sizeBytes)).toEqual(expected);
});
