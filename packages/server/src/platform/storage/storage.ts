/** Where large byte streams live: uploads and export files. The database holds their keys. */
import type { Readable } from "node:stream";

export interface ObjectStore {
  /**
   * Stores the whole stream, or, if it fails, nothing; an object of the same key is replaced at once. When it resolves,
   * the object survives a power cut. Where the store is a folder, `onFile` is told with the first bytes which file they go
   * to, for who reads along; the file has another name once it is whole.
   */
  put(key: string, stream: Readable, onFile?: (path: string) => void): Promise<{ sizeBytes: number; sha256: string }>;
  /** Rejects with `ObjectNotFoundError`. A range that reaches past the end is cut there. */
  get(key: string, range?: ByteRange): Promise<Readable>;
  /** Undefined if there is none. */
  head(key: string): Promise<{ sizeBytes: number } | undefined>;
  /** All objects whose key begins with the prefix, ordered by key; those that come or go meanwhile may be missed. */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** Also fine if there is none. */
  delete(key: string): Promise<void>;
  /** For readers that need a path; only where the store is a folder of this machine. */
  localPath?(key: string): string | undefined;
  /** Only where the store can append. */
  partials?: PartialObjects;
}

/** Objects that come in pieces, each under a name without slashes. Of two at once that write one, the caller sees to it. */
export interface PartialObjects {
  /** The bytes that are there, and survive a power cut; 0 if there is none. */
  sizeOf(name: string): Promise<number>;
  /**
   * Writes at the end, which is at `offset`, and answers where the end is then. When the source fails, what came until then
   * is kept. What it has written survives a power cut when this settles.
   */
  append(name: string, offset: number, bytes: AsyncIterable<Buffer>): Promise<number>;
  /** Makes an object of it. The partial stays until it is deleted. */
  complete(name: string, key: string): Promise<{ sizeBytes: number; sha256: string }>;
  /** Also fine if there is none. */
  delete(name: string): Promise<void>;
  list(): Promise<string[]>;
}

/** Both ends inclusive, counted from 0, as in an HTTP Range header. Without an end: to the last byte. */
export interface ByteRange {
  start: number;
  end?: number;
}

export interface StoredObject {
  key: string;
  sizeBytes: number;
  modifiedAt: Date;
}

export class ObjectNotFoundError extends Error {
  override name = "ObjectNotFoundError";
  constructor(key: string, cause?: unknown) {
    super(`There is no object ${key} in the store.`, { cause });
  }
}

/** S3 allows 1024 bytes; file systems allow paths of 4096 and names of 255. */
const MAX_KEY_CHARACTERS = 512;
const MAX_NAME_CHARACTERS = 128;

/** No dot in front: neither `..` nor the store's own folders can be named. */
const NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

/**
 * Keys are ours to choose, made of ids: `exports/exp_1/result.jsonl`. What is safe on every store is also what cannot
 * leave a folder. A key may not continue another one (`a` and `a/b`): one of the two would be a folder.
 */
export function checkKey(key: string): void {
  const isValid =
    key.length <= MAX_KEY_CHARACTERS &&
    key.split("/").every((name) => name.length <= MAX_NAME_CHARACTERS && NAME.test(name));
  if (!isValid) throw new Error(`${JSON.stringify(key.slice(0, MAX_KEY_CHARACTERS))} is no key of an object store.`);
}

/** A prefix is empty, or the beginning of a key. */
export function checkPrefix(prefix: string): void {
  if (prefix !== "") checkKey(prefix.endsWith("/") ? prefix.slice(0, -1) : prefix);
}

export function checkRange(range: ByteRange): void {
  const { start, end = start } = range;
  if (Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && end >= start) return;
  throw new Error(`${start} to ${end} is no range of bytes.`);
}
