/** The rows of a dataset, as they are stored. */
import { JsonText } from "@rowmill/contract/json-text";
import type { DatasetRow } from "@rowmill/contract/datasets";
import { statementsOf } from "../../platform/database/database.ts";
import { notFound } from "../../platform/http/errors.ts";
import type { OperationFunction } from "../../platform/http/handlers.ts";
import { MAX_PAGE_CHARACTERS } from "../../platform/http/pages.ts";
import { makeRowId, parseRowId, rowIdPrefix } from "../../platform/ids.ts";
import { readChunksFrom } from "./chunk-store.ts";
import { findReadyDataset } from "./datasets.ts";

const listDatasetRows: OperationFunction<"listDatasetRows"> = async (db, caller, { params, filters, page }) => {
  const id = params.datasetId;
  const { fromIndex = 0 } = filters;
  await findReadyDataset(db, caller, id);
  const prefix = rowIdPrefix(id);
  const from = page.after === undefined ? fromIndex : Number(page.after[0]) + 1;
  const data: JsonText<DatasetRow>[] = [];
  let size = 0;
  for await (const chunk of readChunksFrom(statementsOf(db), id, from)) {
    for (let i = Math.max(0, from - chunk.firstRow); i < chunk.lines.length; i++) {
      const index = chunk.firstRow + i;
      if (data.length === page.limit || size >= MAX_PAGE_CHARACTERS) return { data, next: [index - 1] };
      const line = chunk.lines[i] ?? "";
      data.push(makeRow(prefix, index, line));
      size += line.length;
    }
  }
  return { data, next: null };
};

const getDatasetRow: OperationFunction<"getDatasetRow"> = async (db, caller, { params }) => {
  const { datasetId: id, datasetRowId: rowId } = params;
  await findReadyDataset(db, caller, id);
  const parsed = parseRowId(rowId);
  if (parsed?.datasetId !== id) throw notFound("dataset row");
  for await (const chunk of readChunksFrom(statementsOf(db), id, parsed.index)) {
    const line = chunk.lines[parsed.index - chunk.firstRow];
    if (line !== undefined) return makeRow(rowIdPrefix(id), parsed.index, line);
    break;
  }
  throw notFound("dataset row");
};

/** The row as it is stored: its numbers keep all their digits. */
const makeRow = (prefix: string, index: number, line: string): JsonText<DatasetRow> =>
  new JsonText(`{"id":"${makeRowId(prefix, index)}","index":${index},"data":${line}}`);

export const datasetRowOperations = { listDatasetRows, getDatasetRow };
