/**
 * Objects that come in pieces, as multipart uploads of S3 that stay open between requests. Under `partials/<name>/` lie:
 *
 *   state                                   the upload, the key that it becomes, the size of its parts
 *   <generation>/<part>-<bytes>             what came after the last whole part: a part may not be that small
 *
 * Part n always has the bytes from (n - 1) × size on, so a part has the same bytes whichever process writes it, and however late: processes
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
import type { PartialObjects, PartialTarget, StoredContent } from "../storage.ts";
import { listParts } from "./list-uploads.ts";
import { equalPartBytes } from "./part-sizes.ts";
import { isMissing } from "./s3-client.ts";
import type { S3Objects } from "./s3-objects.ts";
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

export class S3Partials implements PartialObjects {
  readonly #objects: S3Objects;

  constructor(objects: S3Objects) {
    this.#objects = objects;
  }

  async sizeOf(name: string): Promise<number> {
    return (await this.#find(name))?.sizeBytes ?? 0;
  }

  async append(name: string, offset: number, bytes: AsyncIterable<Buffer>, target: PartialTarget): Promise<number> {
    const { state, parts, tail, sizeBytes } = await this.#findOrBegin(name, target);
    if (sizeBytes !== offset) throw new Error(`a partial object does not end at ${offset}`);
    const rest = new PieceBuffer();
    if (tail !== undefined) rest.add(await buffer(await this.#objects.get(tail)));
    const sender = new PartSender(this.#objects.client, this.#uploadOf(state));
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
        await this.#objects.put(`${tailsOf(name, state)}${partNumber}-${left.length}`, Readable.from([left]));
      if (tail !== undefined) await this.#objects.delete(tail);
    }
    if (failure !== undefined) throw failure.error;
    return size;
  }

  async complete(name: string, target: PartialTarget): Promise<StoredContent & { key: string }> {
    const { state, parts, tail, sizeBytes, isObject } = await this.#findOrBegin(name, target);
    const { client } = this.#objects;
    if (!isObject && sizeBytes === 0) {
      // An upload needs a part, and an empty object has none.
      await this.#objects.put(state.key, Readable.from([]));
      await abortUpload(client, this.#uploadOf(state));
    } else if (!isObject) {
      const sender = new PartSender(client, this.#uploadOf(state));
      if (tail !== undefined) await sender.send(parts.length + 1, await buffer(await this.#objects.get(tail)));
      await sender.settle();
      await completeUpload(client, this.#uploadOf(state), [...parts, ...sender.sent], sizeBytes);
    }
    return { key: state.key, ...(await contentOf((await this.#objects.get(state.key)) as AsyncIterable<Buffer>)) };
  }

  async delete(name: string): Promise<void> {
    const state = await this.#readState(name);
    if (state !== undefined) await abortUpload(this.#objects.client, this.#uploadOf(state));
    // The state last of all: without it nobody would find the upload before its sweep.
    await this.#objects.deleteAll(folderOf(name), { exceptKey: stateKeyOf(name) });
    await this.#objects.delete(stateKeyOf(name));
  }

  list(): Promise<string[]> {
    return this.#objects.listNames(ROOT);
  }

  /** Of the partials that are open. */
  async uploadIds(): Promise<Set<string>> {
    const states = await Promise.all((await this.list()).map((name) => this.#readState(name)));
    return new Set(states.flatMap((state) => (state === undefined ? [] : [state.uploadId])));
  }

  #uploadOf({ key, uploadId }: State): MultipartUpload {
    return { ...this.#objects.placeOf(key), UploadId: uploadId };
  }

  async #readState(name: string): Promise<State | undefined> {
    try {
      return (await json(await this.#objects.get(stateKeyOf(name)))) as State; // written by `#begin`
    } catch (error) {
      if (error instanceof ObjectNotFoundError) return undefined;
      throw error;
    }
  }

  async #findOrBegin(name: string, target: PartialTarget): Promise<Partial> {
    const found = await this.#find(name);
    return (
      found ?? { state: await this.#begin(name, target), parts: [], tail: undefined, sizeBytes: 0, isObject: false }
    );
  }

  async #begin(name: string, { folder, maxBytes }: PartialTarget): Promise<State> {
    const key = `${folder}${randomUUID()}`;
    const { UploadId } = await this.#objects.client.send(new CreateMultipartUploadCommand(this.#objects.placeOf(key)));
    if (UploadId === undefined) throw new Error("the S3 server has begun an upload, and returned no id");
    const state: State = { uploadId: UploadId, key, partBytes: equalPartBytes(maxBytes) };
    await this.#objects.put(stateKeyOf(name), Readable.from([JSON.stringify(state)]));
    return state;
  }

  /** Undefined: there is no such partial, or its upload was aborted by others, such as a rule of the bucket. */
  async #find(name: string): Promise<Partial | undefined> {
    const state = await this.#readState(name);
    if (state === undefined) return undefined;
    const parts = await wholePartsOf(this.#objects.client, this.#uploadOf(state), state.partBytes);
    if (parts === undefined) {
      const object = await this.#objects.head(state.key);
      return object && { state, parts: [], tail: undefined, sizeBytes: object.sizeBytes, isObject: true };
    }
    let tail = { key: "", bytes: 0 };
    for await (const { key, sizeBytes } of this.#objects.list(`${tailsOf(name, state)}${parts.length + 1}-`))
      if (sizeBytes > tail.bytes) tail = { key, bytes: sizeBytes };
    const sizeBytes = parts.length * state.partBytes + tail.bytes;
    return { state, parts, tail: tail.bytes === 0 ? undefined : tail.key, sizeBytes, isObject: false };
  }
}

function folderOf(name: string): string {
  checkName(name);
  return `${ROOT}${name}/`;
}

const stateKeyOf = (name: string): string => `${folderOf(name)}state`;

const tailsOf = (name: string, { key }: State): string => `${folderOf(name)}${key.slice(key.lastIndexOf("/") + 1)}/`;

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
