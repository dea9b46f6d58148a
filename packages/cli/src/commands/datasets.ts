import { Command } from "@commander-js/extra-typings";
import type { Cli, CommandFile } from "../frame/command.ts";
import { parseExactly } from "../frame/exact-json.ts";
import { describeIntakeErrors } from "../frame/explain-error.ts";
import { findId } from "../frame/find.ts";
import { ago, describeThing, pageSize, printList, tableOf } from "../frame/lists.ts";
import { count } from "../frame/numbers.ts";
import { writeLines } from "../frame/rows.ts";
import { shownOption } from "../runs/run-options.ts";
import { streamRows } from "../runs/stream-rows.ts";

export const datasets: CommandFile = {
  examples: [
    ["rowmill datasets", "the newest datasets"],
    ["rowmill datasets show customers.csv", "its columns with their types"],
    ["rowmill datasets rows @last -n 3", "its first rows as JSON lines"],
    ["rowmill datasets delete ds_01jd3v", "delete it, unless a run needs it"],
  ],
  create: (cli) =>
    new Command("datasets")
      .description("List, show and delete datasets.")
      .addOption(shownOption())
      .action(({ limit }) => listDatasets(cli, limit))
      .addCommand(
        new Command("show")
          .description("Show a dataset and its columns.")
          .argument("<dataset>", "id, beginning of it, name, or @last")
          .action((dataset) => showDataset(cli, dataset)),
      )
      .addCommand(
        new Command("rows")
          .description("Print rows of a dataset as JSON lines.")
          .argument("<dataset>", "id, beginning of it, name, or @last")
          .addOption(shownOption())
          .action((dataset, { limit }) => printRows(cli, dataset, limit)),
      )
      .addCommand(
        new Command("delete")
          .description("Delete a dataset that no run needs.")
          .argument("<dataset>", "id, beginning of it, name, or @last")
          .action((dataset) => deleteDataset(cli, dataset)),
      ),
};

async function listDatasets(cli: Cli, limit: number | undefined): Promise<void> {
  const rowmill = await cli.client();
  await printList(cli, rowmill.datasets.list({ limit: pageSize(limit) }, { signal: cli.signal }), {
    limit,
    empty: "There are no datasets yet: `rowmill upload FILE` makes one.",
    columns: [
      ["dataset", ({ id }) => id],
      ["rows", ({ rowCount }) => count(rowCount)],
      ["columns", ({ columns }) => columns.length],
      ["state", ({ state }) => state],
      ["made", ({ createdAt }) => ago(createdAt)],
      ["name", ({ name }) => name],
    ],
  });
}

async function showDataset(cli: Cli, typed: string): Promise<void> {
  const rowmill = await cli.client();
  const { signal } = cli;
  const dataset = await rowmill.datasets.get(await findId(rowmill, "dataset", typed), { signal });
  const { state, uploadId } = dataset;
  const upload =
    state === "failed" && uploadId !== null ? await rowmill.datasetUploads.get(uploadId, { signal }) : undefined;
  cli.output.result(dataset, () => {
    const { columns, metadata: _, ...members } = dataset;
    if (upload !== undefined) return describeThing(cli, { ...members, reason: describeIntakeErrors(upload.errors) });
    const table = tableOf(cli, columns, [
      ["column", ({ name }) => name],
      ["type", ({ type }) => type],
      ["empty", ({ nullCount }) => nullCount],
    ]);
    return `${describeThing(cli, members)}\n\n${table}`;
  });
}

async function printRows(cli: Cli, typed: string, limit: number | undefined): Promise<void> {
  const rowmill = await cli.client();
  const id = await findId(rowmill, "dataset", typed);
  const options = { signal: cli.signal, parseJson: parseExactly };
  // A stream begins with a page of the largest size.
  const list =
    limit === undefined || limit > pageSize(limit)
      ? streamRows((fromIndex) => rowmill.datasets.rows(id, { fromIndex }, options))
      : rowmill.datasets.rows(id, { limit }, options);
  await writeLines(cli, list, ({ data }) => data, limit);
}

async function deleteDataset(cli: Cli, typed: string): Promise<void> {
  const rowmill = await cli.client();
  const id = await findId(rowmill, "dataset", typed);
  await rowmill.datasets.delete(id, { signal: cli.signal });
  cli.output.result({ id, deleted: true }, () => `${id} is deleted.`);
}
