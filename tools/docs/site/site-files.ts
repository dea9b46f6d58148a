/** Files that the guide consists of, each stored under the digest of its content, with its compressed copies. */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { ROOT } from "../pages.ts";

/** The script of the API reference: the best quality takes twelve times the processor time, and a tenth fewer bytes. */
const LARGE_FILE_BYTES = 1024 ** 2;
const LARGE_FILE_QUALITY = 9;

/** As `packages/server/src/built-site.ts` reads it. */
interface ServedFile {
  file: string;
  type: string;
  /** Endings of the compressed copies. */
  encodings: string[];
  /** The name has a digest of the content: it never changes. */
  isImmutable: boolean;
  /** Contains `{{url}}` or `{{base}}`. */
  isTemplate: boolean;
}

export class SiteFiles {
  readonly #folder: string;
  readonly #files: Record<string, ServedFile> = {};
  readonly #modules = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  write(content: string | Buffer, type: string, how: Partial<ServedFile> = {}): ServedFile {
    const bytes = Buffer.from(content);
    const file = createHash("sha256").update(bytes).digest("hex").slice(0, 32);
    const encodings = how.isTemplate === true || /^(?:image\/png|font\/)/.test(type) ? [] : ["br", "gzip"];
    const path = join(this.#folder, file);
    writeFileSync(path, bytes);
    if (encodings.length > 0) {
      const quality = bytes.length > LARGE_FILE_BYTES ? LARGE_FILE_QUALITY : constants.BROTLI_MAX_QUALITY;
      const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
      writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
      writeFileSync(`${path}.gzip`, gzipSync(bytes, { level: 9 }));
    }
    return { file, type, encodings, isImmutable: false, isTemplate: false, ...how };
  }

  put(address: string, content: string | Buffer, type: string, how: Partial<ServedFile> = {}): void {
    this.#files[address] = this.write(content, type, how);
  }

  /** The address has the digest in it, and never changes its content. */
  putForEver(name: string, content: string | Buffer, type: string): string {
    const hash = createHash("sha256").update(content).digest("hex").slice(0, 12);
    const address = `assets/${name.replace(/(\.\w+)$/, `-${hash}$1`)}`;
    this.put(address, content, type, { isImmutable: true });
    return address;
  }

  /** A file of another package that is a part of what is served. */
  takeFrom(path: string): void {
    this.#modules.add(relative(ROOT, path));
  }

  /** And what was taken from other packages, for their licenses. */
  writeManifest(reference: Record<string, ServedFile>): void {
    writeFileSync(join(this.#folder, "manifest.json"), JSON.stringify({ files: this.#files, reference }));
    writeFileSync(join(this.#folder, "modules.json"), JSON.stringify([...this.#modules].toSorted()));
  }
}
