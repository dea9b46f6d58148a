/** The page `docs/performance.md`, and the lines of the README, from what was measured. */
import type { MeasuredRow } from "./table.ts";

/** `options`: those that it was measured with. */
export const describePage = (machine: string, table: string, minutes: number, options: string): string => `# Performance

Measured by \`npm run bench -- ${options}\`, which takes ${Math.ceil(minutes)} minutes and writes this page. Everything is
measured through the API of one service process, in turns with what it is compared with, in one go. Machines differ: the ratios count.
A median stands beside its lowest and its highest round; a p99 is one value. A round of runs begins after a checkpoint, and when no vacuum is under way.

- \`COPY\` is PostgreSQL's \`COPY … FROM STDIN\` by one client, of the same outputs, into \`(run_id int, idx int, state smallint, output jsonb, primary key (run_id, idx))\`.
- The job queues have a job for each row, compute the same, and store the same outputs in such a table. *Tuned* are the settings that their manuals recommend
  for throughput, with the outputs of up to 500 jobs in one statement; *default* is a job at a time. Their time includes the insertion of the jobs.
- Rows have 252 bytes of JSON; outputs of \`mock\` have them again, those of \`transform\` four members of them.

${machine}

## Results
${table}
`;

/** Those that the README has. */
const README_ROWS = [
  /^run/,
  /÷ `COPY`$/,
  /÷ (?:graphile-worker|pg-boss|BullMQ), tuned$/,
  /^creating a run/,
  /^page of 100 `outputs`/,
  /÷ one$/,
  /rows are gone/,
  /^on disk/,
];

export function describeReadmeLines(rows: readonly MeasuredRow[], machine: string): string {
  const chosen = rows.filter(({ what }) => README_ROWS.some((pattern) => pattern.test(what)));
  return [
    machine,
    "",
    "| | measured | median | lowest – highest |",
    "|---|---|---|---|",
    ...chosen.map(({ section, what, median, spread }) => `| ${section} | ${what} | ${median} | ${spread} |`),
    "",
    "All numbers, how they were measured, and what the remaining time goes to: [docs/performance.md](docs/performance.md).",
  ].join("\n");
}
