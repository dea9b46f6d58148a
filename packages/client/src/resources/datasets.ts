import { contentSource, mayBeRepeated, rowsSource } from "../content.ts";
import type { Content, ContentSource } from "../content.ts";
import { DatasetIntakeError, RowmillApiError, RowmillError } from "../errors.ts";
import { list, rowList } from "../lists.ts";
import type { List, RowList } from "../lists.ts";
import type { Transport } from "../transport.ts";
import type {
  Body,
  ColumnStatistics,
  CreateOptions,
  Dataset,
  DatasetRow,
  DatasetUpload,
  ListQuery,
  RequestOptions,
} from "../types.ts";
import { DatasetUploads, hasContent, sendContent } from "./dataset-uploads.ts";

type UploadBody = Body<"createDatasetUpload">;

export interface UploadProgress {
  bytesSent: number;
  /** Null when the size is not known beforehand. */
  bytesTotal: number | null;
  /** The upload as the service works on it; null while the content is on its way. */
  upload: DatasetUpload | null;
}

/** One of `file`, `content`, `rows` and `url` says where the rows come from. */
export type DatasetInput = Omit<UploadBody, "source"> & {
  onProgress?: ((progress: UploadProgress) => void) | undefined;
} & (
    | { /** A path (Node only). */ file: string; content?: undefined; rows?: undefined; url?: undefined }
    | {
        content: Content;
        /** States the format when `format` does not. */
        filename?: string | undefined;
        sizeBytes?: number | undefined;
        file?: undefined;
        rows?: undefined;
        url?: undefined;
      }
    | {
        /** Sent as JSON lines. */ rows: Iterable<object> | AsyncIterable<object>;
        file?: undefined;
        content?: undefined;
        url?: undefined;
      }
    | { /** Fetched by the service. */ url: string; file?: undefined; content?: undefined; rows?: undefined }
  );

/** What is larger is worth the request more that going on after a broken connection costs. */
const RESUMABLE_BYTES = 64 * 1024 * 1024;

export class Datasets {
  readonly #transport: Transport;
  readonly #uploads: DatasetUploads;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.#uploads = new DatasetUploads(transport);
  }

  /**
   * Makes a dataset: opens an upload, sends the content, waits until the service has read it. Throws a DatasetIntakeError, with
   * the errors of each line, if it could not be read. With an `idempotencyKey` of your own, a call after a crash goes on with
   * the same upload; without one, an upload whose content was refused, or ended early, is canceled.
   */
  async upload(input: DatasetInput, options: CreateOptions = {}): Promise<Dataset> {
    const { file, content, rows, url, onProgress, ...named } = input;
    const { filename, sizeBytes, ...described } = { filename: undefined, sizeBytes: undefined, ...named };
    const { idempotencyKey: _, ...request } = options;
    const source = await sourceOf({ file, content, rows });
    let sent = { bytesSent: 0, bytesTotal: sizeBytes ?? source?.sizeBytes ?? null };

    const body: UploadBody = {
      ...described,
      ...(rows === undefined ? {} : { format: "jsonl" }),
      source:
        url !== undefined
          ? { type: "url", url }
          : { type: "upload", filename: filename ?? source?.filename, sizeBytes: sent.bytesTotal ?? undefined },
    };
    const upload = await this.#uploads.create(body, options);
    let isSending = true;
    if (source !== undefined) {
      const sending = sendContent(this.#transport, upload.id, source, {
        ...request,
        sizeBytes,
        resumable:
          source.isReplayable && (source.sizeBytes ?? 0) > RESUMABLE_BYTES && upload.upload?.resumableUrl !== undefined,
        // The end of the content may be reported when the response is there already.
        onProgress: (progress) => {
          sent = progress;
          if (isSending) onProgress?.({ ...sent, upload: null });
        },
      });
      try {
        await sending;
      } catch (error) {
        // With a key, the caller goes on with the same upload.
        if (options.idempotencyKey !== undefined) throw error;
        const last = { ...request, ...LAST_REQUEST };
        // Of content that was sent once, this was the only attempt: the service may be on its way back.
        const hasArrived =
          !isOver(error) && (await this.#hasArrived(upload.id, mayBeRepeated(source) ? last : request));
        // What the caller has to know is why the content was not taken, or else what became of it.
        if (!hasArrived && ((await this.#isCanceled(upload.id, last)) || isOver(error))) throw error;
      }
      isSending = false;
      sent = { ...sent, bytesSent: sent.bytesTotal ?? sent.bytesSent };
    }
    const ended = await this.#uploads.waitFor(upload.id, {
      signal: options.signal,
      onProgress: (upload) => onProgress?.({ ...sent, upload }),
    });
    if (ended.state !== "completed" || ended.datasetId === null) throw new DatasetIntakeError(ended);
    return this.get(ended.datasetId, request);
  }

  /** Whether the service has all of the content, and only its response was lost. */
  async #hasArrived(datasetUploadId: string, request: RequestOptions): Promise<boolean> {
    try {
      return hasContent(await this.#uploads.get(datasetUploadId, request));
    } catch {
      // The error of the content is what the caller has to know.
      return false;
    }
  }

  /**
   * Else the upload would keep for a day what it has reserved of the organization's storage, which can be all that was left; where the
   * service is away, it keeps it. False where the service refuses, since the content has arrived.
   */
  async #isCanceled(datasetUploadId: string, request: RequestOptions): Promise<boolean> {
    try {
      await this.#uploads.cancel(datasetUploadId, request);
      return true;
    } catch (error) {
      return !(error instanceof RowmillApiError && error.code === "invalid_state");
    }
  }

  list(query?: ListQuery<"listDatasets">, options?: RequestOptions): List<Dataset> {
    return list(this.#transport, "/v1/datasets", { query, options });
  }

  get(datasetId: string, options?: RequestOptions): Promise<Dataset> {
    return this.#transport.json("GET", "/v1/datasets/{datasetId}", { ...options, path: { datasetId } });
  }

  update(datasetId: string, body: Body<"updateDataset">, options?: RequestOptions): Promise<Dataset> {
    return this.#transport.json("PATCH", "/v1/datasets/{datasetId}", { ...options, path: { datasetId }, body });
  }

  /** How the values of its columns are distributed. */
  columnStatistics(
    datasetId: string,
    query: { fromColumn?: number | undefined } = {},
    options?: RequestOptions,
  ): Promise<ColumnStatistics> {
    return this.#transport.json("GET", "/v1/datasets/{datasetId}/column-statistics", {
      ...options,
      path: { datasetId },
      query,
    });
  }

  /** Refused while a run needs it. */
  delete(datasetId: string, options?: RequestOptions): Promise<undefined> {
    return this.#transport.json("DELETE", "/v1/datasets/{datasetId}", { ...options, path: { datasetId } });
  }

  /** `rows<Review>(…)` gives `data` that type; the client does not check it. */
  rows<Data = DatasetRow["data"]>(
    datasetId: string,
    query?: ListQuery<"listDatasetRows">,
    options?: RequestOptions,
  ): RowList<DatasetRow<Data>> {
    return rowList(this.#transport, "/v1/datasets/{datasetId}/rows", { path: { datasetId }, query, options });
  }

  /** `row<Review>(…)` gives `data` that type, as in `rows`. */
  row<Data = DatasetRow["data"]>(
    datasetId: string,
    datasetRowId: string,
    options?: RequestOptions,
  ): Promise<DatasetRow<Data>> {
    const path = { datasetId, datasetRowId };
    const row = this.#transport.json("GET", "/v1/datasets/{datasetId}/rows/{datasetRowId}", { ...options, path });
    return row as Promise<DatasetRow<Data>>; // the type that the caller knows
  }
}

/** The caller waits for an error, or has aborted the upload. */
const LAST_REQUEST = { signal: undefined, maxRetries: 1, timeoutMs: 5_000 };

/** Neither may the content have arrived, nor can the service be out of reach: it was refused, or its source has failed, or the caller has aborted it. */
const isOver = (error: unknown): boolean =>
  error instanceof RowmillApiError
    ? error.status < 500 && error.status !== 429 && error.code !== "invalid_state"
    : !(error instanceof RowmillError);

async function sourceOf(input: Pick<DatasetInput, "file" | "content" | "rows">): Promise<ContentSource | undefined> {
  if (input.content !== undefined) return contentSource(input.content);
  if (input.rows !== undefined) return rowsSource(input.rows);
  if (input.file === undefined) return undefined;
  const { fileSource } = await import("#files");
  return fileSource(input.file);
}
