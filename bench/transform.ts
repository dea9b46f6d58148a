/**
 * Rows per second of the transform processor through `processRows`, as a worker calls it: 500 rows a call, a few at
 * a time. `node bench/transform.ts [rows]`. CPU seconds are those of all threads of this process.
 */
import type { InputRow } from "@rowmill/server/processors/processor";
import { createTransformProcessor } from "@rowmill/server/processors/transform/transform";

const ROW_BYTES = 252;
const CALLS_AT_ONCE = 4;
const rowCount = Number(process.argv[2] ?? 200_000);

const transforms = {
  trivial: "export default (row) => ({ id: row.id });",
  moderate: `export default (row) => {
    const words = row.text.toLowerCase().split(/\\s+/).filter((word) => word.length > 3);
    const counts = {};
    for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
    return { id: row.id, total: Math.round(row.price * row.count * 100) / 100, words: words.length, counts, label: row.name.trim().toUpperCase() };
  };`,
};

const rows = Array.from({ length: rowCount }, (_, index): InputRow => ({ index, text: makeRow(index) }));

for (const [name, code] of Object.entries(transforms)) {
  // Measured one after the other.
  await measure(name, code);
}

async function measure(name: string, code: string): Promise<void> {
  const processor = createTransformProcessor();
  const context = { organizationId: "org_bench", runId: "run_bench", rootRunId: "run_bench", retryNumber: 0 };
  const step = await processor.prepare({ type: "transform", language: "javascript", code }, context);
  const signal = new AbortController().signal;
  const coldMs = await millisecondsOf(() => step.processRows(rows.slice(0, 1), signal));
  await step.processRows(rows.slice(0, step.maxRowsPerCall), signal);
  const warmMs = await millisecondsOf(() => step.processRows(rows.slice(0, 1), signal));

  const cpuBefore = process.cpuUsage();
  let next = 0;
  let failed = 0;
  const lane = async () => {
    while (next < rows.length) {
      const from = next;
      next += step.maxRowsPerCall;
      // A lane makes one call at a time.
      const outcomes = await step.processRows(rows.slice(from, from + step.maxRowsPerCall), signal);
      failed += outcomes.filter((outcome) => !outcome.ok).length;
    }
  };
  const wallMs = await millisecondsOf(() => Promise.all(Array.from({ length: CALLS_AT_ONCE }, lane)));
  const cpu = process.cpuUsage(cpuBefore);
  const cpuSeconds = (cpu.user + cpu.system) / 1e6;
  await processor.close();

  console.log(
    `${name}: ${perSecond(wallMs / 1000)} rows/s, ${perSecond(cpuSeconds)} rows per CPU second (${cpuSeconds.toFixed(2)} CPU seconds), ` +
      `first row ${coldMs.toFixed(1)} ms cold, ${warmMs.toFixed(1)} ms warm, ${failed} failed`,
  );
}

function perSecond(seconds: number): string {
  return Math.round(rowCount / seconds).toLocaleString("en");
}

async function millisecondsOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function makeRow(index: number): string {
  const row = { id: index, name: `Customer ${index}`, price: (index % 1_000) / 7, count: index % 13, text: "" };
  const missing = ROW_BYTES - JSON.stringify(row).length;
  row.text = "The quick brown fox jumps over the lazy dog and runs away again. ".repeat(4).slice(0, missing);
  return JSON.stringify(row);
}
