/** The benchmarks' rows: 252 bytes of JSON, seven members. */
export interface BenchRow {
  id: number;
  name: string;
  city: string;
  zip: string;
  amount: number;
  active: boolean;
  note: string;
}

export const benchRow = (id: number): BenchRow => ({
  id,
  name: `Customer ${String((id * 2_654_435_761) % 4_294_967_296).padStart(10, "0")}`,
  city: ["Bern", "Lima", "Oslo", "Rome"][id % 4] ?? "",
  zip: String(id % 100_000).padStart(5, "0"),
  amount: (id % 100_000) / 8,
  active: id % 3 === 0,
  note: `Order ${String(id % 517).padStart(3, "0")} was left at the door and signed for by a neighbour who lives on the second floor, left.`,
});

/** Rows from one on as JSON, some hundreds at most; fewer where there are no more. */
export const benchLines = (from: number, count: number): string[] =>
  Array.from({ length: Math.min(500, count - from) }, (_, index) => JSON.stringify(benchRow(from + index)));

export async function* benchJsonl(count: number): AsyncGenerator<Uint8Array> {
  const ROWS_PER_PIECE = 500;
  for (let id = 0; id < count; id += ROWS_PER_PIECE) {
    let text = "";
    for (let i = id; i < Math.min(count, id + ROWS_PER_PIECE); i++) text += `${JSON.stringify(benchRow(i))}\n`;
    yield Buffer.from(text);
  }
}

/** What the benchmarks' transform computes, in the sandbox and beside it. */
export const TRANSFORM_CODE =
  "export default (row) => ({ id: row.id, label: row.name.toUpperCase() + ', ' + row.city, total: Math.round(row.amount * 108) / 100, note: row.note })";
