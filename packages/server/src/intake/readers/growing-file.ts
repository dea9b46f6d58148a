/**
 * In the reader process: a file that is still being written. It is read to where it ends for now, and looked at again, until
 * the parent says that it is whole. It has another name then.
 */
import { type FileHandle, open, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/** A reader that has caught up loses this much at most, and costs next to nothing. */
const LOOK_AGAIN_MS = 10;

export interface WholeFile {
  path: string;
  sizeBytes: number;
}

export class Growth {
  /** Undefined while the file grows. */
  whole: WholeFile | undefined;
  readonly #path: string;
  readonly #ended = Promise.withResolvers<WholeFile>();

  constructor(path: string) {
    this.#path = path;
  }

  end(whole: WholeFile): void {
    this.whole = whole;
    this.#ended.resolve(whole);
  }

  untilWhole(): Promise<WholeFile> {
    return this.#ended.promise;
  }

  /** Until there are this many bytes, or the file is complete. */
  async untilSize(sizeBytes: number): Promise<void> {
    while (this.whole === undefined && (await sizeOf(this.#path)) < sizeBytes) await sleep(LOOK_AGAIN_MS);
  }

  async open(): Promise<FileHandle> {
    const { whole } = this;
    try {
      return await open(whole?.path ?? this.#path, "r");
    } catch (error) {
      // It got its other name just now, and that may be known by now.
      if (!isMissing(error) || whole !== undefined) throw error;
      return open((await this.untilWhole()).path, "r");
    }
  }

  /** All of it, as it comes. */
  async *blocks(blockBytes: number): AsyncGenerator<Buffer> {
    const handle = await this.open();
    try {
      let block = Buffer.allocUnsafeSlow(blockBytes);
      for (let position = 0; ;) {
        // Asked before: nothing comes behind what is read once the file is whole.
        const isWhole = this.whole !== undefined;
        const { bytesRead } = await handle.read(block, 0, blockBytes, position);
        if (bytesRead > 0) {
          position += bytesRead;
          yield block.subarray(0, bytesRead);
          block = Buffer.allocUnsafeSlow(blockBytes);
        } else {
          if (isWhole) return;
          await sleep(LOOK_AGAIN_MS);
        }
      }
    } finally {
      await handle.close();
    }
  }
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
