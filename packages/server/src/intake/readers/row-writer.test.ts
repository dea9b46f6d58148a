import { createHash } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { waitFor } from "../../testing/wait.ts";
import { decodeChunk } from "../../resources/datasets/chunk-store.ts";
import { decodeFrames } from "./frames.ts";
import { roomyLimits, withDirectory } from "./readers-testing.ts";
import { RowWriter } from "./row-writer.ts";

/** `void`, or the rows of each frame that has any. */
async function sentTo(path: string): Promise<(string | string[])[]> {
  const bytes = await readFile(path);
  async function* chunks() {
    yield bytes;
  }
  const sent: (string | string[])[] = [];
  for await (const { type, rowCount, payload } of decodeFrames(chunks())) {
    if (type === "void") sent.push("void");
    else if (rowCount > 0) sent.push(await decodeChunk(payload));
  }
  return sent;
}

async function writeTo(use: (writer: RowWriter, sent: () => Promise<(string | string[])[]>) => Promise<void>) {
  await withDirectory(async (directory) => {
    const path = join(directory, "frames");
    const output = openSync(path, "w");
    try {
      await use(new RowWriter(output, { ...roomyLimits, maxRows: 5, chunkRows: 2 }), () => sentTo(path));
    } finally {
      closeSync(output);
    }
  });
}

const write = (writer: RowWriter, ...rows: string[]) => rows.forEach((row) => writer.writeLine(row));

test("a void behind rows that were sent is sent, and number, size and digest begin again", async () => {
  await writeTo(async (writer, sent) => {
    write(writer, "1", "2", "3");
    await waitFor(async () => (await sent()).length === 1, { what: "the first chunk is sent" });
    writer.voidRows();
    expect(writer.rowsWritten).toBe(0);
    // Of five rows at most: those before do not count.
    write(writer, '"1"', '"2"', '"3"', '"4"', '"5"');
    const text = '"1"\n"2"\n"3"\n"4"\n"5"\n';
    const sha256 = createHash("sha256").update(text).digest("hex");
    expect(await writer.end(0)).toEqual({ sizeBytes: text.length, sha256 });
    expect(await sent()).toEqual([["1", "2"], "void", ['"1"', '"2"'], ['"3"', '"4"'], ['"5"']]);
    expect(writer.rowsWritten).toBe(5);
  });
});

test("rows that are void before they were sent are never sent, and no void either", async () => {
  await writeTo(async (writer, sent) => {
    // All in one pass of the event loop: what is being compressed cannot have been sent.
    write(writer, "1", "2", "3", "4");
    writer.voidRows();
    write(writer, '"1"', '"2"');
    await writer.end(0);
    expect(await sent()).toEqual([['"1"', '"2"']]);
  });
});
