/** Items of a run's row-level lists: JSON text for those who pass it on, and members for those who make tables of it. */
import { makeRowId } from "../../platform/ids.ts";
import { createMemberReader } from "../../platform/json-members.ts";
import type { StoredOutput } from "./stored-results/results.ts";
import { timeText } from "./time-text.ts";

export interface Item {
  readonly index: number;
  /** JSON text. It may be made when it is asked for. */
  readonly text: string;
  /** Calls `visit` for each member in order: the JSON text in which its value stands, from `start` to `end`. */
  eachMember(visit: VisitMember): void;
}

export type VisitMember = (name: string, json: string, start: number, end: number) => void;

const readMembers = createMemberReader();

export class TextItem implements Item {
  readonly index: number;
  readonly text: string;

  constructor(index: number, text: string) {
    this.index = index;
    this.text = text;
  }

  eachMember(visit: VisitMember): void {
    readMembers(this.text, 0, (name, start, end) => visit(name, this.text, start, end));
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

  eachMember(visit: VisitMember): void {
    const { output, attempts, usage, finishedUs } = this.output;
    const visitWhole = (name: string, json: string): void => visit(name, json, 0, json.length);
    visitWhole("datasetRowId", `"${makeRowId(this.prefix, this.index)}"`);
    visitWhole("index", String(this.index));
    visitWhole("data", output);
    visitWhole("attempts", String(attempts));
    visitWhole("usage", usage ?? "null");
    visitWhole("producedAt", `"${timeText(finishedUs)}"`);
  }
}

export const itemHead = (prefix: string, index: number): string =>
  `{"datasetRowId":"${makeRowId(prefix, index)}","index":${index}`;

export const outputMembers = ({ output, attempts, usage, finishedUs }: StoredOutput): string =>
  `"data":${output},"attempts":${attempts},"usage":${usage ?? "null"},"producedAt":"${timeText(finishedUs)}"`;
