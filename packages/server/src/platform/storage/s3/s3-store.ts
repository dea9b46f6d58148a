/**
 * The object store in a bucket of S3 or of a server that speaks its protocol. Keys are ours below the prefix; `s3-objects.ts` reads and
 * writes them. An object is complete before a reader sees it.
 */
import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { DeleteObjectCommand, GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import type { Log } from "../../log.ts";
import { LEFTOVER_AGE_MS } from "../storage.ts";
import type { ObjectStore } from "../storage.ts";
import type { S3Location } from "../storage-url.ts";
import { abortAbandonedUploads } from "./abandoned-uploads.ts";
import { createClient, describeFailure } from "./s3-client.ts";
import type { ClientOverrides } from "./s3-client.ts";
import { S3Objects } from "./s3-objects.ts";
import { S3Partials } from "./s3-partials.ts";

/** Where `prove` writes. */
const PROBES = "probes/";
const PROBE = "written to see whether the store can be used";

export function openS3Store(location: S3Location, log: Log, overrides: ClientOverrides = {}): ObjectStore {
  const client = createClient(location, overrides);
  const objects = new S3Objects(client, location);
  const partials = new S3Partials(objects);
  const { leftoverAgeMs = LEFTOVER_AGE_MS } = overrides;

  return {
    put: (key, stream, options) => objects.put(key, stream, options),
    get: (key, range) => objects.get(key, range),
    head: (key) => objects.head(key),
    list: (below) => objects.list(below),
    delete: (key) => objects.delete(key),
    deleteAll: (below, options) => objects.deleteAll(below, options),
    partials,

    async sweepLeftovers() {
      for await (const { key, ageMs } of objects.list(PROBES)) if (ageMs > leftoverAgeMs) await objects.delete(key);
      const count = await abortAbandonedUploads(client, {
        Bucket: location.bucket,
        prefix: location.prefix,
        isLeftover: (time) => objects.now() - time.getTime() >= leftoverAgeMs,
        openIds: () => partials.uploadIds(),
      });
      if (count > 0) log.info({ count }, "abandoned multipart uploads were aborted");
    },

    async presign(key, { seconds, contentType, contentDisposition }) {
      const command = new GetObjectCommand({
        ...objects.placeOf(key),
        ResponseContentType: contentType,
        ResponseContentDisposition: contentDisposition,
      });
      return getSignedUrl(client, command, { expiresIn: seconds });
    },

    prove: () => prove(objects),

    close: () => {
      client.destroy();
      return Promise.resolve();
    },
  };
}

/** Every right that the store needs, each once. */
async function prove(objects: S3Objects): Promise<void> {
  const { client, bucket: Bucket, prefix } = objects;
  const probe = `${PROBES}${randomUUID()}`;
  const place = objects.placeOf(probe);
  let doing = "write to";
  try {
    await client.send(new PutObjectCommand({ ...place, Body: PROBE }));
    doing = "read from";
    const { Body } = await client.send(new GetObjectCommand(place));
    if (!(Body instanceof Readable) || (await text(Body)) !== PROBE)
      throw new Error("it returned other bytes than those written");
    doing = "list";
    await client.send(new ListObjectsV2Command({ Bucket, Prefix: prefix + probe }));
    doing = "delete from";
    await client.send(new DeleteObjectCommand(place));
  } catch (error) {
    throw describeFailure(error, doing);
  }
}
