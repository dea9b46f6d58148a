import { expect, test } from "vitest";
import type { Statements } from "../../../platform/database/database.ts";
import { encodeSegments } from "./segment-format.ts";
import { readOutputs } from "./results.ts";

const ROWS = 4;

/** A run of chunks that are alike, each of `outputBytes`; what is asked for and in which order. */
function chunksOf(count: number, outputBytes: number): { client: Statements; asked: string[] } {
  const asked: string[] = [];
  const output = JSON.stringify("x".repeat(outputBytes / ROWS));
  const recordOf = async (chunkNo: number) => {
    const rows = Array.from({ length: ROWS }, (_unused, position) => ({
      position,
      attempts: 1,
      durationMs: 0,
      finishedUs: undefined,
      output,
      usage: null,
    }));
    const [segment] = await encodeSegments(rows, ROWS);
    const { rowCount, size, positions, heads, body } = segment ?? {
      rowCount: 0,
      size: 0,
      positions: null,
      heads: null,
      body: null,
    };
    return {
      last_row: chunkNo * ROWS + ROWS - 1,
      has_segment: true,
      run_id: "run",
      chunk_no: chunkNo,
      part_no: 1,
      first_row: chunkNo * ROWS,
      row_count: rowCount,
      size,
      finished_us: 0,
      positions,
      heads,
      body,
    };
  };
  const client = {
    async query({ name, values }: { name: string; values: unknown[] }) {
      asked.push(name);
      const [from, most, window] = [Number(values[1]), Number(values[2]), Number(values[3])];
      if (name === "load_segment_bodies") {
        const chunkNos = values[1] as number[]; // as `loadBodies` passes them
        const bodies = await Promise.all(chunkNos.map(recordOf));
        return { rows: bodies.map(({ body }, i) => ({ n: i + 1, body })) };
      }
      const first = Math.floor((from + 1) / ROWS);
      const chunkNos = Array.from({ length: Math.max(0, Math.min(most, count - first)) }, (_unused, i) => first + i);
      let size = 0;
      const records = await Promise.all(chunkNos.map(recordOf));
      return {
        rows: records.map((record) => ({ ...record, body: (size += record.size) <= window ? record.body : null })),
      };
    },
  };
  return { client: client as unknown as Statements, asked }; // of its statements, two are asked
}

test("who reads all outputs gets chunks with their bodies, and the next ones are asked for while these are worked on", async () => {
  const { client, asked } = chunksOf(100, 200_000);
  const seen: number[] = [];
  let atFirst = 0;
  for await (const outputs of readOutputs(client, "run", -1, Number.POSITIVE_INFINITY)) {
    if (seen.length === 0) atFirst = asked.length;
    seen.push(...outputs.map(({ index }) => index));
  }
  expect(seen).toEqual(Array.from({ length: 100 * ROWS }, (_unused, index) => index));
  expect(atFirst).toBe(2);
  expect(asked.filter((name) => name === "load_segment_bodies")).toEqual([]);
});

test("a page asks for no more than it shows", async () => {
  const { client, asked } = chunksOf(100, 200_000);
  const pages: number[][] = [];
  for await (const outputs of readOutputs(client, "run", 201, 3)) pages.push(outputs.map(({ index }) => index));
  expect(pages.flat()).toEqual([202, 203, 204]);
  expect(asked).toEqual(["read_next_segments"]);
});
