/** Responses of a batch as they lie on the disk, in whatever order they came, found by the row that they are for. */
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { setImmediate as nextRound } from "node:timers/promises";
import { hasManyValues } from "../../processors/large-texts.ts";
import type { BatchApi } from "../../processors/provider-batches.ts";
import type { ProviderResponse } from "../../processors/provider-messages.ts";

/** Lines are read on the thread that serves everything else, so many and so much of them between two looks at the rest. */
const LINES_A_ROUND = 50;
const BYTES_A_ROUND = 1024 * 1024;

export interface ResponseFiles {
  /** Undefined: the provider has not responded to the request. */
  find(index: number): Promise<ProviderResponse | undefined>;
  /** Of lines: responses, and lines that are not one. */
  counts: { responses: number; withoutResponse: number; repeated: number; foreign: number; unreadable: number };
  close(): Promise<void>;
}

interface Place {
  file: FileHandle;
  at: number;
  length: number;
}

/** `rowOf`: the row that a request is for, by its id; undefined where it is not a request of the batch. */
export async function openResponseFiles(
  paths: readonly string[],
  api: Pick<BatchApi, "readLine" | "maxLineBytes">,
  rowOf: (customId: string) => number | undefined,
): Promise<ResponseFiles> {
  const places = new Map<number, Place>();
  const handles: FileHandle[] = [];
  const counts = { responses: 0, withoutResponse: 0, repeated: 0, foreign: 0, unreadable: 0 };
  const close = async (): Promise<void> => {
    await Promise.all(handles.map((handle) => handle.close()));
  };
  const note = (line: Buffer, place: Place): void => {
    const read = readLine(api, line);
    if (read === undefined) {
      counts.unreadable++;
      return;
    }
    const index = rowOf(read.customId);
    if (index === undefined) counts.foreign++;
    else if (read.response === undefined) counts.withoutResponse++;
    // The first one counts, whichever pass reads them.
    else if (places.has(index)) counts.repeated++;
    else {
      counts.responses++;
      places.set(index, place);
    }
  };
  try {
    for (const path of paths) {
      const file = await open(path, "r");
      handles.push(file);
      let lines = 0;
      let bytes = 0;
      for await (const { line, at } of linesIn(path, api.maxLineBytes)) {
        if (line === undefined) counts.unreadable++;
        else if (line.length > 0) note(line, { file, at, length: line.length });
        lines++;
        bytes += line?.length ?? 0;
        if (lines < LINES_A_ROUND && bytes < BYTES_A_ROUND) continue;
        await nextRound();
        [lines, bytes] = [0, 0];
      }
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    counts,
    close,
    async find(index) {
      const place = places.get(index);
      if (place === undefined) return undefined;
      const line = Buffer.alloc(place.length);
      await place.file.read(line, 0, place.length, place.at);
      return readLine(api, line)?.response;
    },
  };
}

/** Undefined for what is not a line of responses. */
function readLine(api: Pick<BatchApi, "readLine">, line: Buffer): ReturnType<BatchApi["readLine"]> {
  let value: unknown;
  try {
    const text = line.toString("utf8");
    // No response has so many: its text is one value.
    if (hasManyValues(text)) return undefined;
    value = JSON.parse(text);
  } catch {
    // Half a line, a page of a proxy: its requests count as without a response.
    return undefined;
  }
  return typeof value === "object" && value !== null ? api.readLine(value as Record<string, unknown>) : undefined;
}

/** Each line with its place; undefined for one that is too long for memory. */
async function* linesIn(path: string, maxBytes: number): AsyncGenerator<{ line: Buffer | undefined; at: number }> {
  let pieces: Buffer[] = [];
  let length = 0;
  let at = 0;
  const take = (): Buffer | undefined => {
    const line = length > maxBytes ? undefined : Buffer.concat(pieces, length);
    pieces = [];
    length = 0;
    return line;
  };
  const add = (piece: Buffer): void => {
    length += piece.length;
    if (length <= maxBytes) pieces.push(piece);
    else pieces = [];
  };
  // A file stream without encoding gives Buffers.
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, from)) {
      add(chunk.subarray(from, end));
      from = end + 1;
      const whole = length;
      yield { line: take(), at };
      at += whole + 1;
    }
    if (from < chunk.length) add(chunk.subarray(from));
  }
  if (length > 0) yield { line: take(), at };
}
