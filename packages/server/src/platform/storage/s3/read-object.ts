/**
 * The bytes of an object. A connection that breaks is made again from where it was, for as long as bytes come in between: large
 * objects are read for hours, and by clients that pause. An object that has been replaced meanwhile is never mixed with the old one.
 */
import { Readable } from "node:stream";
import type { S3Client } from "@aws-sdk/client-s3";
import { GetObjectCommand } from "@aws-sdk/client-s3";
import { ObjectNotFoundError } from "../storage.ts";
import type { ByteRange } from "../storage.ts";
import { describeFailure, isMissing, statusOf } from "./s3-client.ts";
import { present } from "../../present.ts";

/** Breaks in a row without a byte between them. */
const MAX_BREAKS = 3;

interface Opened {
  body: Readable;
  etag: string | undefined;
  sizeBytes: number;
}

/** Resolves when the first response is there, and rejects with `ObjectNotFoundError`. */
export async function readObject(
  client: S3Client,
  object: { Bucket: string; Key: string },
  key: string,
  { start, end }: ByteRange = { start: 0 },
): Promise<Readable> {
  const open = (from: number, etag?: string) => openAt(client, object, key, { from, end, etag });
  const first = await open(start);
  if (first === undefined) return Readable.from([], { objectMode: false });
  const stream = Readable.from(resuming(first, start, open), { objectMode: false });
  // Of one that nobody has begun to read, too.
  stream.once("close", () => first.body.destroy());
  return stream;
}

async function* resuming(
  first: Opened,
  start: number,
  open: (from: number, etag?: string) => Promise<Opened | undefined>,
): AsyncGenerator<Buffer> {
  const until = start + first.sizeBytes;
  let at = start;
  let breaks = 0;
  for (let opened: Opened | undefined = first; at < until; opened = await open(at, first.etag)) {
    if (opened === undefined) throw new Error("an object became shorter while it was read");
    try {
      for await (const chunk of opened.body as AsyncIterable<Buffer>) {
        at += chunk.length;
        breaks = 0;
        yield chunk;
      }
      if (at < until) throw new Error("the response ended early");
    } catch (error) {
      if (++breaks > MAX_BREAKS) throw describeFailure(error, "read from");
    } finally {
      // The reader may have ended early: the rest is not wanted.
      opened.body.destroy();
    }
  }
}

/** Undefined where the range begins behind the end. */
async function openAt(
  client: S3Client,
  object: { Bucket: string; Key: string },
  key: string,
  { from, end, etag }: { from: number; end: number | undefined; etag: string | undefined },
): Promise<Opened | undefined> {
  const isWhole = from === 0 && end === undefined;
  try {
    const { Body, ETag, ContentLength } = await client.send(
      new GetObjectCommand({
        ...object,
        ...(isWhole ? {} : { Range: `bytes=${from}-${end ?? ""}` }),
        ...present({ IfMatch: etag }),
      }),
    );
    // In Node it is a stream of it.
    if (!(Body instanceof Readable) || ContentLength === undefined)
      throw new Error("the S3 server's response has no body, or not its length");
    // It may break before somebody reads; who reads then gets the error.
    Body.on("error", () => undefined);
    return { body: Body, etag: ETag, sizeBytes: ContentLength };
  } catch (error) {
    if (isMissing(error)) throw new ObjectNotFoundError(key, error);
    if (statusOf(error) === 416) return undefined;
    throw error;
  }
}
