/**
 * Objects in a bucket of S3 or of a server that speaks its protocol. Keys are ours below the prefix. A small object is one
 * request; a larger one is a multipart upload, of which nobody sees anything before it is complete.
 */
import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  paginateListObjectsV2,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import type { Log } from "../../log.ts";
import { measureBytes } from "../measured-bytes.ts";
import { checkKey, checkPrefix, checkRange, LEFTOVER_AGE_MS } from "../storage.ts";
import type { ObjectStore, StoredObject } from "../storage.ts";
import type { S3Location } from "../storage-url.ts";
import { partSizesFor } from "./part-sizes.ts";
import { readObject } from "./read-object.ts";
import { createClient, describeFailure, isMissing } from "./s3-client.ts";
import type { ClientOverrides } from "./s3-client.ts";
import { openS3Partials } from "./s3-partials.ts";
import { abortAbandonedUploads } from "./abandoned-uploads.ts";
import { cutIntoParts, sendAsMultipart } from "./upload-parts.ts";

/** Of one request. */
const DELETED_AT_ONCE = 1_000;
/** Where `prove` writes. */
const PROBES = "probes/";
const PROBE = "written to see whether the store can be used";

export function openS3Store(location: S3Location, log: Log, overrides: ClientOverrides = {}): ObjectStore {
  const { bucket: Bucket, prefix } = location;
  const client = createClient(location, overrides);
  const place = (key: string): { Bucket: string; Key: string } => {
    checkKey(key);
    return { Bucket, Key: prefix + key };
  };
  const { leftoverAgeMs = LEFTOVER_AGE_MS } = overrides;
  /** The SDK learns from responses how far our clock is off. */
  const now = (): number => Date.now() + client.config.systemClockOffset;

  async function* list(below: string): AsyncGenerator<StoredObject> {
    for await (const page of paginateListObjectsV2({ client }, { Bucket, Prefix: prefix + below }))
      for (const { Key, Size = 0, LastModified } of page.Contents ?? [])
        if (Key !== undefined && LastModified !== undefined)
          yield { key: Key.slice(prefix.length), sizeBytes: Size, ageMs: now() - LastModified.getTime() };
  }

  async function deleteMany(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    const Objects = keys.map((key) => ({ Key: place(key).Key }));
    const { Errors = [] } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }));
    const [first] = Errors;
    if (first !== undefined)
      throw new Error(
        `${Errors.length} objects could not be deleted, the first of them: ${first.Code} ${first.Message}`,
      );
  }

  const objects = {
    async put(key, stream, { maxBytes } = {}) {
      const target = place(key);
      const measured = measureBytes(stream as AsyncIterable<Buffer>, { maxBytes });
      const sizes = partSizesFor(maxBytes);
      const parts = cutIntoParts(measured.bytes, sizes);
      try {
        const first = await parts.next();
        const body = first.done === true ? Buffer.alloc(0) : first.value;
        if (body.length < sizes(1)) await client.send(new PutObjectCommand({ ...target, Body: body }));
        else await sendAsMultipart(client, target, body, parts, measured.sizeBytes);
      } catch (error) {
        // Whoever writes into it waits for its end.
        stream.destroy();
        throw error;
      }
      return measured.content();
    },

    async get(key, range) {
      if (range) checkRange(range);
      return readObject(client, place(key), key, range);
    },

    async head(key) {
      try {
        const { ContentLength } = await client.send(new HeadObjectCommand(place(key)));
        return { sizeBytes: ContentLength ?? 0 };
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },

    list(below) {
      checkPrefix(below);
      return list(below);
    },

    async delete(key) {
      // The response is the same where there is none.
      await client.send(new DeleteObjectCommand(place(key)));
    },

    async deleteAll(below, { exceptKey } = {}) {
      checkPrefix(below);
      let keys: string[] = [];
      for await (const { key } of list(below)) {
        if (key === exceptKey) continue;
        keys.push(key);
        if (keys.length < DELETED_AT_ONCE) continue;
        await deleteMany(keys);
        keys = [];
      }
      await deleteMany(keys);
    },
  } satisfies Partial<ObjectStore>;

  async function listNames(below: string): Promise<string[]> {
    const names: string[] = [];
    const pages = paginateListObjectsV2({ client }, { Bucket, Prefix: prefix + below, Delimiter: "/" });
    for await (const page of pages)
      for (const { Prefix = "" } of page.CommonPrefixes ?? [])
        names.push(Prefix.slice(prefix.length + below.length).replace(/\/$/, ""));
    return names;
  }

  const partials = openS3Partials(client, objects, place, listNames);

  return {
    ...objects,
    partials,

    async sweepLeftovers() {
      for await (const { key, ageMs } of list(PROBES)) if (ageMs > leftoverAgeMs) await objects.delete(key);
      const count = await abortAbandonedUploads(client, {
        Bucket,
        prefix,
        isLeftover: (time) => now() - time.getTime() >= leftoverAgeMs,
        openIds: () => partials.uploadIds(),
      });
      if (count > 0) log.info({ count }, "multipart uploads that nobody goes on with were aborted");
    },

    async presign(key, { seconds, contentType, contentDisposition }) {
      const command = new GetObjectCommand({
        ...place(key),
        ResponseContentType: contentType,
        ResponseContentDisposition: contentDisposition,
      });
      return getSignedUrl(client, command, { expiresIn: seconds });
    },

    async prove() {
      const probe = `${PROBES}${randomUUID()}`;
      let doing = "write to";
      try {
        await client.send(new PutObjectCommand({ ...place(probe), Body: PROBE }));
        doing = "read from";
        const { Body } = await client.send(new GetObjectCommand(place(probe)));
        if (!(Body instanceof Readable) || (await text(Body)) !== PROBE)
          throw new Error("it returned other bytes than those written");
        doing = "list";
        await client.send(new ListObjectsV2Command({ Bucket, Prefix: prefix + probe }));
        doing = "delete from";
        await client.send(new DeleteObjectCommand(place(probe)));
      } catch (error) {
        throw describeFailure(error, doing);
      }
    },

    close: () => {
      client.destroy();
      return Promise.resolve();
    },
  };
}
