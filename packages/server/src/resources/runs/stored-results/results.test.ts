import { expect, test } from "vitest";
import type { Statements } from "../../../platform/database/database.ts";
import { encodeSegments } from "./segment-format.ts";
import { readOutputs, readResultHeads, readWholeResults } from "./read-results.ts";
import { SegmentsOfRuns } from "./segments-of-runs.ts";

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
      const isOfChunks = name.startsWith("read_segments");
      const [from, most] = [Number(values[1]), Number(values[2])];
      const window = name === "read_segments" ? 0 : Number(values.at(-1));
      if (name === "load_segment_bodies") {
        const chunkNos = values[1] as number[]; // as `loadBodies` passes them
        const bodies = await Promise.all(chunkNos.map(recordOf));
        return { rows: bodies.map(({ body }, i) => ({ n: i + 1, body })) };
      }
      const first = Math.floor((from + 1) / ROWS);
      const chunkNos = isOfChunks
        ? (values[1] as number[]) // as `readSegments` passes them
        : Array.from({ length: Math.max(0, Math.min(most, count - first)) }, (_unused, i) => first + i);
      let size = 0;
      const records = await Promise.all(chunkNos.map(recordOf));
      return {
        rows: records.map((record) => ({ ...record, body: (size += record.size) <= window ? record.body : null })),
      };
    },
  };
  return { client: client as unknown as Statements, asked }; // of its statements, some are asked
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

test("a page of whole results asks for heads and bodies at once, and for failures only of rows without a success", async () => {
  const positions = Array.from({ length: 3 * ROWS }, (_unused, index) => ({
    index,
    chunkNo: Math.floor(index / ROWS),
  }));
  const read = async (bodies: "with" | "without", outputBytes: number): Promise<string[]> => {
    const { client, asked } = chunksOf(3, outputBytes);
    const heads = (await readResultHeads(new SegmentsOfRuns(client, ["run"], bodies), positions)).get("run");
    const seen: number[] = [];
    for await (const window of readWholeResults(client, positions, ({ index }) => heads?.get(index)))
      for (const { item, result } of window) if (result !== undefined && "output" in result) seen.push(item.index);
    expect(seen).toEqual(positions.map(({ index }) => index));
    return asked;
  };
  expect(await read("with", 2_000)).toEqual(["read_segments_with_bodies"]);
  expect(await read("without", 2_000)).toEqual(["read_segments", "load_segment_bodies"]);
  // Three of these do not fit into one window: the third one is loaded when the others are done with.
  expect(await read("with", 900_000)).toEqual(["read_segments_with_bodies", "load_segment_bodies"]);
});
