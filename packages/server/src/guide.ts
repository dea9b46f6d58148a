/**
 * The guide at `/guide`: the documentation of this version, as it was built (`tools/docs/site`). A manifest lists what is served; a
 * path that it does not have is missing, so that no path of a request ever reaches the file system.
 *
 * Links within it are relative, and work below the path of any public URL. Only the texts for programs and the page of a missing page
 * name the public URL, which is known here.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "./platform/http/errors.ts";
import { acceptsEncoding, escapeHtml, prefersHtml } from "./platform/http/pages-for-people.ts";

/** Beside `src` in a checkout, and beside `dist` in the package. */
const BUILT = new URL("../guide/", import.meta.url);

const PAGES_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");
/** A drawing that is opened by itself has its own styles, and runs nothing. */
const FILES_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'";

/** As `tools/docs/site/write-site.ts` writes it. */
interface ServedFile {
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

/** Without a build there is no guide, and its paths are missing ones. */
export function serveGuide(app: FastifyInstance, publicUrl: () => string): void {
  const manifest = fileURLToPath(new URL("manifest.json", BUILT));
  if (!existsSync(manifest)) return;
  const { files } = JSON.parse(readFileSync(manifest, "utf8")) as { files: Record<string, ServedFile> };
  const served = new Map(Object.entries(files));
  // A guide is a few megabytes, and most of it is never asked for.
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

  async function send(request: FastifyRequest, reply: FastifyReply, entry: ServedFile, status = 200) {
    const encoding = entry.encodings.find((name) => acceptsEncoding(request.headers["accept-encoding"], name));
    const { bytes, etag } = await contentOf(entry, encoding);
    const isPage = entry.type.startsWith("text/html");
    const vary = [...(entry.encodings.length > 0 ? ["Accept-Encoding"] : []), ...(isPage ? ["Accept"] : [])];
    reply.headers({
      "Content-Security-Policy": isPage ? PAGES_POLICY : FILES_POLICY,
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "same-origin",
      "Cache-Control": entry.isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
      ETag: etag,
    });
    if (vary.length > 0) reply.header("Vary", vary.join(", "));
    if (status === 200 && isKnown(request.headers["if-none-match"], etag)) return reply.code(304).send();
    if (encoding !== undefined) reply.header("Content-Encoding", encoding);
    return reply.code(status).type(entry.type).send(bytes);
  }

  app.get("/guide", (_request, reply) => reply.redirect("guide/", 308));
  app.get<{ Params: { "*": string } }>("/guide/*", async (request, reply) => {
    const path = request.params["*"];
    // A page asked for as Markdown; agents do so.
    const asMarkdown = served.get(`${path === "" ? "index" : path}.md`);
    if (asMarkdown !== undefined && /\btext\/markdown\b/.test(request.headers.accept ?? ""))
      return send(request, reply, asMarkdown);
    const entry = path === "404" ? undefined : served.get(path);
    if (entry !== undefined) return send(request, reply, entry);
    if (path.endsWith("/") && served.has(path.slice(0, -1)))
      return reply.redirect(`../${path.slice(path.lastIndexOf("/", path.length - 2) + 1, -1)}`, 308);
    const missing = served.get("404");
    if (missing !== undefined && prefersHtml(request.headers.accept)) return send(request, reply, missing, 404);
    throw new ApiError("not_found", "The guide has no page at this path. GET /llms.txt lists its pages.");
  });
  for (const name of ["llms.txt", "llms-full.txt"]) {
    const entry = served.get(name);
    if (entry !== undefined) app.get(`/${name}`, (request, reply) => send(request, reply, entry));
  }
}

const isKnown = (header: string | undefined, etag: string): boolean =>
  (header ?? "").split(",").some((part) => {
    const known = part.trim();
    return known === "*" || known.replace(/^W\//, "") === etag;
  });
