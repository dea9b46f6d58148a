/** Where large byte streams live: uploads and export files. The database holds their keys. */
import type { Readable } from "node:stream";

export interface ObjectStore {
  /**
   * Stores the whole stream, or, if it fails, nothing; an object of the same key is replaced at once. When it resolves,
   * the object survives a power cut.
   */
  put(key: string, stream: Readable, options?: PutOptions): Promise<StoredContent>;
  /** Rejects with `ObjectNotFoundError`. A range that reaches past the end is cut there. */
  get(key: string, range?: ByteRange): Promise<Readable>;
  /** Undefined if there is none. */
  head(key: string): Promise<{ sizeBytes: number } | undefined>;
  /** All objects whose key begins with the prefix, ordered by key; those that come or go meanwhile may be missed. */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** Also fine if there is none. */
  delete(key: string): Promise<void>;
  /** All objects whose key begins with the prefix, except one that is to be kept. */
  deleteAll(prefix: string, options?: { exceptKey?: string }): Promise<void>;
  partials: PartialObjects;
  /** Removes what writes of processes that died have left beside the objects, once it is a day old. */
  sweepLeftovers(): Promise<void>;
  /** Whether the store can be used: writes, reads, lists and deletes. Rejects with `StoreUnavailableError`. */
  prove(): Promise<void>;
  /** A path for readers that need one; only where the store is a folder of this machine. */
  localPath?(key: string): string | undefined;
  /** Keeps these objects readable, though they are deleted meanwhile; only where the store is a folder. */
  hold?(keys: readonly string[]): Promise<KeptObjects>;
  /** A URL that downloads the object without the service; only where the store serves such URLs. */
  presign?: (key: string, options: PresignOptions) => Promise<string>;
  close(): Promise<void>;
}

/** Objects as they were when they were protected. */
export interface KeptObjects {
  objects: readonly { key: string; sizeBytes: number }[];
  /** Keys that had no object. */
  missing: readonly string[];
  open(key: string): Promise<Readable>;
  /** Nothing is protected any more. */
  release(): Promise<void>;
}

export interface PutOptions {
  /** More than this is refused with `ObjectTooLargeError`, and stored in no part. */
  maxBytes?: number;
  /** Where the store is a folder: which file the bytes go to, with the first of them. It has another name once it is whole. */
  onFile?: (path: string) => void;
}

export interface StoredContent {
  sizeBytes: number;
  sha256: string;
}

export interface PresignOptions {
  seconds: number;
  contentType: string;
  contentDisposition: string;
}

/**
 * Objects that come in pieces, over hours and several processes, each under a name without slashes. The caller makes sure that
 * one process writes a partial at a time; a late write of a process that lost this right does no harm, where what
 * the partial's sender sends for the same position is the same.
 */
export interface PartialObjects {
  /** The bytes that are there, and survive a power cut; 0 if there is none. */
  sizeOf(name: string): Promise<number>;
  /**
   * Writes at the end, which is at `offset`, and returns where the end is then. When the source fails, what came until then
   * is kept. What it has written survives a power cut when this settles.
   */
  append(name: string, offset: number, bytes: AsyncIterable<Buffer>, target: PartialTarget): Promise<number>;
  /** Makes an object of it, and may be repeated. The partial stays until it is deleted. */
  complete(name: string, target: PartialTarget): Promise<StoredContent & { key: string }>;
  /** Also fine if there is none. The object that it has become stays. */
  delete(name: string): Promise<void>;
  list(): Promise<string[]>;
}

/** What a partial is to become. */
export interface PartialTarget {
  /** Where its object will be: a key of this folder, which ends with a slash. */
  folder: string;
  maxBytes: number;
}

/** Both ends inclusive, counted from 0, as in an HTTP Range header. Without an end: to the last byte. */
export interface ByteRange {
  start: number;
  end?: number;
}

export interface StoredObject {
  key: string;
  sizeBytes: number;
  /** By the clock of the store: ours may differ. */
  ageMs: number;
}

export class ObjectNotFoundError extends Error {
  override name = "ObjectNotFoundError";
  constructor(key: string, cause?: unknown) {
    super(`There is no object ${key} in the store.`, { cause });
  }
}

export class ObjectTooLargeError extends Error {
  override name = "ObjectTooLargeError";
  constructor(maxBytes: number) {
    super(`The object has more than ${maxBytes} bytes.`);
  }
}

/**
 * The store, and no object of it, is to blame: it is away, slow, or refuses us. The message is a sentence for the operator, without
 * secrets.
 */
export class StoreUnavailableError extends Error {
  override name = "StoreUnavailableError";
}

/** Work that needs a store which is away is tried again after this time, without being counted as failed. */
export const STORE_AWAY_PAUSE_SECONDS = 20;
/** About a day: what is away for longer does not come back by itself, and the customer is to learn of it. */
export const MAX_STORE_WAITS = (24 * 60 * 60) / STORE_AWAY_PAUSE_SECONDS;

/** What a process that died has left is a day old when it is removed: the longest upload or export is written within hours. */
export const LEFTOVER_AGE_MS = 24 * 60 * 60_000;

/** S3 allows 1024 bytes with the prefix; file systems allow paths of 4096 and names of 255. */
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

/** Of a partial. */
export function checkName(name: string): void {
  checkKey(name);
  if (name.includes("/")) throw new Error(`${name} is no name of a partial object.`);
}

export function checkRange(range: ByteRange): void {
  const { start, end = start } = range;
  if (Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && end >= start) return;
  throw new Error(`${start} to ${end} is no range of bytes.`);
}
