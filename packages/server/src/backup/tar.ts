/**
 * Tar archives as streams (POSIX.1-1988 `ustar`; sizes of 8 GiB and more in base 256, as GNU tar and BSD tar read them). Only what a
 * backup needs: regular files, whose size is known before. The packages that do this bring 6 MB for other runtimes.
 */
import { ANOTHER_BACKUP, BackupPathError } from "./manifest.ts";

const BLOCK_BYTES = 512;
const NAME_BYTES = 100;
const PREFIX_BYTES = 155;
const MAX_OCTAL_SIZE = 8 ** 11 - 1;
const FIELDS = {
  mode: 100,
  uid: 108,
  gid: 116,
  size: 124,
  mtime: 136,
  checksum: 148,
  type: 156,
  magic: 257,
  prefix: 345,
};
const FILE_TYPE = "0";

export function headerOf(path: string, sizeBytes: number, modifiedAt: Date): Buffer {
  const header = Buffer.alloc(BLOCK_BYTES);
  const { name, prefix } = splitPath(path);
  header.write(name, 0);
  header.write("0000600\0", FIELDS.mode);
  header.write("0000000\0", FIELDS.uid);
  header.write("0000000\0", FIELDS.gid);
  if (sizeBytes <= MAX_OCTAL_SIZE) header.write(`${octal(sizeBytes, 11)}\0`, FIELDS.size);
  else {
    header[FIELDS.size] = 0x80;
    header.writeBigUInt64BE(BigInt(sizeBytes), FIELDS.size + 4);
  }
  header.write(`${octal(Math.floor(modifiedAt.getTime() / 1000), 11)}\0`, FIELDS.mtime);
  header.write(FILE_TYPE, FIELDS.type);
  header.write("ustar\u000000", FIELDS.magic);
  header.write(prefix, FIELDS.prefix);
  header.write(`${octal(checksumOf(header), 6)}\0 `, FIELDS.checksum);
  return header;
}

export const paddingOf = (sizeBytes: number): Buffer =>
  Buffer.alloc((BLOCK_BYTES - (sizeBytes % BLOCK_BYTES)) % BLOCK_BYTES);

/** Two blocks of zeros. */
export const END = Buffer.alloc(2 * BLOCK_BYTES);

export interface TarEntry {
  path: string;
  sizeBytes: number;
  /** To be read to its end before the next entry is asked for. */
  content: AsyncIterable<Buffer>;
}

/** Throws a `BackupError` where the bytes are not a whole archive of regular files. */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const bytes = createByteReader(source);
  for (;;) {
    const header = await bytes.take(BLOCK_BYTES);
    if (header.every((byte) => byte === 0)) return;
    const entry = parseHeader(header);
    let left = entry.sizeBytes;
    const content = async function* (): AsyncGenerator<Buffer> {
      while (left > 0) {
        const part = await bytes.takeSome(left);
        left -= part.length;
        yield part;
      }
    };
    yield { ...entry, content: content() };
    if (left > 0) throw new Error(`the content of ${entry.path} was not read to its end`);
    await bytes.take(paddingOf(entry.sizeBytes).length);
  }
}

function splitPath(path: string): { name: string; prefix: string } {
  if (Buffer.byteLength(path) <= NAME_BYTES) return { name: path, prefix: "" };
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (Buffer.byteLength(name) <= NAME_BYTES && Buffer.byteLength(prefix) <= PREFIX_BYTES) return { name, prefix };
  }
  throw new BackupPathError(`${path} is too long a name for a tar file.`, "Write the backup into a folder.");
}

function parseHeader(header: Buffer): { path: string; sizeBytes: number } {
  const checksum = Number.parseInt(textAt(header, FIELDS.checksum, 8), 8);
  if (textAt(header, FIELDS.magic, 5) !== "ustar" || checksum !== checksumOf(header))
    throw new BackupPathError(
      "The file is damaged, or is not a backup: a header of the tar file is wrong.",
      ANOTHER_BACKUP,
    );
  if (textAt(header, FIELDS.type, 1) !== FILE_TYPE)
    throw new BackupPathError(
      "The tar file has an entry that is not a regular file: it was not written by `rowmill backup`.",
      ANOTHER_BACKUP,
    );
  const name = textAt(header, 0, NAME_BYTES);
  const prefix = textAt(header, FIELDS.prefix, PREFIX_BYTES);
  const isBase256 = ((header[FIELDS.size] ?? 0) & 0x80) !== 0;
  const sizeBytes = isBase256
    ? Number(header.readBigUInt64BE(FIELDS.size + 4))
    : Number.parseInt(textAt(header, FIELDS.size, 12), 8);
  return { path: prefix === "" ? name : `${prefix}/${name}`, sizeBytes };
}

/** The field of the checksum counts as spaces. */
function checksumOf(header: Buffer): number {
  let sum = 0;
  for (const [at, byte] of header.entries()) sum += at >= FIELDS.checksum && at < FIELDS.checksum + 8 ? 0x20 : byte;
  return sum;
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, "0");

function textAt(header: Buffer, start: number, length: number): string {
  const field = header.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.toString("utf8", 0, end === -1 ? length : end);
}

function createByteReader(source: AsyncIterable<Buffer>) {
  const iterator = source[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  const takeSome = async (most: number): Promise<Buffer> => {
    while (rest.length === 0) {
      const next = await iterator.next();
      if (next.done === true)
        throw new BackupPathError("The file ends too early: the backup is incomplete.", ANOTHER_BACKUP);
      rest = next.value;
    }
    const part = rest.subarray(0, most);
    rest = rest.subarray(part.length);
    return part;
  };
  return {
    takeSome,
    async take(count: number): Promise<Buffer> {
      const parts: Buffer[] = [];
      for (let left = count; left > 0; left -= parts.at(-1)?.length ?? 0) parts.push(await takeSome(left));
      return Buffer.concat(parts);
    },
  };
}
