/** JSON Lines: each line is the list item as the API shows it, passed on without being parsed. UTF-8, lines end in LF. */
import type { ExportItem, Format } from "./format.ts";

export const jsonl: Format = {
  extension: "jsonl",
  contentType: "application/x-ndjson; charset=utf-8",
  compressesItself: false,
  async *encode(source) {
    for await (const page of source.readPages()) {
      let lines = "";
      for (const item of page) lines += lineOf(item);
      yield { bytes: Buffer.from(lines), rowCount: page.length };
    }
  },
};

/** An item is an object with members, so `input` can be written in front of its closing brace. */
function lineOf(item: ExportItem): string {
  return item.input === undefined ? `${item.text}\n` : `${item.text.slice(0, -1)},"input":${item.input}}\n`;
}
