import { ExportFailedError, RowmillConnectionError, RowmillIntegrityError, RowmillTimeoutError } from "../errors.ts";
import type { FileWriter } from "../files.ts";
import { list } from "../lists.ts";
import type { List } from "../lists.ts";
import { backoffMs } from "../retry.ts";
import { chunksOfResponse, streamOf } from "../streams.ts";
import type { Transport } from "../transport.ts";
import type { Body, CreateOptions, Export, ListQuery, RequestOptions } from "../types.ts";
import { waitingReader, waitingRequest, waitUntil } from "../wait.ts";
import type { WaitOptions } from "../wait.ts";

interface ExportFilterValues {
  status: Export["status"];
  type: Export["type"];
  format: Export["format"];
}

export interface Download {
  stream: ReadableStream<Uint8Array>;
  /** Of the file, or of the part that was asked for; null when the service does not say. */
  sizeBytes: number | null;
  /** Of the whole file, in hexadecimal, as the service reports it. A caller that needs certainty compares. */
  sha256: string | null;
  contentType: string | null;
}

export interface DownloadToFileOptions extends RequestOptions {
  onProgress?: ((progress: { bytesReceived: number; bytesTotal: number | null }) => void) | undefined;
}

export interface SaveTableOptions extends CreateOptions {
  /** By the end of the path if absent: `.csv`, `.jsonl`, `.parquet`; any other is CSV. */
  format?: Export["format"] | undefined;
  /** Columns of the table in this order; all if absent. */
  columns?: string[] | undefined;
  /** Guards spreadsheets against formulas in cells of a CSV file. */
  spreadsheet?: boolean | undefined;
  /** Between the cells of a CSV file, `,` if absent; `;` for Excel where the decimal sign of the system is a comma. */
  delimiter?: string | undefined;
  /** A CSV file begins with the mark of UTF-8, which Excel needs. */
  byteOrderMark?: boolean | undefined;
}

const endedStatuses: Record<Export["status"], boolean> = {
  queued: false,
  running: false,
  ready: true,
  expired: true,
  failed: true,
  canceled: true,
};

export class Exports {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  create(runId: string, body: Body<"createExport">, options?: CreateOptions): Promise<Export> {
    return this.#transport.json("POST", "/v1/runs/{runId}/exports", { ...options, path: { runId }, body });
  }

  list(query?: ListQuery<"listExports", ExportFilterValues>, options?: RequestOptions): List<Export> {
    return list(this.#transport, "/v1/exports", { query, options });
  }

  listForRun(
    runId: string,
    query?: ListQuery<"listRunExports", ExportFilterValues>,
    options?: RequestOptions,
  ): List<Export> {
    return list(this.#transport, "/v1/runs/{runId}/exports", { path: { runId }, query, options });
  }

  /** With `waitSeconds` (up to 30) the response waits for the export to end. */
  get(exportId: string, options: RequestOptions & { waitSeconds?: number } = {}): Promise<Export> {
    const { waitSeconds = 0, ...request } = options;
    const waiting = waitingRequest(this.#transport, waitSeconds, request);
    return this.#transport.json("GET", "/v1/exports/{exportId}", { ...waiting, path: { exportId } });
  }

  cancel(exportId: string, options?: CreateOptions): Promise<Export> {
    return this.#transport.json("POST", "/v1/exports/{exportId}/cancel", { ...options, path: { exportId } });
  }

  /** The export that is no longer worked on: look at its `status`. */
  waitFor(exportId: string, options: WaitOptions<Export> = {}): Promise<Export> {
    const read = waitingReader(options.pollSeconds, (request) => this.get(exportId, request));
    return waitUntil(this.#transport, `export ${exportId}`, read, ({ status }) => endedStatuses[status], options);
  }

  /**
   * Writes one table of a run (Node only): a line for each row, also of those that failed, with the columns of the input, the
   * fields of the output, `row_state` and `failure_code`. An export that ends without a file is an ExportFailedError.
   */
  async saveTable(runId: string, path: string, options: SaveTableOptions = {}): Promise<Export> {
    const { format = formatOfPath(path), columns, spreadsheet, delimiter, byteOrderMark, ...request } = options;
    const { id } = await this.create(
      runId,
      {
        type: "resolved_results",
        layout: "flat",
        format,
        ...(columns === undefined ? {} : { columns }),
        ...(spreadsheet === undefined ? {} : { spreadsheet }),
        ...(delimiter === undefined ? {} : { delimiter }),
        ...(byteOrderMark === undefined ? {} : { byteOrderMark }),
      },
      request,
    );
    const ended = await this.waitFor(id, { signal: request.signal });
    if (ended.status !== "ready") throw new ExportFailedError(ended);
    const { idempotencyKey: _, ...download } = request;
    return this.downloadToFile(id, path, download);
  }

  /** The file as a stream. A connection that breaks off is an error of the stream. */
  async download(exportId: string, options: RequestOptions & { fromByte?: number } = {}): Promise<Download> {
    const { fromByte = 0, ...request } = options;
    const { response, chunks } = await this.#open(exportId, fromByte, request);
    const length = response.headers.get("content-length");
    return {
      stream: streamOf(chunks),
      sizeBytes: length === null ? null : Number(length),
      sha256: /^"([0-9a-f]{64})"$/.exec(response.headers.get("etag") ?? "")?.[1] ?? null,
      contentType: response.headers.get("content-type"),
    };
  }

  /**
   * Writes the file and compares its SHA-256 with the export's (Node only). A connection that breaks off is taken up where it
   * broke; the path has its name only once the file is whole and right.
   */
  async downloadToFile(exportId: string, path: string, options: DownloadToFileOptions = {}): Promise<Export> {
    const { onProgress, ...request } = options;
    const wanted = await this.get(exportId, request);
    const { fileWriter } = await import("#files");
    const writer = await fileWriter(path);
    try {
      await this.#fill(writer, wanted, request, onProgress);
      const sha256 = await writer.finish();
      if (sha256 !== wanted.sha256) {
        throw new RowmillIntegrityError(
          `export ${exportId}: expected SHA-256 ${wanted.sha256 ?? "(none)"}, received ${sha256}`,
        );
      }
      await writer.keep();
      return wanted;
    } catch (error) {
      await writer.discard();
      throw error;
    }
  }

  async #fill(
    writer: FileWriter,
    wanted: Export,
    request: RequestOptions,
    onProgress: DownloadToFileOptions["onProgress"],
  ): Promise<void> {
    const maxRetries = request.maxRetries ?? this.#transport.maxRetries;
    let failures = 0;
    let furthest = 0;
    for (;;) {
      try {
        const { response, chunks } = await this.#open(wanted.id, writer.sizeBytes, request);
        if (response.status !== 206) await writer.restart();
        for await (const chunk of chunks) {
          await writer.write(chunk);
          onProgress?.({ bytesReceived: writer.sizeBytes, bytesTotal: wanted.sizeBytes });
        }
        return;
      } catch (error) {
        if (!(error instanceof RowmillConnectionError || error instanceof RowmillTimeoutError)) throw error;
        if (writer.sizeBytes === wanted.sizeBytes) return;
        // A try that came further than any before does not count.
        failures = writer.sizeBytes > furthest ? 1 : failures + 1;
        furthest = Math.max(furthest, writer.sizeBytes);
        if (failures > maxRetries) throw error;
        await this.#transport.sleep(backoffMs(failures - 1, Math.random()), request.signal);
      }
    }
  }

  async #open(
    exportId: string,
    fromByte: number,
    request: RequestOptions,
  ): Promise<{ response: Response; chunks: AsyncGenerator<Uint8Array, void, undefined> }> {
    // The bytes of the file themselves: not compressed once more on the way.
    const range: Record<string, string> = fromByte > 0 ? { range: `bytes=${fromByte}-` } : {};
    const headers = { ...request.headers, ...range, "accept-encoding": "identity" };
    const opened = await this.#transport.send(
      "GET",
      "/v1/exports/{exportId}/download",
      { ...request, headers, accept: "*/*", path: { exportId } },
      (response, watch) => ({ response, chunks: chunksOfResponse(response, watch) }),
    );
    if (opened === undefined) throw new RowmillConnectionError(`export ${exportId} has no response`);
    return opened;
  }
}

function formatOfPath(path: string): Export["format"] {
  if (path.endsWith(".parquet")) return "parquet";
  return /\.(jsonl|ndjson)$/.test(path) ? "jsonl" : "csv";
}
