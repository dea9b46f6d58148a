/** Objects in a bucket below a prefix, by their keys. A small object is one request; a larger one is a multipart upload. */
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  HeadObjectCommand,
  paginateListObjectsV2,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import type { S3Client } from "@aws-sdk/client-s3";
import type { Readable } from "node:stream";
import { measureBytes } from "../measured-bytes.ts";
import { checkKey, checkPrefix, checkRange } from "../storage.ts";
import type { ByteRange, ObjectStore, PutOptions, StoredContent, StoredObject } from "../storage.ts";
import type { S3Location } from "../storage-url.ts";
import { partSizesFor } from "./part-sizes.ts";
import { readObject } from "./read-object.ts";
import { isMissing } from "./s3-client.ts";
import { cutIntoParts, sendAsMultipart } from "./upload-parts.ts";

/** Of one request. */
const DELETED_AT_ONCE = 1_000;

type Objects = Pick<ObjectStore, "put" | "get" | "head" | "list" | "delete" | "deleteAll">;

export class S3Objects implements Objects {
  readonly client: S3Client;
  readonly bucket: string;
  readonly prefix: string;

  constructor(client: S3Client, { bucket, prefix }: S3Location) {
    this.client = client;
    this.bucket = bucket;
    this.prefix = prefix;
  }

  /** Where the object of a key lies, as the commands of the SDK take it. */
  placeOf(key: string): { Bucket: string; Key: string } {
    checkKey(key);
    return { Bucket: this.bucket, Key: this.prefix + key };
  }

  /** The SDK learns from responses how far our clock is off. */
  now(): number {
    return Date.now() + this.client.config.systemClockOffset;
  }

  async put(key: string, stream: Readable, { maxBytes }: PutOptions = {}): Promise<StoredContent> {
    const target = this.placeOf(key);
    const measured = measureBytes(stream as AsyncIterable<Buffer>, { maxBytes });
    const sizes = partSizesFor(maxBytes);
    const parts = cutIntoParts(measured.bytes, sizes);
    try {
      const first = await parts.next();
      const body = first.done === true ? Buffer.alloc(0) : first.value;
      if (body.length < sizes(1)) await this.client.send(new PutObjectCommand({ ...target, Body: body }));
      else await sendAsMultipart(this.client, target, body, parts, measured.sizeBytes);
    } catch (error) {
      // The code that writes into it waits for its end.
      stream.destroy();
      throw error;
    }
    return measured.content();
  }

  async get(key: string, range?: ByteRange): Promise<Readable> {
    if (range) checkRange(range);
    return readObject(this.client, this.placeOf(key), key, range);
  }

  async head(key: string): Promise<{ sizeBytes: number } | undefined> {
    try {
      const { ContentLength } = await this.client.send(new HeadObjectCommand(this.placeOf(key)));
      return { sizeBytes: ContentLength ?? 0 };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  list(below: string): AsyncGenerator<StoredObject> {
    checkPrefix(below);
    return this.#list(below);
  }

  async delete(key: string): Promise<void> {
    // The response is the same where there is no such object.
    await this.client.send(new DeleteObjectCommand(this.placeOf(key)));
  }

  async deleteAll(below: string, { exceptKey }: { exceptKey?: string } = {}): Promise<void> {
    checkPrefix(below);
    let keys: string[] = [];
    for await (const { key } of this.#list(below)) {
      if (key === exceptKey) continue;
      keys.push(key);
      if (keys.length < DELETED_AT_ONCE) continue;
      await this.#deleteMany(keys);
      keys = [];
    }
    await this.#deleteMany(keys);
  }

  /** The names of folders directly below a prefix that ends with a slash. */
  async listNames(below: string): Promise<string[]> {
    const names: string[] = [];
    const query = { Bucket: this.bucket, Prefix: this.prefix + below, Delimiter: "/" };
    for await (const page of paginateListObjectsV2({ client: this.client }, query))
      for (const { Prefix = "" } of page.CommonPrefixes ?? [])
        names.push(Prefix.slice(this.prefix.length + below.length).replace(/\/$/, ""));
    return names;
  }

  async *#list(below: string): AsyncGenerator<StoredObject> {
    const query = { Bucket: this.bucket, Prefix: this.prefix + below };
    for await (const page of paginateListObjectsV2({ client: this.client }, query))
      for (const { Key, Size = 0, LastModified } of page.Contents ?? [])
        if (Key !== undefined && LastModified !== undefined)
          yield { key: Key.slice(this.prefix.length), sizeBytes: Size, ageMs: this.now() - LastModified.getTime() };
  }

  async #deleteMany(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    const Objects = keys.map((key) => ({ Key: this.placeOf(key).Key }));
    const { Errors = [] } = await this.client.send(
      new DeleteObjectsCommand({ Bucket: this.bucket, Delete: { Objects, Quiet: true } }),
    );
    const [first] = Errors;
    if (first !== undefined)
      throw new Error(
        `${Errors.length} objects could not be deleted, the first of them: ${first.Code} ${first.Message}`,
      );
  }
}
