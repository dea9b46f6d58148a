/**
 * The floor of free space. Below it nothing new is written: what is left is for PostgreSQL, which stops for everybody when it
 * cannot write its log. One reading serves all who ask within a second.
 */
import { statfs } from "node:fs/promises";
import { ApiError } from "../http/errors.ts";
import type { Log } from "../log.ts";
import { pause } from "../pause.ts";

/** A disk is written with at most a gigabyte a second: far less than the floor between two readings. */
const READ_EVERY_MS = 1_000;
/** Somebody has to delete something, or a purge to come by. */
const RETRY_AFTER_SECONDS = 30;

const FLOOR = "ROWMILL_MIN_FREE_BYTES";

/** Bytes that may still be written where the path is. */
export type ReadFreeBytes = (path: string) => Promise<number>;

export interface FreeSpace {
  isLow(): Promise<boolean>;
  /** Bytes of the store above the floor; negative below it, infinite without a floor and in a store elsewhere. */
  readRoom(): Promise<number>;
  /** Throws `insufficient_storage` below the floor, or where so many more bytes in the store would lead there. */
  check(moreBytes?: number): Promise<void>;
  /** Throws where so many more bytes do not fit into the directory of work: not a refusal, since another process may have room. */
  checkWork(moreBytes: number): Promise<void>;
  /** Resolves when there is room. Throws when the signal aborts. */
  wait(signal: AbortSignal): Promise<void>;
}

interface Free {
  work: number;
  store: number;
}

export interface FreeSpaceOptions {
  /** Where work is done. */
  workPath: string;
  /** Undefined: what is stored takes no space of this machine. */
  storePath: string | undefined;
  /** 0: there is no floor. */
  minFreeBytes: number;
  log: Log;
  readFreeBytes?: ReadFreeBytes | undefined;
  now?: () => number;
  /** Between looks of who waits. */
  pauseMs?: number;
}

export function createFreeSpace({
  workPath,
  storePath,
  minFreeBytes,
  log,
  readFreeBytes = readFromFileSystem,
  now = () => performance.now(),
  pauseMs = READ_EVERY_MS,
}: FreeSpaceOptions): FreeSpace {
  let reading: { free: Promise<Free>; until: number } | undefined;
  let wasLow = false;

  async function read(): Promise<Free> {
    const work = await readFreeBytes(workPath);
    const store = storePath === undefined ? Number.POSITIVE_INFINITY : await readFreeBytes(storePath);
    const free = Math.min(work, store);
    const isLow = free < minFreeBytes;
    if (isLow && !wasLow) log.warn({ freeBytes: free, minFreeBytes }, "free space is low: nothing new is written");
    if (!isLow && wasLow) log.info({ freeBytes: free, minFreeBytes }, "there is free space again");
    wasLow = isLow;
    return { work, store };
  }

  async function freeBytes(): Promise<Free> {
    if (minFreeBytes === 0) return { work: Number.POSITIVE_INFINITY, store: Number.POSITIVE_INFINITY };
    if (reading === undefined || now() >= reading.until) reading = { free: read(), until: now() + READ_EVERY_MS };
    return reading.free;
  }

  const isLow = async (): Promise<boolean> => {
    const { work, store } = await freeBytes();
    return Math.min(work, store) < minFreeBytes;
  };
  return {
    isLow,
    readRoom: async () => (await freeBytes()).store - minFreeBytes,
    async check(moreBytes = 0) {
      const { work, store } = await freeBytes();
      const free = Math.min(work, store);
      if (free < minFreeBytes) throw insufficientStorage(`${free} bytes are free, and ${FLOOR} keeps ${minFreeBytes}`);
      if (store - moreBytes < minFreeBytes) throw tooLittleRoom(moreBytes, store - minFreeBytes);
    },
    async checkWork(moreBytes) {
      const { work } = await freeBytes();
      if (work - moreBytes < minFreeBytes)
        throw new Error(`the data directory has no room for ${moreBytes} more bytes to work with`);
    },
    async wait(signal) {
      while (await isLow()) {
        await pause(pauseMs, signal);
        signal.throwIfAborted();
      }
    },
  };
}

/** For so many more bytes where there is room for less: `of` is what else needs it. */
export const tooLittleRoom = (moreBytes: number, roomBytes: number, of = ""): ApiError =>
  insufficientStorage(
    `this needs ${moreBytes} bytes, and ${Math.max(0, roomBytes)} are left${of}, above those that ${FLOOR} keeps`,
  );

const insufficientStorage = (why: string): ApiError =>
  new ApiError("insufficient_storage", `The service has too little free space at the moment: ${why}.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });

const readFromFileSystem: ReadFreeBytes = async (path) => {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
};
