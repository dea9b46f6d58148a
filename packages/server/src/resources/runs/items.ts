/** Items of a run's row-level lists: JSON text for those who pass it on, and members for those who make tables of it. */
import { ROW_INDEX_DIGITS, formatId, makeRowId } from "../../platform/ids.ts";
import { ByteWriter } from "../../platform/byte-writer.ts";
import { createMemberReader } from "../../platform/json-bytes.ts";
import type { EachMember } from "../../platform/json-bytes.ts";
import type { StoredOutput } from "./stored-results/read-results.ts";
import { timeText } from "./time-text.ts";

export interface Item {
  readonly index: number;
  /** JSON text. It may be made when it is asked for. */
  readonly text: string;
  /** The same, as bytes. */
  writeTo(writer: ByteWriter): void;
  /** Calls `visit` for each member in order: the bytes in which its value stands as JSON, valid until the next item is read. */
  eachMember(visit: VisitMember): void;
}

export type VisitMember = (name: string, bytes: Buffer, start: number, end: number) => void;

const readMembers = createMemberReader();
/** For items that are written before they are read. */
const written = new ByteWriter();

function eachMemberOf(item: Pick<Item, "writeTo">, read: EachMember, visit: VisitMember): void {
  written.clear();
  item.writeTo(written);
  const bytes = written.peek();
  read(bytes, 0, (name, start, end) => visit(name, bytes, start, end));
}

export class TextItem implements Item {
  readonly index: number;
  readonly text: string;

  constructor(index: number, text: string) {
    this.index = index;
    this.text = text;
  }

  writeTo(writer: ByteWriter): void {
    writer.text(this.text);
  }

  eachMember(visit: VisitMember): void {
    eachMemberOf(this, readMembers, visit);
  }
}

export class OutputItem implements Item {
  readonly index: number;
  readonly prefix: string;
  readonly output: StoredOutput;

  /** `prefix`: what ids of the dataset's rows begin with. */
  constructor(prefix: string, output: StoredOutput) {
    this.index = output.index;
    this.prefix = prefix;
    this.output = output;
  }

  get text(): string {
    return `${itemHead(this.prefix, this.index)},${outputMembers(this.output)}}`;
  }

  writeTo(writer: ByteWriter): void {
    writeHead(writer, this.prefix, this.index);
    writer.byte(COMMA);
    writeOutputMembers(writer, this.output);
    writer.byte(CLOSE_BRACE);
  }

  /** Without the output being copied. */
  eachMember(visit: VisitMember): void {
    const { output, attempts, usage, finishedUs } = this.output;
    written.clear();
    const ends = memberEnds;
    writeRowId(written, this.prefix, this.index);
    ends[0] = written.length;
    written.integer(this.index);
    ends[1] = written.length;
    written.integer(attempts);
    ends[2] = written.length;
    if (usage === null) written.copy(NULL);
    else written.text(usage);
    ends[3] = written.length;
    written.copy(timeJson(finishedUs));
    const bytes = written.peek();
    visit("datasetRowId", bytes, 0, ends[0]);
    visit("index", bytes, ends[0], ends[1]);
    visit("data", output.bytes, output.start, output.end);
    visit("attempts", bytes, ends[1], ends[2]);
    visit("usage", bytes, ends[2], ends[3]);
    visit("producedAt", bytes, ends[3], bytes.length);
  }
}

const memberEnds: [number, number, number, number] = [0, 0, 0, 0];

/** A success among resolved results. */
export class ResolvedOutputItem implements Item {
  readonly index: number;
  readonly prefix: string;
  readonly runId: string;
  readonly output: StoredOutput;

  constructor(prefix: string, runId: string, output: StoredOutput) {
    this.index = output.index;
    this.prefix = prefix;
    this.runId = runId;
    this.output = output;
  }

  get text(): string {
    return `${itemHead(this.prefix, this.index)}${resolvedState(this.runId).text}${outputMembers(this.output)}}}`;
  }

  writeTo(writer: ByteWriter): void {
    writeHead(writer, this.prefix, this.index);
    writer.copy(resolvedState(this.runId).bytes);
    writeOutputMembers(writer, this.output);
    writer.byte(CLOSE_BRACE);
    writer.byte(CLOSE_BRACE);
  }

  eachMember(visit: VisitMember): void {
    eachMemberOf(this, readMembers, visit);
  }
}

/** Rows of one run mostly stand together. */
let lastRun = { id: "", text: "", bytes: Buffer.alloc(0) };

function resolvedState(runId: string): typeof lastRun {
  if (runId !== lastRun.id) {
    const text = `,"resultState":"succeeded","runId":"${formatId("run", runId)}","output":{`;
    lastRun = { id: runId, text, bytes: Buffer.from(text) };
  }
  return lastRun;
}

export const itemHead = (prefix: string, index: number): string =>
  `{"datasetRowId":"${makeRowId(prefix, index)}","index":${index}`;

export const outputMembers = ({ output, attempts, usage, finishedUs }: StoredOutput): string =>
  `"data":${output.text},"attempts":${attempts},"usage":${usage ?? "null"},"producedAt":"${timeText(finishedUs)}"`;

const QUOTE = 0x22;
const COMMA = 0x2c;
const CLOSE_BRACE = 0x7d;
const NULL = Buffer.from("null");
const HEAD = Buffer.from('{"datasetRowId":');
const INDEX = Buffer.from(',"index":');
const DATA = Buffer.from('"data":');
const ATTEMPTS = Buffer.from(',"attempts":');
const USAGE = Buffer.from(',"usage":');
const PRODUCED_AT = Buffer.from(',"producedAt":');

/** As `itemHead`. */
function writeHead(writer: ByteWriter, prefix: string, index: number): void {
  writer.copy(HEAD);
  writeRowId(writer, prefix, index);
  writer.copy(INDEX);
  writer.integer(index);
}

/** As `outputMembers`. */
function writeOutputMembers(writer: ByteWriter, { output, attempts, usage, finishedUs }: StoredOutput): void {
  writer.copy(DATA);
  writer.copy(output.bytes, output.start, output.end);
  writer.copy(ATTEMPTS);
  writer.integer(attempts);
  writer.copy(USAGE);
  if (usage === null) writer.copy(NULL);
  else writer.text(usage);
  writer.copy(PRODUCED_AT);
  writer.copy(timeJson(finishedUs));
}

/** Rows of one dataset, and those of one commit, mostly stand together: what they share is encoded once. */
let lastPrefix = { text: "", bytes: Buffer.alloc(0) };
let lastTime = { us: Number.NaN, bytes: Buffer.alloc(0) };

/** As `makeRowId`, in quotes. */
function writeRowId(writer: ByteWriter, prefix: string, index: number): void {
  if (prefix !== lastPrefix.text) lastPrefix = { text: prefix, bytes: Buffer.from(`"${prefix}`) };
  writer.copy(lastPrefix.bytes);
  writer.hexadecimal(index, ROW_INDEX_DIGITS);
  writer.byte(QUOTE);
}

function timeJson(us: number): Buffer {
  if (us !== lastTime.us) lastTime = { us, bytes: Buffer.from(`"${timeText(us)}"`) };
  return lastTime.bytes;
}
