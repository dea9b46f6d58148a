import { createHeldLocks } from "../../platform/database/held-locks.ts";
import type { Handlers, PlainHandlers } from "../../platform/http/handlers.ts";
import { receiveContent } from "../../intake/content.ts";
import { cancelDatasetUpload, getDatasetUpload, listDatasetUploads, prepareDatasetUpload } from "./dataset-uploads.ts";
import type { UploadServices } from "./dataset-uploads.ts";
import { appendContent, beginContent, describeProtocol, readOffset } from "../../intake/resumable-content.ts";
import { createTransfers } from "../../intake/transfers.ts";

export const datasetUploadRoutes = (services: UploadServices) =>
  ({
    createDatasetUpload: { prepare: (_db, caller, { body }) => prepareDatasetUpload(services, caller, body) },
    listDatasetUploads: (db, caller, { page }) => listDatasetUploads(services, db, caller, page),
    getDatasetUpload: (db, caller, { params }) => getDatasetUpload(services, db, caller, params.datasetUploadId),
    cancelDatasetUpload: (tx, caller, { params }) => cancelDatasetUpload(services, tx, caller, params.datasetUploadId),
  }) satisfies Partial<Handlers>;

export const datasetUploadPlainRoutes = (services: UploadServices) => {
  const transfers = createTransfers(createHeldLocks(services.database.pool));
  return {
    putDatasetUploadContent: (database, request, reply, caller, params) =>
      receiveContent(services, database, request, reply, caller, params.datasetUploadId),
    getResumableUploadSupport: (_database, _request, reply) => Promise.resolve(describeProtocol(services, reply)),
    beginResumableContent: (database, request, reply, caller, params) =>
      beginContent({ services, transfers, database, request, reply, caller, id: params.datasetUploadId }),
    getResumableContentOffset: (database, request, reply, caller, params) =>
      readOffset({ services, transfers, database, request, reply, caller, id: params.datasetUploadId }),
    appendResumableContent: (database, request, reply, caller, params) =>
      appendContent({ services, transfers, database, request, reply, caller, id: params.datasetUploadId }),
  } satisfies Partial<PlainHandlers>;
};
