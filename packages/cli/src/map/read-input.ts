/** The dataset of the input file of `rowmill map`: found again, or sent and read. */
import type { Dataset, Rowmill } from "@rowmill/client";
import type { Cli } from "../frame/command.ts";
import { usageProblem } from "../frame/problem.ts";
import { uploadProgress } from "../runs/upload-progress.ts";
import type { InputFile } from "./input.ts";
import { noteSkippedRows } from "./reading.ts";
import type { Reading } from "./reading.ts";
import { ensureDataset } from "./things.ts";

export async function readInput(cli: Cli, rowmill: Rowmill, input: InputFile, reading: Reading): Promise<Dataset> {
  const progress = uploadProgress(cli, input.sizeBytes, "upload");
  const dataset = await ensureDataset(cli, rowmill, input, {
    reading,
    onProgress: (bytesSent, upload) => progress.update(bytesSent, upload),
  }).finally(() => progress.stop());
  cli.output.event("dataset", { datasetId: dataset.id, rowCount: dataset.rowCount });
  await noteSkippedRows(cli, rowmill, dataset, reading);
  if (dataset.rowCount === 0) throw usageProblem(`${input.name} has no rows.`, "Name a file with rows.");
  return dataset;
}
