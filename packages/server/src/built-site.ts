/**
 * What `tools/docs/site` has built for browsers: the guide, and the page of the API reference. A manifest lists what is served; a path
 * that it does not have is missing, so that no path of a request ever reaches the file system.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { FastifyReply, FastifyRequest } from "fastify";
import { acceptsEncoding, escapeHtml } from "./platform/http/pages-for-people.ts";

/** Beside `src` in a checkout, and beside `dist` in the package. */
const BUILT = new URL("../guide/", import.meta.url);

/** As `tools/docs/site/write-site.ts` writes it. */
export interface ServedFile {
  file: string;
  type: string;
  encodings: string[];
  isImmutable: boolean;
  isTemplate: boolean;
}

interface Content {
  bytes: Buffer;
  etag: string;
}

export interface BuiltSite {
  /** By the path below `/guide/`. */
  readonly guide: ReadonlyMap<string, ServedFile>;
  /** By the path below `/docs/`. */
  readonly reference: ReadonlyMap<string, ServedFile>;
  send(
    request: FastifyRequest,
    reply: FastifyReply,
    entry: ServedFile,
    contentSecurityPolicy: string,
    status?: number,
  ): Promise<FastifyReply>;
}

/** Undefined without a build. */
export function openBuiltSite(publicUrl: () => string): BuiltSite | undefined {
  const manifest = fileURLToPath(new URL("manifest.json", BUILT));
  if (!existsSync(manifest)) return undefined;
  const { files, reference = {} } = JSON.parse(readFileSync(manifest, "utf8")) as {
    files: Record<string, ServedFile>;
    /** Absent in builds of earlier versions. */
    reference?: Record<string, ServedFile>;
  }; // as the build writes it
  // The files are a few megabytes, and most of them are never asked for.
  const read = new Map<string, Promise<Buffer>>();

  async function contentOf({ file, isTemplate }: ServedFile, encoding: string | undefined): Promise<Content> {
    const name = encoding === undefined ? file : `${file}.${encoding}`;
    let bytes = read.get(name);
    if (bytes === undefined) {
      bytes = readFile(new URL(name, BUILT));
      read.set(name, bytes);
      // Another build has taken its place: it is not kept, and a restart serves the new one.
      bytes.catch(() => read.delete(name));
    }
    if (!isTemplate) return { bytes: await bytes, etag: `"${name}"` };
    const url = publicUrl();
    const { pathname } = new URL(url);
    const text = (await bytes)
      .toString("utf8")
      .replaceAll("{{url}}", url)
      .replaceAll("{{base}}", escapeHtml(pathname.endsWith("/") ? pathname : `${pathname}/`));
    return {
      bytes: Buffer.from(text),
      etag: `"${createHash("sha256").update(text).digest("hex").slice(0, 32)}"`,
    };
  }

  return {
    guide: new Map(Object.entries(files)),
    reference: new Map(Object.entries(reference)),
    async send(request, reply, entry, contentSecurityPolicy, status = 200) {
      const encoding = entry.encodings.find((name) => acceptsEncoding(request.headers["accept-encoding"], name));
      const { bytes, etag } = await contentOf(entry, encoding);
      const isPage = entry.type.startsWith("text/html");
      const vary = [...(entry.encodings.length > 0 ? ["Accept-Encoding"] : []), ...(isPage ? ["Accept"] : [])];
      reply.headers({
        "Content-Security-Policy": contentSecurityPolicy,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
        "Cache-Control": entry.isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
        ETag: etag,
      });
      if (vary.length > 0) reply.header("Vary", vary.join(", "));
      if (status === 200 && isKnown(request.headers["if-none-match"], etag)) return reply.code(304).send();
      if (encoding !== undefined) reply.header("Content-Encoding", encoding);
      return reply.code(status).type(entry.type).send(bytes);
    },
  };
}

const isKnown = (header: string | undefined, etag: string): boolean =>
  (header ?? "").split(",").some((part) => {
    const known = part.trim();
    return known === "*" || known.replace(/^W\//, "") === etag;
  });
