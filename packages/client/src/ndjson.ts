import { RowmillConnectionError } from "./errors.ts";

/** The longest line: a row is at most a few megabytes, its output not much more; without a limit a broken proxy fills the memory. */
const MAX_LINE_CHARACTERS = 128 * 1024 * 1024;

/**
 * The values of newline-delimited JSON, one line in memory at a time. Ends normally only after a whole line; what comes of a
 * connection that broke off is an error.
 */
export async function* parseNdjson(
  chunks: AsyncIterable<Uint8Array>,
  parseJson: (text: string) => unknown = JSON.parse,
): AsyncGenerator<unknown, void, undefined> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  // The pieces of a line that has no end yet: joined once, since adding to a long string over and over costs its square.
  let pieces: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const lines = decode(decoder, chunk).split("\n");
    const rest = lines.pop() ?? "";
    for (const line of lines) {
      const whole = pieces.length > 0 ? pieces.join("") + line : line;
      pieces = [];
      length = 0;
      if (whole.trim() !== "") yield parseLine(whole, parseJson);
    }
    if (rest === "") continue;
    pieces.push(rest);
    length += rest.length;
    if (length > MAX_LINE_CHARACTERS) throw new RowmillConnectionError("a line of the stream is too long");
  }
  const last = pieces.join("") + decode(decoder);
  if (last.trim() !== "") yield parseLine(last, parseJson);
}

function decode(decoder: InstanceType<typeof TextDecoder>, chunk?: Uint8Array): string {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
  } catch (error) {
    throw new RowmillConnectionError("the stream is not UTF-8, or ended within a character", { cause: error });
  }
}

function parseLine(line: string, parseJson: (text: string) => unknown): unknown {
  try {
    return parseJson(line);
  } catch (error) {
    // Part of an object is never JSON, so a stream that was cut within a line ends here.
    throw new RowmillConnectionError("the stream broke off within a line, or is not JSON lines", { cause: error });
  }
}
