/**
 * Pages of items as they go from thread to thread: bytes, and numbers that say where items lie in them, in place of some thousand
 * objects. Outputs are packed as they are stored, other items as their JSON text.
 */
import { ByteWriter } from "../../../platform/byte-writer.ts";
import { JsonSlice, createMemberReader } from "../../../platform/json-bytes.ts";
import { OutputItem } from "../../runs/items.ts";
import type { VisitMember } from "../../runs/items.ts";
import type { ExportItem } from "../formats/format.ts";

/** JSON texts in one buffer. */
interface PackedTexts {
  bytes: Uint8Array<ArrayBuffer>;
  starts: Uint32Array<ArrayBuffer>;
  ends: Uint32Array<ArrayBuffer>;
}

export interface PackedPage {
  indexes: Uint32Array<ArrayBuffer>;
  /** Of outputs alone, or of items as a whole if there are no `heads`. */
  texts: PackedTexts;
  heads: OutputHeads | undefined;
  inputs: PackedTexts | undefined;
}

/** What items of the type `outputs` have beside the output. */
interface OutputHeads {
  prefix: string;
  attempts: Uint32Array<ArrayBuffer>;
  finishedUs: Float64Array<ArrayBuffer>;
  /** Undefined: no item has one. */
  usages: (string | null)[] | undefined;
}

export function packPage(items: readonly ExportItem[]): PackedPage {
  const outputs = items.filter((item) => item instanceof OutputItem);
  const heads = outputs.length === items.length ? packHeads(outputs) : undefined;
  const inputs = items.flatMap(({ input }) => input ?? []);
  if (inputs.length !== 0 && inputs.length !== items.length) throw new Error("some rows of a page have no input");
  return {
    indexes: Uint32Array.from(items, ({ index }) => index),
    texts: heads === undefined ? packItems(items) : packSlices(outputs.map(({ output }) => output.output)),
    heads,
    inputs: inputs.length === 0 ? undefined : packSlices(inputs),
  };
}

/** What a message with the page may hand over, in place of a copy. */
export const buffersOf = ({ texts, inputs }: PackedPage): ArrayBuffer[] =>
  [texts.bytes.buffer, inputs?.bytes.buffer].filter((buffer) => buffer !== undefined);

export function unpackPage({ indexes, texts, heads, inputs }: PackedPage): ExportItem[] {
  const slice = sliceOf(texts);
  const inputAt = inputs === undefined ? undefined : sliceOf(inputs);
  const items: ExportItem[] = [];
  for (const [at, index] of indexes.entries()) {
    const item: ExportItem =
      heads === undefined
        ? new PackedItem(index, slice(at))
        : new OutputItem(heads.prefix, {
            index,
            output: slice(at),
            attempts: heads.attempts[at] ?? 0,
            finishedUs: heads.finishedUs[at] ?? 0,
            usage: heads.usages?.[at] ?? null,
          });
    if (inputAt !== undefined) item.input = inputAt(at);
    items.push(item);
  }
  return items;
}

const readMembers = createMemberReader();

/** An item whose text lies in the bytes of its page. */
class PackedItem implements ExportItem {
  readonly index: number;
  readonly #slice: JsonSlice;
  input?: JsonSlice;

  constructor(index: number, slice: JsonSlice) {
    this.index = index;
    this.#slice = slice;
  }

  get text(): string {
    return this.#slice.text;
  }

  writeTo(writer: ByteWriter): void {
    const { bytes, start, end } = this.#slice;
    writer.copy(bytes, start, end);
  }

  eachMember(visit: VisitMember): void {
    const { bytes, start } = this.#slice;
    readMembers(bytes, start, (name, from, to) => visit(name, bytes, from, to));
  }
}

function packHeads(items: readonly OutputItem[]): OutputHeads {
  const outputs = items.map(({ output }) => output);
  return {
    prefix: items[0]?.prefix ?? "",
    attempts: Uint32Array.from(outputs, ({ attempts }) => attempts),
    finishedUs: Float64Array.from(outputs, ({ finishedUs }) => finishedUs),
    usages: outputs.some(({ usage }) => usage !== null) ? outputs.map(({ usage }) => usage) : undefined,
  };
}

function packItems(items: readonly ExportItem[]): PackedTexts {
  const writer = new ByteWriter();
  const [starts, ends] = [new Uint32Array(items.length), new Uint32Array(items.length)];
  for (const [at, item] of items.entries()) {
    starts[at] = writer.length;
    item.writeTo(writer);
    ends[at] = writer.length;
  }
  return { bytes: ownBytes(writer), starts, ends };
}

/** Most stand in one buffer, one behind the other, and are copied at once. */
function packSlices(slices: readonly JsonSlice[]): PackedTexts {
  const writer = new ByteWriter();
  const [starts, ends] = [new Uint32Array(slices.length), new Uint32Array(slices.length)];
  for (let at = 0; at < slices.length;) {
    const first = slices[at];
    if (first === undefined) break;
    let behind = at + 1;
    while (slices[behind]?.bytes === first.bytes && (slices[behind]?.start ?? 0) >= (slices[behind - 1]?.end ?? 0))
      behind++;
    const offset = writer.length - first.start;
    writer.copy(first.bytes, first.start, slices[behind - 1]?.end);
    for (; at < behind; at++) {
      starts[at] = (slices[at]?.start ?? 0) + offset;
      ends[at] = (slices[at]?.end ?? 0) + offset;
    }
  }
  return { bytes: ownBytes(writer), starts, ends };
}

/** The writer's memory, which nobody else uses. */
const ownBytes = (writer: ByteWriter): Uint8Array<ArrayBuffer> => writer.take() as Buffer<ArrayBuffer>; // as the writer makes it

function sliceOf({ bytes, starts, ends }: PackedTexts): (at: number) => JsonSlice {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return (at) => new JsonSlice(buffer, starts[at] ?? 0, ends[at] ?? 0);
}
