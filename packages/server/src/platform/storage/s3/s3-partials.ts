/**
 * Objects that come in pieces, as multipart uploads of S3 that stay open between requests. Under `partials/<name>/` lie:
 *
 *   state                                   the upload, the key that it becomes, the size of its parts
 *   <generation>/<part>-<bytes>             what came after the last whole part: a part may not be that small
 *
 * Part n always has the bytes from (n - 1) × size on, so whoever writes it, and how late, writes the same bytes: processes
 * that lost their right to write do no harm, and nothing has to be compared and swapped. A partial that begins again is another
 * generation, with an upload and a key of its own. How far it has come is what the server lists, and is in no other place.
 */
import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { buffer, json } from "node:stream/consumers";
import type { Part, S3Client } from "@aws-sdk/client-s3";
import { CreateMultipartUploadCommand } from "@aws-sdk/client-s3";
import { contentOf } from "../measured-bytes.ts";
import { checkName, ObjectNotFoundError, ObjectTooLargeError } from "../storage.ts";
import type { ObjectStore, PartialObjects, PartialTarget } from "../storage.ts";
import { listParts } from "./list-uploads.ts";
import { equalPartBytes } from "./part-sizes.ts";
import { isMissing } from "./s3-client.ts";
import { abortUpload, completeUpload, PartSender, PieceBuffer } from "./upload-parts.ts";
import type { MultipartUpload, SentPart } from "./upload-parts.ts";

const ROOT = "partials/";

interface State {
  uploadId: string;
  key: string;
  partBytes: number;
}

interface Partial {
  state: State;
  /** Whole ones, from the first on. */
  parts: SentPart[];
  /** The key of what came after them. */
  tail: string | undefined;
  sizeBytes: number;
  /** It is an object already. */
  isObject: boolean;
}

type Objects = Pick<ObjectStore, "put" | "get" | "head" | "list" | "delete" | "deleteAll">;

export interface S3Partials extends PartialObjects {
  /** Of those that are open. */
  uploadIds(): Promise<Set<string>>;
}

export function openS3Partials(
  client: S3Client,
  objects: Objects,
  place: (key: string) => { Bucket: string; Key: string },
  listNames: (prefix: string) => Promise<string[]>,
): S3Partials {
  const folderOf = (name: string): string => {
    checkName(name);
    return `${ROOT}${name}/`;
  };
  const uploadOf = ({ key, uploadId }: State): MultipartUpload => ({ ...place(key), UploadId: uploadId });

  async function readState(name: string): Promise<State | undefined> {
    try {
      return (await json(await objects.get(`${folderOf(name)}state`))) as State; // written by `begin`
    } catch (error) {
      if (error instanceof ObjectNotFoundError) return undefined;
      throw error;
    }
  }

  async function begin(name: string, { folder, maxBytes }: PartialTarget): Promise<State> {
    const key = `${folder}${randomUUID()}`;
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(place(key)));
    if (UploadId === undefined) throw new Error("the S3 server has begun an upload, and returned no id");
    const state: State = { uploadId: UploadId, key, partBytes: equalPartBytes(maxBytes) };
    await objects.put(`${folderOf(name)}state`, Readable.from([JSON.stringify(state)]));
    return state;
  }

  const tailsOf = (name: string, { key }: State): string => `${folderOf(name)}${key.slice(key.lastIndexOf("/") + 1)}/`;

  /** Undefined: there is none, or its upload was aborted by others, such as a rule of the bucket. */
  async function find(name: string): Promise<Partial | undefined> {
    const state = await readState(name);
    if (state === undefined) return undefined;
    const parts = await wholePartsOf(client, uploadOf(state), state.partBytes);
    if (parts === undefined) {
      const object = await objects.head(state.key);
      return object && { state, parts: [], tail: undefined, sizeBytes: object.sizeBytes, isObject: true };
    }
    let tail = { key: "", bytes: 0 };
    for await (const { key, sizeBytes } of objects.list(`${tailsOf(name, state)}${parts.length + 1}-`))
      if (sizeBytes > tail.bytes) tail = { key, bytes: sizeBytes };
    const sizeBytes = parts.length * state.partBytes + tail.bytes;
    return { state, parts, tail: tail.bytes === 0 ? undefined : tail.key, sizeBytes, isObject: false };
  }

  const findOrBegin = async (name: string, target: PartialTarget): Promise<Partial> =>
    (await find(name)) ?? {
      state: await begin(name, target),
      parts: [],
      tail: undefined,
      sizeBytes: 0,
      isObject: false,
    };

  return {
    async sizeOf(name) {
      return (await find(name))?.sizeBytes ?? 0;
    },

    async append(name, offset, bytes, target) {
      const { state, parts, tail, sizeBytes } = await findOrBegin(name, target);
      if (sizeBytes !== offset) throw new Error(`a partial object does not end at ${offset}`);
      const rest = new PieceBuffer();
      if (tail !== undefined) rest.add(await buffer(await objects.get(tail)));
      const sender = new PartSender(client, uploadOf(state));
      let partNumber = parts.length + 1;
      let size = offset;
      const send = async (): Promise<void> => {
        for await (const chunk of bytes) {
          if (size + chunk.length > target.maxBytes) throw new ObjectTooLargeError(target.maxBytes);
          size += chunk.length;
          rest.add(chunk);
          while (rest.sizeBytes >= state.partBytes) await sender.send(partNumber++, rest.take(state.partBytes));
        }
      };
      const failure = await send().then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      // What came is kept, whatever ended it.
      await sender.settle();
      if (size > offset) {
        const left = rest.take(rest.sizeBytes);
        if (left.length > 0)
          await objects.put(`${tailsOf(name, state)}${partNumber}-${left.length}`, Readable.from([left]));
        if (tail !== undefined) await objects.delete(tail);
      }
      if (failure !== undefined) throw failure.error;
      return size;
    },

    async complete(name, target) {
      const { state, parts, tail, sizeBytes, isObject } = await findOrBegin(name, target);
      if (!isObject && sizeBytes === 0) {
        // An upload needs a part, and an empty object has none.
        await objects.put(state.key, Readable.from([]));
        await abortUpload(client, uploadOf(state));
      } else if (!isObject) {
        const sender = new PartSender(client, uploadOf(state));
        if (tail !== undefined) await sender.send(parts.length + 1, await buffer(await objects.get(tail)));
        await sender.settle();
        await completeUpload(client, uploadOf(state), [...parts, ...sender.sent], sizeBytes);
      }
      return { key: state.key, ...(await contentOf((await objects.get(state.key)) as AsyncIterable<Buffer>)) };
    },

    async delete(name) {
      const state = await readState(name);
      if (state !== undefined) await abortUpload(client, uploadOf(state));
      // The state last of all: without it nobody would find the upload before its sweep.
      await objects.deleteAll(folderOf(name), { exceptKey: `${folderOf(name)}state` });
      await objects.delete(`${folderOf(name)}state`);
    },

    list: () => listNames(ROOT),

    async uploadIds() {
      const states = await Promise.all((await listNames(ROOT)).map(readState));
      return new Set(states.flatMap((state) => (state === undefined ? [] : [state.uploadId])));
    },
  };
}

/** Whole parts from the first one on; undefined where there is no such upload. */
async function wholePartsOf(
  client: S3Client,
  upload: MultipartUpload,
  partBytes: number,
): Promise<SentPart[] | undefined> {
  const found: Part[] = [];
  try {
    for await (const part of listParts(client, upload)) found.push(part);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  const parts: SentPart[] = [];
  for (const { PartNumber, ETag, Size } of found.toSorted((a, b) => (a.PartNumber ?? 0) - (b.PartNumber ?? 0))) {
    // One behind a gap is sent again, with the same bytes. A smaller one is the last, of a completion that did not end.
    if (PartNumber !== parts.length + 1 || ETag === undefined || Size !== partBytes) break;
    parts.push({ PartNumber, ETag });
  }
  return parts;
}
