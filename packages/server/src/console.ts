/**
 * The console, as it was built: files with a hash in their name, which never change, and `index.html`, which every address of the
 * console gets. All of it is read at the start and served from memory, in the encodings that were made at the build.
 *
 * The pages run only scripts and styles of this service (`Content-Security-Policy`), and load nothing from elsewhere. The base
 * path is that of the public URL, written into `<base href>`: a proxy may serve the console below a path.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isLoopbackHost } from "./platform/egress/loopback.ts";
import { ApiError } from "./platform/http/errors.ts";
import { acceptsEncoding, escapeHtml, prefersHtml } from "./platform/http/pages-for-people.ts";

/** Beside `dist` in the package, and where it is built in a checkout. */
const PLACES = ["../console/", "../../console/dist/"].map((path) => fileURLToPath(new URL(path, import.meta.url)));

/** Paths of the service itself: what is missing below them is missing, and no page of the console. */
const OF_THE_SERVICE = /^\/(v1|docs|guide|llms\.txt|llms-full\.txt|assets|healthz|readyz|metrics)(\/|$)/;

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
  ".png": "image/png",
};

interface Asset {
  contentType: string;
  bytes: Buffer;
  /** By the name of the encoding, the best first; not where the file is compressed already. */
  encoded: ReadonlyMap<string, Buffer>;
}

export interface Console {
  /** Whether the request asks for a page, and not for something of the service that is missing. */
  isPage(request: FastifyRequest): boolean;
  send(request: FastifyRequest, reply: FastifyReply): FastifyReply;
}

/** Undefined where the console was not built. */
export function serveConsole(app: FastifyInstance, publicUrl: () => string): Console | undefined {
  const built = PLACES.find((place) => existsSync(join(place, "index.html")));
  if (built === undefined) return undefined;
  const index = readFileSync(join(built, "index.html"), "utf8");
  const build = createHash("sha256").update(index).digest("hex").slice(0, 16);
  const assets = readAssets(join(built, "assets"));

  app.get<{ Params: { file: string } }>("/assets/:file", (request, reply) => {
    const asset = assets.get(request.params.file);
    if (asset === undefined)
      throw new ApiError("not_found", "There is no such file: the console was updated. Reload it.");
    const encoding = [...asset.encoded.keys()].find((name) =>
      acceptsEncoding(request.headers["accept-encoding"], name),
    );
    if (asset.encoded.size > 0) reply.header("Vary", "Accept-Encoding");
    if (encoding !== undefined) reply.header("Content-Encoding", encoding);
    return reply
      .header("Cache-Control", "public, max-age=31536000, immutable")
      .type(asset.contentType)
      .send(asset.encoded.get(encoding ?? "") ?? asset.bytes);
  });

  // What an open tab compares with the build that it runs.
  app.get("/console.json", (_request, reply) => reply.header("Cache-Control", "no-cache").send({ build }));

  return {
    isPage: ({ method, url, headers }) =>
      (method === "GET" || method === "HEAD") &&
      prefersHtml(headers.accept) &&
      !OF_THE_SERVICE.test(url.split("?", 1)[0] ?? ""),
    send(request, reply) {
      const { pathname, protocol, hostname } = new URL(publicUrl());
      const base = pathname.endsWith("/") ? pathname : `${pathname}/`;
      const html = index
        .replace('<base href="/"', `<base href="${escapeHtml(base)}"`)
        .replace('content="development"', `content="${build}"`);
      const etag = `"${createHash("sha256").update(html).digest("hex").slice(0, 32)}"`;
      reply.headers({
        "Content-Security-Policy": CONTENT_SECURITY_POLICY,
        // By plain http, a browser ignores it, and writes an error to its console for each page.
        ...((protocol === "https:" || isLoopbackHost(hostname)) && { "Cross-Origin-Opener-Policy": "same-origin" }),
        "Referrer-Policy": "same-origin",
        "Cache-Control": "no-cache",
        Vary: "Accept",
        ETag: etag,
      });
      if (request.headers["if-none-match"] === etag) return reply.code(304).send();
      return reply.code(200).type("text/html; charset=utf-8").send(html);
    },
  };
}

function readAssets(folder: string): Map<string, Asset> {
  const names = readdirSync(folder);
  const assets = new Map<string, Asset>();
  for (const name of names) {
    const contentType = CONTENT_TYPES[extname(name)];
    if (contentType === undefined) continue;
    const encoded = new Map<string, Buffer>();
    for (const [encoding, suffix] of [
      ["br", ".br"],
      ["gzip", ".gz"],
    ] as const)
      if (names.includes(name + suffix)) encoded.set(encoding, readFileSync(join(folder, name + suffix)));
    assets.set(name, { contentType, bytes: readFileSync(join(folder, name)), encoded });
  }
  return assets;
}
