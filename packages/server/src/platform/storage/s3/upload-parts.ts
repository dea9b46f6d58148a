/** Bytes as parts of a multipart upload: cut to size, a few in flight, none of them left when it fails. */
import type { S3Client } from "@aws-sdk/client-s3";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { codeOf, isMissing } from "./s3-client.ts";
import type { PartSizes } from "./part-sizes.ts";

/** With the one that fills and its copy, a transfer has four parts in memory at most. */
const PARTS_IN_FLIGHT = 2;

export interface MultipartUpload {
  Bucket: string;
  Key: string;
  UploadId: string;
}

export interface SentPart {
  PartNumber: number;
  ETag: string;
}

/** Collects bytes, and gives them back in pieces of any size. */
export class PieceBuffer {
  #chunks: Buffer[] = [];
  sizeBytes = 0;

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.sizeBytes += chunk.length;
  }

  take(bytes: number): Buffer {
    const all = Buffer.concat(this.#chunks, this.sizeBytes);
    const rest = all.subarray(bytes);
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.sizeBytes = rest.length;
    return all.subarray(0, bytes);
  }
}

/** Pieces of the size of their part; the last one may be smaller. */
export async function* cutIntoParts(source: AsyncIterable<Buffer>, sizes: PartSizes): AsyncGenerator<Buffer> {
  const buffer = new PieceBuffer();
  let partNumber = 1;
  for await (const chunk of source) {
    buffer.add(chunk);
    while (buffer.sizeBytes >= sizes(partNumber)) yield buffer.take(sizes(partNumber++));
  }
  if (buffer.sizeBytes > 0) yield buffer.take(buffer.sizeBytes);
}

/** Sends parts, some at a time. When one fails, the next call throws. */
export class PartSender {
  readonly #client: S3Client;
  readonly #upload: MultipartUpload;
  readonly #inFlight = new Set<Promise<void>>();
  readonly sent: SentPart[] = [];
  #failure: { error: unknown } | undefined;

  constructor(client: S3Client, upload: MultipartUpload) {
    this.#client = client;
    this.#upload = upload;
  }

  async send(partNumber: number, body: Buffer): Promise<void> {
    while (this.#inFlight.size >= PARTS_IN_FLIGHT) await Promise.race(this.#inFlight);
    this.#throwFailure();
    const sending = this.#send(partNumber, body)
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#inFlight.delete(sending));
    this.#inFlight.add(sending);
  }

  /** Waits until none is in flight any more. */
  async settle(): Promise<void> {
    await Promise.all(this.#inFlight);
    this.#throwFailure();
  }

  async #send(PartNumber: number, Body: Buffer): Promise<void> {
    const { ETag } = await this.#client.send(new UploadPartCommand({ ...this.#upload, PartNumber, Body }));
    if (ETag === undefined) throw new Error("the S3 server has taken a part, and returned no ETag");
    this.sent.push({ PartNumber, ETag });
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}

/** `rest` are the parts behind the first; none of them is left when it fails. */
export async function sendAsMultipart(
  client: S3Client,
  target: { Bucket: string; Key: string },
  first: Buffer,
  rest: AsyncIterable<Buffer>,
  sizeBytes: () => number,
): Promise<void> {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(target));
  if (UploadId === undefined) throw new Error("the S3 server has begun an upload, and returned no id");
  const upload = { ...target, UploadId };
  const sender = new PartSender(client, upload);
  try {
    let partNumber = 1;
    await sender.send(partNumber++, first);
    for await (const part of rest) await sender.send(partNumber++, part);
    await sender.settle();
    await completeUpload(client, upload, sender.sent, sizeBytes());
  } catch (error) {
    // A part that arrives after the abort would stay.
    await sender.settle().catch(() => undefined);
    // What cannot be aborted now is swept later; why it failed is what counts.
    await abortUpload(client, upload).catch(() => undefined);
    throw error;
  }
}

/** Repeats of it find no upload any more: then the object shows whether an earlier one has succeeded. */
export async function completeUpload(
  client: S3Client,
  upload: MultipartUpload,
  parts: readonly SentPart[],
  sizeBytes: number,
): Promise<void> {
  const Parts = parts.toSorted((a, b) => a.PartNumber - b.PartNumber);
  try {
    await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }));
  } catch (error) {
    if (codeOf(error) !== "NoSuchUpload") throw error;
    const { Bucket, Key } = upload;
    const { ContentLength } = await client.send(new HeadObjectCommand({ Bucket, Key }));
    if (ContentLength !== sizeBytes) throw error;
  }
}

/** Also fine if there is none. */
export async function abortUpload(client: S3Client, upload: MultipartUpload): Promise<void> {
  try {
    await client.send(new AbortMultipartUploadCommand(upload));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
