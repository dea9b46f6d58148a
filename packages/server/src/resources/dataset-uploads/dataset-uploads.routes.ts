import type { Handlers } from "../../platform/http/handlers.ts";
import { cancelDatasetUpload, getDatasetUpload, listDatasetUploads } from "./dataset-uploads.ts";
import type { UploadParts } from "./dataset-uploads.ts";

export const datasetUploadRoutes = (parts: UploadParts) =>
  ({
    listDatasetUploads: (db, caller, { page }) => listDatasetUploads(parts, db, caller, page),
    getDatasetUpload: (db, caller, { params }) => getDatasetUpload(parts, db, caller, params.datasetUploadId),
    cancelDatasetUpload: (tx, caller, { params }) => cancelDatasetUpload(parts, tx, caller, params.datasetUploadId),
  }) satisfies Partial<Handlers>;
