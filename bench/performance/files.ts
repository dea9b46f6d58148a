/** Files in and out: intake and exports, in turns with `COPY` of the same rows. */
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Rowmill } from "@rowmill/client";
import { copyFile, copyIn, copyOut, outputTable, withClient, writeCopyFile } from "../support/plain-table.ts";
import { writeRowFiles } from "../support/row-files.ts";
import type { RowFormat } from "../support/row-files.ts";
import { benchLines } from "../support/rows.ts";
import { perSecond, times } from "./table.ts";
import type { Table } from "./table.ts";
import { makeRunToRead } from "./run-times.ts";
import type { RunToRead } from "./run-times.ts";
import { from as copyFrom } from "pg-copy-streams";
import type { World } from "./world.ts";

type ExportBody = Parameters<Rowmill["exports"]["create"]>[1];

/** What the benchmarks' transform makes. */
const COLUMNS = ["id", "label", "total", "note"];
const PLAIN = "plain_outputs";

const lines = `copy (select '{"index":' || idx || ',"data":' || output || '}' from ${PLAIN} order by idx) to stdout (format csv, quote e'\\x01', delimiter e'\\x02')`;
const table = `copy (select idx, ${COLUMNS.map((name) => `output->>'${name}'`).join(", ")} from ${PLAIN} order by idx) to stdout (format csv, header)`;
const kinds: Record<string, { body: ExportBody; copy: string; least: number }> = {
  "JSON Lines": { body: { type: "outputs", format: "jsonl" }, copy: lines, least: 0.9 },
  CSV: { body: { type: "outputs", format: "csv" }, copy: table, least: 0.6 },
  Parquet: { body: { type: "outputs", format: "parquet" }, copy: table, least: 0.5 },
};

export async function measureExports(world: World, results: Table, rows: number): Promise<void> {
  const { service, sizes, folder, connectionString } = world;
  const run = await makeRunToRead(world, rows);
  results.section(
    `Exports of ${run.rows.toLocaleString("en")} outputs`,
    "`COPY` is `copy (select …) to` of the same members from a plain table; for Parquet it is that of CSV.",
  );
  await makePlainTable(world, run);
  for (const [name, { body, copy, least }] of Object.entries(kinds)) {
    const rates: number[] = [];
    const ratios: number[] = [];
    for (let round = 0; round < sizes.rounds; round++) {
      const copied = run.rows / (await copyOut(connectionString, copy, join(folder, "copied")));
      const created = await service.rowmill.exports.create(run.id, body);
      const ended = await service.rowmill.exports.waitFor(created.id, { timeoutMs: 600_000 });
      if (ended.status !== "ready" || ended.rowCount !== run.rows)
        throw new Error(`the export ended as ${ended.status}`);
      const rate = run.rows / ((Date.parse(ended.finishedAt ?? "") - Date.parse(ended.createdAt)) / 1000);
      rates.push(rate);
      ratios.push(rate / copied);
    }
    results.add({ what: `${name}, rows`, samples: rates, show: perSecond });
    results.add({ what: `${name} ÷ \`COPY\``, samples: ratios, show: times, goal: { least } });
  }
  await withClient(connectionString, (client) => client.query(`drop table ${PLAIN}`));
}

async function makePlainTable({ service, connectionString }: World, run: RunToRead): Promise<void> {
  await withClient(connectionString, async (client) => {
    await client.query(`drop table if exists ${PLAIN}`);
    await client.query(outputTable(PLAIN));
    const outputs = service.rowmill.runs.outputs(run.id, { limit: 1_000 });
    async function* text(): AsyncGenerator<string> {
      for await (const { index, data } of outputs)
        yield `1\t${index}\t1\t${JSON.stringify(data).replaceAll("\\", "\\\\")}\n`;
    }
    await pipeline(Readable.from(text()), client.query(copyFrom(`copy ${PLAIN} from stdin`)));
    await client.query(`vacuum analyze ${PLAIN}`);
  });
}

const intakes = { csv: "CSV", jsonl: "JSON Lines", parquet: "Parquet" } as const;

export async function measureIntake(world: World, results: Table, rows: number): Promise<void> {
  const { service, sizes, folder, connectionString } = world;
  results.section(
    `Intake of ${rows.toLocaleString("en")} rows`,
    [
      "From the creation of the upload to the ready dataset, one upload after the other. `COPY` is that of the same rows as `jsonb`, with a key, as above: what they are in a dataset.",
      "*Of the file* is `COPY` of the CSV file into a table of its columns with a key, and of the JSON Lines file into one of a single `jsonb` column, which has no key and no numbers of rows.",
    ].join("\n"),
  );
  const pathOf = await writeRowFiles(folder, rows);
  const copyPath = join(folder, "copied-rows");
  await writeCopyFile(copyPath, rows, (from) => Promise.resolve(benchLines(from, rows)));
  for (const [format, name] of Object.entries(intakes) as [RowFormat, string][]) {
    const rates: number[] = [];
    const ratios: number[] = [];
    const fileRatios: number[] = [];
    for (let round = 0; round < sizes.rounds; round++) {
      const copied = rows / (await copyIn(connectionString, "copied_rows", copyPath));
      const fileSeconds = format === "parquet" ? undefined : await copyFile(connectionString, format, pathOf(format));
      const startedAt = performance.now();
      await service.rowmill.datasets.upload({ name: format, format, content: createReadStream(pathOf(format)) });
      const rate = rows / ((performance.now() - startedAt) / 1000);
      rates.push(rate);
      ratios.push(rate / copied);
      if (fileSeconds !== undefined) fileRatios.push((rate / rows) * fileSeconds);
    }
    results.add({ what: `${name}, rows`, samples: rates, show: perSecond });
    results.add({ what: `${name} ÷ \`COPY\``, samples: ratios, show: times, goal: { least: 1 } });
    if (fileRatios.length > 0)
      results.add({ what: `${name} ÷ \`COPY\` of the file`, samples: fileRatios, show: times });
  }
  await withClient(connectionString, (client) => client.query("drop table copied_rows"));
}
