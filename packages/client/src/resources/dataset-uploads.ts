import { contentSource, mayBeRepeated } from "../content.ts";
import type { Content, ContentSource } from "../content.ts";
import { RowmillApiError, RowmillConnectionError } from "../errors.ts";
import { list } from "../lists.ts";
import type { List } from "../lists.ts";
import { sendResumably } from "../resumable-upload.ts";
import { readJson } from "../transport.ts";
import type { Transport } from "../transport.ts";
import type { Body, CreateOptions, DatasetUpload, ListQuery, RequestOptions } from "../types.ts";
import { sendable } from "../upload.ts";
import type { SendProgress } from "../upload.ts";
import { waitingReader, waitingRequest, waitUntil } from "../wait.ts";
import type { WaitOptions } from "../wait.ts";

export interface UploadContentOptions extends RequestOptions {
  /** The size of content that does not know it itself; the service refuses another. */
  sizeBytes?: number | undefined;
  onProgress?: ((progress: SendProgress) => void) | undefined;
  /** After a broken connection goes on where the service has got to. For a Blob, bytes, or a string. */
  resumable?: boolean | undefined;
}

const endedStates: Record<DatasetUpload["state"], boolean> = {
  awaiting_content: false,
  processing: false,
  completed: true,
  failed: true,
  expired: true,
  canceled: true,
};

export class DatasetUploads {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  create(body: Body<"createDatasetUpload">, options?: CreateOptions): Promise<DatasetUpload> {
    return this.#transport.json("POST", "/v1/dataset-uploads", { ...options, body });
  }

  list(query?: ListQuery<"listDatasetUploads">, options?: RequestOptions): List<DatasetUpload> {
    return list(this.#transport, "/v1/dataset-uploads", { query, options });
  }

  /** With `waitSeconds` (up to 30) the response waits for the upload to end. */
  get(datasetUploadId: string, options: RequestOptions & { waitSeconds?: number } = {}): Promise<DatasetUpload> {
    const { waitSeconds = 0, ...request } = options;
    const waiting = waitingRequest(this.#transport, waitSeconds, request);
    return this.#transport.json("GET", "/v1/dataset-uploads/{datasetUploadId}", {
      ...waiting,
      path: { datasetUploadId },
    });
  }

  /** Only while it awaits its content. */
  cancel(datasetUploadId: string, options?: CreateOptions): Promise<DatasetUpload> {
    return this.#transport.json("POST", "/v1/dataset-uploads/{datasetUploadId}/cancel", {
      ...options,
      path: { datasetUploadId },
    });
  }

  /**
   * Streams the content, of any size, in constant memory. Tried again if the content can be read again: a Blob, bytes, a string.
   * Of what is read once, such as a stream, 4 MiB are kept: it is tried again as long as no more was taken. With `resumable`,
   * only the rest is sent again.
   */
  uploadContent(datasetUploadId: string, content: Content, options?: UploadContentOptions): Promise<DatasetUpload> {
    return sendContent(this.#transport, datasetUploadId, contentSource(content), options);
  }

  /** The upload that is no longer worked on: look at its `state`. */
  waitFor(datasetUploadId: string, options: WaitOptions<DatasetUpload> = {}): Promise<DatasetUpload> {
    const read = waitingReader(options.pollSeconds, (request) => this.get(datasetUploadId, request));
    const isOver = ({ state }: DatasetUpload): boolean => endedStates[state];
    return waitUntil(this.#transport, `dataset upload ${datasetUploadId}`, read, isOver, options);
  }
}

/** Its content has arrived, whatever became of it. */
export const hasContent = ({ state }: DatasetUpload): boolean =>
  state === "processing" || state === "completed" || state === "failed";

export async function sendContent(
  transport: Transport,
  datasetUploadId: string,
  source: ContentSource,
  { sizeBytes, onProgress, resumable, ...request }: UploadContentOptions = {},
): Promise<DatasetUpload> {
  const size = sizeBytes ?? source.sizeBytes;
  if (resumable === true && (source.sizeBytes === null || !source.isReplayable))
    throw new TypeError("only a Blob, bytes, or a string can be sent resumably");
  // An empty one has nothing to go on with.
  if (resumable === true && source.sizeBytes !== null && source.sizeBytes > 0)
    return sendResumably(
      transport,
      datasetUploadId,
      { ...source, sizeBytes: source.sizeBytes },
      { ...request, onProgress },
    );
  const headers: Record<string, string> = { ...request.headers, "content-type": "application/octet-stream" };
  if (size !== null) headers["content-length"] = String(size);
  const content = sendable({ ...source, sizeBytes: size }, onProgress);
  const path = { datasetUploadId };
  try {
    const response = await transport.send(
      "PUT",
      "/v1/dataset-uploads/{datasetUploadId}/content",
      { ...request, headers, path, content },
      readJson,
    );
    return response as DatasetUpload; // says the contract
  } catch (error) {
    if (error instanceof RowmillConnectionError && !mayBeRepeated(source))
      throw new RowmillConnectionError(
        `${error.message}. The content can be read only once, and was not sent again: give a file, an array or a Blob for that`,
        { cause: error },
      );
    // Its content is there: an earlier attempt, or the caller before a restart, has sent it and lost the response.
    if (!(error instanceof RowmillApiError) || error.code !== "invalid_state") throw error;
    const upload = await transport.json("GET", "/v1/dataset-uploads/{datasetUploadId}", { ...request, path });
    if (!hasContent(upload)) throw error;
    return upload;
  }
}
