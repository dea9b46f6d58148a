/** Lines of a chosen file, by their numbers from 1: what the service could not read is shown as it stands in the file. */

/** Of a larger file, only lines of its beginning are shown: it is read for nothing else. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_CHARACTERS = 300;

export async function readLines(file: File, numbers: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  const last = Math.max(0, ...numbers);
  if (last === 0 || /\.(zst|parquet)$/i.test(file.name)) return found;
  const wanted = new Set(numbers);
  const bytes = file.slice(0, MAX_BYTES).stream();
  const plain = /\.gz$/i.test(file.name) ? bytes.pipeThrough(new DecompressionStream("gzip")) : bytes;
  const reader = plain.pipeThrough(new TextDecoderStream()).getReader();
  let number = 1;
  let line = "";
  const keep = (): void => {
    if (wanted.has(number)) found.set(number, line.replace(/\r$/, ""));
  };
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    const parts = value.split("\n");
    for (const [i, part] of parts.entries()) {
      if (i > 0) {
        keep();
        number++;
        line = "";
      }
      if (line.length < MAX_CHARACTERS && wanted.has(number)) line += part.slice(0, MAX_CHARACTERS - line.length);
    }
    if (number > last) {
      await reader.cancel();
      return found;
    }
  }
  if (file.size <= MAX_BYTES) keep();
  return found;
}
