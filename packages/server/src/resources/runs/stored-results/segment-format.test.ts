/** Segments: what was put in comes out, in row order, whatever the rows are like. */
import { describe, expect, test } from "vitest";
import { MAX_SEGMENT_BYTES, decodeBody, decodeHeads, encodeSegments, positionsIn } from "./segment-format.ts";
import type { SegmentRow } from "./segment-format.ts";

const COMMITTED_US = 1_795_000_000_123_456;

const row = (position: number, more: Partial<SegmentRow> = {}): SegmentRow => ({
  position,
  attempts: 1,
  durationMs: 0,
  finishedUs: undefined,
  output: `{"n":${position}}`,
  usage: null,
  ...more,
});

async function decodeAll(rows: readonly SegmentRow[], chunkRows: number): Promise<SegmentRow[]> {
  const decoded: SegmentRow[] = [];
  for (const segment of await encodeSegments(rows, chunkRows)) {
    const heads = await decodeHeads({ ...segment, finishedUs: COMMITTED_US });
    const outputs = await decodeBody(segment.body, segment.rowCount);
    for (let at = 0; at < segment.rowCount; at++)
      decoded.push({
        position: heads.positions[at] ?? -1,
        attempts: heads.attemptsAt(at),
        durationMs: heads.durationMsAt(at),
        finishedUs: heads.finishedUsAt(at),
        output: outputs.at(at)?.text ?? "",
        usage: heads.usageAt(at),
      });
  }
  return decoded;
}

const positions = (count: number): number[] => Array.from({ length: count }, (_unused, n) => n);

describe("what was put in comes out", () => {
  test.each<[string, SegmentRow[]]>([
    ["one row", [row(3)]],
    ["all rows of a chunk", positions(500).map((n) => row(n))],
    ["every third row", positions(166).map((n) => row(3 * n))],
    ["attempts of some", [row(0), row(1, { attempts: 4 }), row(2)]],
    ["times of some", [row(0, { durationMs: 12 }), row(7, { finishedUs: COMMITTED_US - 5 })]],
    [
      "what all rows have",
      positions(500).map((n) => row(n, { attempts: 2, durationMs: 12, finishedUs: COMMITTED_US - 5 })),
    ],
    ["usage of the first", [row(0, { usage: '{"requests":1}' }), row(1), row(2)]],
    ["usage of the last", [row(0), row(1), row(2, { usage: '{"requests":1}' })]],
    ["texts of many alphabets", [row(0, { output: '"Grüße, 世界 \u2028 😀"' }), row(1, { output: '"\\n"' })]],
    [
      "outputs that are hardly anything",
      [row(0, { output: "0" }), row(1, { output: '""' }), row(499, { output: "{}" })],
    ],
  ])("%s", async (_name, rows) => {
    const expected = rows.map((one) => ({ ...one, finishedUs: one.finishedUs ?? COMMITTED_US }));
    expect(await decodeAll(rows, 500)).toEqual(expected);
    expect(await decodeAll(rows.toReversed(), 500)).toEqual(expected);
  });

  test("what all rows have is kept once", async () => {
    const [segment] = await encodeSegments(
      positions(500).map((n) => row(n, { durationMs: 12 })),
      500,
    );
    expect(segment?.heads?.toString()).toBe("\n12\n");
  });

  test("no rows are no segments", async () => {
    expect(await encodeSegments([], 500)).toEqual([]);
  });
});

test("rows of one attempt and no time that used nothing have no heads", async () => {
  const [segment] = await encodeSegments(
    positions(500).map((n) => row(n)),
    500,
  );
  expect(segment).toMatchObject({ rowCount: 500, heads: null });
});

test("a segment ends at its bound, and an output that is larger has one of its own", async () => {
  const large = JSON.stringify("x".repeat(MAX_SEGMENT_BYTES / 4));
  const huge = JSON.stringify("y".repeat(3 * MAX_SEGMENT_BYTES));
  const rows = [...positions(6).map((n) => row(n, { output: large })), row(6, { output: huge }), row(7)];
  const segments = await encodeSegments(rows, 500);
  expect(segments.map(({ rowCount }) => rowCount)).toEqual([3, 3, 1, 1]);
  expect(await decodeAll(rows, 500)).toEqual(rows.map((one) => ({ ...one, finishedUs: COMMITTED_US })));
});

test("a bitmap that does not fit its rows, or an output too few, is found out", async () => {
  const [segment] = await encodeSegments([row(1), row(9)], 10);
  if (segment === undefined) throw new Error("there is no segment");
  expect([...positionsIn(segment.positions, 2)]).toEqual([1, 9]);
  expect(() => positionsIn(segment.positions, 3)).toThrow("a segment of 3 rows has 2 positions");
  await expect(decodeBody(segment.body, 3)).rejects.toThrow("a segment of 3 rows has 2 outputs");
  await expect(encodeSegments([row(10)], 10)).rejects.toThrow("position 10 is not in a chunk of 10 rows");
});
