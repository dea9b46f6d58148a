import type { Handlers, PlainHandlers } from "../../platform/http/handlers.ts";
import { receiveContent } from "./content.ts";
import { cancelDatasetUpload, getDatasetUpload, listDatasetUploads, prepareDatasetUpload } from "./dataset-uploads.ts";
import type { UploadServices } from "./dataset-uploads.ts";

export const datasetUploadRoutes = (services: UploadServices) =>
  ({
    createDatasetUpload: { prepare: (_db, caller, { body }) => prepareDatasetUpload(services, caller, body) },
    listDatasetUploads: (db, caller, { page }) => listDatasetUploads(services, db, caller, page),
    getDatasetUpload: (db, caller, { params }) => getDatasetUpload(services, db, caller, params.datasetUploadId),
    cancelDatasetUpload: (tx, caller, { params }) => cancelDatasetUpload(services, tx, caller, params.datasetUploadId),
  }) satisfies Partial<Handlers>;

export const datasetUploadPlainRoutes = (services: UploadServices) =>
  ({
    putDatasetUploadContent: (database, request, reply, caller, params) =>
      receiveContent(services, database, request, reply, caller, params.datasetUploadId),
  }) satisfies Partial<PlainHandlers>;
