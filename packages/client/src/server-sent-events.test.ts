import { expect, test } from "vitest";
import { parseServerSentEvents } from "./server-sent-events.ts";

async function* inPieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

const STREAM =
  ': hello\n\nid: 1\nevent: run.created\ndata: {"n":1}\n\nevent: run.progress\ndata: {"city":"Zürich: Ost"}\n\n';

test.each([1, 2, 7, 1000])(
  "messages are read whole from pieces of %i bytes; comments are not messages",
  async (size) => {
    expect(await Array.fromAsync(parseServerSentEvents(inPieces(STREAM, size)))).toEqual([
      { id: "1", event: "run.created", data: { n: 1 } },
      { id: undefined, event: "run.progress", data: { city: "Zürich: Ost" } },
    ]);
  },
);

test("a stream that breaks off within a message is an error, not an end", async () => {
  await expect(Array.fromAsync(parseServerSentEvents(inPieces('id: 1\ndata: {"n"', 5)))).rejects.toThrow("broke off");
});
