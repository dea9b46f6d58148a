import type { DatasetUpload, ErrorCode, ErrorEnvelope, Export } from "./types.ts";

/** Every error that the client itself throws, but a wrong argument (a TypeError) and an aborted signal's reason. */
export class RowmillError extends Error {
  override name = "RowmillError";
}

/** The service responded with an error. */
export class RowmillApiError extends RowmillError {
  override name = "RowmillApiError";
  readonly status: number;
  /** A code of the contract, or `unexpected_answer` when the response does not follow it (from a proxy, another service). */
  readonly code: ErrorCode | "unexpected_answer";
  /** The member, parameter or header to blame. */
  readonly param: string | null;
  readonly details: ErrorEnvelope["details"];
  /** Whether the same request may succeed later with nothing changed. */
  readonly retryable: boolean;
  /** Names the request in the service's log. */
  readonly requestId: string | null;
  readonly docUrl: string | null;
  readonly headers: Headers;
  /** The error as it was received, with members that only some codes have, such as `requiredScopes`. */
  readonly error: Readonly<Record<string, unknown>>;

  constructor(status: number, headers: Headers, error: Partial<ErrorEnvelope>, message?: string) {
    super(message ?? error.message ?? `the service responded with status ${status}`);
    this.status = status;
    this.headers = headers;
    this.code = error.code ?? "unexpected_answer";
    this.param = error.param ?? null;
    this.details = error.details ?? [];
    this.retryable = error.retryable ?? (status === 429 || status >= 500);
    this.requestId = error.requestId ?? headers.get("request-id");
    this.docUrl = error.docUrl ?? null;
    this.error = error;
  }
}

/** No response, or only a part of one: the network, the name, the certificate, or a connection that broke off. */
export class RowmillConnectionError extends RowmillError {
  override name = "RowmillConnectionError";
  /** Whether there was no connection, so that the service has got nothing. Browsers do not show it. */
  readonly isUnsent: boolean;

  constructor(message: string, options: ErrorOptions & { isUnsent?: boolean } = {}) {
    super(message, options);
    this.isUnsent = options.isUnsent ?? false;
  }
}

/** Nothing came for `timeoutMs`, or a wait took longer than it was allowed to. */
export class RowmillTimeoutError extends RowmillError {
  override name = "RowmillTimeoutError";
}

/** A downloaded file is not the one that the service wrote. */
export class RowmillIntegrityError extends RowmillError {
  override name = "RowmillIntegrityError";
}

/** An export ended without a file. `export.status` and `export.error` say why. */
export class ExportFailedError extends RowmillError {
  override name = "ExportFailedError";
  readonly export: Export;

  constructor(ended: Export) {
    const reason = ended.error === null ? "" : `: ${ended.error.message} (${ended.error.code})`;
    super(`export ${ended.id} is ${ended.status}${reason}`);
    this.export = ended;
  }
}

/** How many intake errors the message itself quotes; all of them stand in `upload.errors`. */
const QUOTED_ERRORS = 3;

/** The content of an upload did not become a dataset. `upload.errors` says why, line by line. */
export class DatasetIntakeError extends RowmillError {
  override name = "DatasetIntakeError";
  readonly upload: DatasetUpload;

  constructor(upload: DatasetUpload) {
    const reasons = upload.errors
      .slice(0, QUOTED_ERRORS)
      .map(({ line, code, message }) => `${line === null ? "" : `line ${line}: `}${message} (${code})`);
    super(`dataset upload ${upload.id} is ${upload.state}${reasons.length > 0 ? `: ${reasons.join("; ")}` : ""}`);
    this.upload = upload;
  }

  get errors(): DatasetUpload["errors"] {
    return this.upload.errors;
  }
}
