import type { Handlers } from "../../platform/http/handlers.ts";
import { getColumnStatistics } from "./column-statistics.ts";
import { deleteDataset, getDataset, getDatasetRow, listDatasetRows, listDatasets, updateDataset } from "./datasets.ts";

export const datasetRoutes = () =>
  ({
    listDatasets: (db, caller, { filters, page }) => listDatasets(db, caller, filters, page),
    getDataset: (db, caller, { params }) => getDataset(db, caller, params.datasetId),
    updateDataset: (tx, caller, { params, body }) => updateDataset(tx, caller, params.datasetId, body),
    deleteDataset: (tx, caller, { params }) => deleteDataset(tx, caller, params.datasetId),
    listDatasetRows: (db, caller, { params, filters, page }) =>
      listDatasetRows(db, caller, params.datasetId, filters, page),
    getColumnStatistics: (db, caller, { params, query }) =>
      getColumnStatistics(db, caller, params.datasetId, query.fromColumn),
    getDatasetRow: (db, caller, { params }) => getDatasetRow(db, caller, params.datasetId, params.datasetRowId),
  }) satisfies Partial<Handlers>;
