import { basename } from "node:path";
import { Command } from "@commander-js/extra-typings";
import type { Dataset, Rowmill } from "@rowmill/client";
import { DatasetIntakeError } from "@rowmill/client";
import type { Cli, CommandFile } from "../frame/command.ts";
import { tableOf } from "../frame/lists.ts";
import { plural } from "../frame/numbers.ts";
import { openInput } from "../map/input.ts";
import {
  delimiterOption,
  encodingOption,
  formatOption,
  headerRowOption,
  noteSkippedRows,
  readingOf,
  skipInvalidOption,
} from "../map/reading.ts";
import type { Reading } from "../map/reading.ts";
import { ensureDataset } from "../map/things.ts";
import { uploadProgress } from "../runs/upload-progress.ts";

export const upload: CommandFile = {
  examples: [
    ["rowmill upload customers.csv", "a dataset of a file; the same file again is the same dataset"],
    ["gzip -c rows.jsonl | rowmill upload - --name 'Rows of May'", "of a pipe, packed or not"],
    ["rowmill upload https://example.com/rows.parquet", "of a file that the service fetches by itself"],
  ],
  create: (cli) =>
    new Command("upload")
      .description("Make a dataset of a file.")
      .argument("<file>", "CSV, TSV, JSON, JSON Lines or Parquet, packed or not; - for stdin, or an https address")
      .option("--name <text>", "name of the dataset; the file's, if absent")
      .addOption(formatOption())
      .addOption(encodingOption())
      .addOption(delimiterOption())
      .addOption(headerRowOption())
      .addOption(skipInvalidOption())
      .action(async (file, { name, ...reading }) => {
        const rowmill = await cli.client();
        const dataset = /^https?:\/\//i.test(file)
          ? await fetchDataset(cli, rowmill, file, name, reading)
          : await sendFile(cli, rowmill, file, name, reading);
        await noteSkippedRows(cli, rowmill, dataset, reading);
        cli.output.result(dataset, () => describeDataset(cli, dataset));
      }),
};

async function sendFile(
  cli: Cli,
  rowmill: Rowmill,
  file: string,
  name: string | undefined,
  reading: Reading,
): Promise<Dataset> {
  const input = await openInput(cli, file);
  const progress = uploadProgress(cli, input.sizeBytes);
  try {
    const named = name === undefined ? input : { ...input, name };
    const dataset = await ensureDataset(cli, rowmill, named, {
      reading,
      onProgress: (sent, news) => progress.update(sent, news),
    });
    // The same content may be there under another name.
    if (name === undefined || dataset.name === name) return dataset;
    return await rowmill.datasets.update(dataset.id, { name }, { signal: cli.signal });
  } finally {
    progress.stop();
    input.close();
  }
}

async function fetchDataset(
  cli: Cli,
  rowmill: Rowmill,
  url: string,
  name: string | undefined,
  reading: Reading,
): Promise<Dataset> {
  const { signal } = cli;
  const { id } = await rowmill.datasetUploads.create(
    {
      name: name ?? (basename(new URL(url).pathname) || url),
      source: { type: "url", url },
      ...readingOf(reading),
    },
    { signal },
  );
  const progress = uploadProgress(cli, undefined);
  try {
    const ended = await rowmill.datasetUploads.waitFor(id, {
      signal,
      onProgress: (news) => progress.update(news.bytesReceived, news),
    });
    if (ended.state !== "completed" || ended.datasetId === null) throw new DatasetIntakeError(ended);
    return await rowmill.datasets.get(ended.datasetId, { signal });
  } finally {
    progress.stop();
  }
}

function describeDataset(cli: Cli, { id, name, rowCount, columns }: Dataset): string {
  const table = tableOf(cli, columns, [
    ["column", (column) => column.name],
    ["type", ({ type }) => type],
    ["empty", ({ nullCount }) => nullCount],
  ]);
  return `${cli.terminal.style("stdout", "bold", id)} ${name}: ${plural(rowCount, "row")}\n\n${table}`;
}
