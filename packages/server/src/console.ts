/**
 * The console, as it was built: files with a hash in their name, which never change, and `index.html`, which every address of the
 * console gets. All of it is read when somebody asks for the first of it, and served from memory, in the encodings that were made at the
 * build: hundreds of files, of which a worker, and an API that only programs ask, need none.
 *
 * The pages run only scripts and styles of this service (`Content-Security-Policy`), and load nothing from elsewhere. The base
 * path is that of the public URL, written into `<base href>`: a proxy may serve the console below a path.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, readdir } from "node:fs/promises";
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

/** With how its files end, the best first. */
const ENCODINGS = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;

interface Asset {
  contentType: string;
  bytes: Buffer;
  /** By the name of the encoding, the best first; not where the file is compressed already. */
  encoded: ReadonlyMap<string, Buffer>;
}

interface Built {
  index: string;
  /** By what an open tab knows that the service has another one than it runs. */
  build: string;
  assets: ReadonlyMap<string, Asset>;
}

export interface Console {
  /** Whether the request asks for a page, and not for something of the service that is missing. */
  isPage(request: FastifyRequest): boolean;
  send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
}

/** Undefined where the console was not built. */
export function serveConsole(app: FastifyInstance, publicUrl: () => string): Console | undefined {
  const place = PLACES.find((path) => existsSync(join(path, "index.html")));
  if (place === undefined) return undefined;
  const findBuilt = keepBuilt(place);

  app.get<{ Params: { file: string } }>("/assets/:file", async (request, reply) => {
    const { assets } = await findBuilt();
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
  app.get("/console.json", async (_request, reply) => {
    const { build } = await findBuilt();
    return reply.header("Cache-Control", "no-cache").send({ build });
  });

  return {
    isPage: ({ method, url, headers }) =>
      (method === "GET" || method === "HEAD") &&
      prefersHtml(headers.accept) &&
      !OF_THE_SERVICE.test(url.split("?", 1)[0] ?? ""),
    async send(request, reply) {
      const { index, build } = await findBuilt();
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

/** Reads at the first call, and after one that failed: another build was taking its place. */
function keepBuilt(place: string): () => Promise<Built> {
  let reading: Promise<Built> | undefined;
  return () => {
    reading ??= readBuilt(place).catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
}

async function readBuilt(place: string): Promise<Built> {
  const readIndex = (): Promise<string> => readFile(join(place, "index.html"), "utf8");
  const index = await readIndex();
  const assets = await readAssets(join(place, "assets"));
  // Another build has taken its place meanwhile, whose files have other names.
  if ((await readIndex()) !== index) return readBuilt(place);
  return { index, build: createHash("sha256").update(index).digest("hex").slice(0, 16), assets };
}

async function readAssets(folder: string): Promise<Map<string, Asset>> {
  const names = await readdir(folder);
  const read = (name: string): Promise<Buffer> => readFile(join(folder, name));
  const readAsset = async (name: string, contentType: string): Promise<[string, Asset]> => {
    const encoded = new Map<string, Buffer>();
    for (const [encoding, suffix] of ENCODINGS)
      if (names.includes(name + suffix)) encoded.set(encoding, await read(name + suffix));
    return [name, { contentType, bytes: await read(name), encoded }];
  };
  const reads = names.flatMap((name) => {
    const contentType = CONTENT_TYPES[extname(name)];
    return contentType === undefined ? [] : [readAsset(name, contentType)];
  });
  return new Map(await Promise.all(reads));
}
