/** The operations that receive the bytes of an upload; they write the response by themselves. */
import { createSessionLocks } from "../platform/database/session-locks.ts";
import type { PlainHandlers } from "../platform/http/handlers.ts";
import { receiveContent } from "./content.ts";
import type { IntakeParts } from "./intake-parts.ts";
import { appendContent, beginContent, describeProtocol, readOffset } from "./resumable-content.ts";
import { createTransfers } from "./transfers.ts";

/** `closing` aborts when the service stops. */
export const createIntakePlainHandlers = ({ closing, ...services }: IntakeParts & { closing: AbortSignal }) => {
  const transfers = createTransfers(createSessionLocks(services.database.pool), closing);
  return {
    putDatasetUploadContent: (database, request, reply, caller, params) =>
      receiveContent(database, request, reply, caller, params.datasetUploadId, services),
    getResumableUploadSupport: (_database, _request, reply) => Promise.resolve(describeProtocol(services, reply)),
    beginResumableContent: (database, request, reply, caller, params) =>
      beginContent({ services, transfers, database, request, reply, caller, id: params.datasetUploadId }),
    getResumableContentOffset: (database, request, reply, caller, params) =>
      readOffset({ services, transfers, database, request, reply, caller, id: params.datasetUploadId }),
    appendResumableContent: (database, request, reply, caller, params) =>
      appendContent({ services, transfers, database, request, reply, caller, id: params.datasetUploadId }),
  } satisfies Partial<PlainHandlers>;
};
