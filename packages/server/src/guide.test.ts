/** The guide as it is built and served, without a database: every page and link of it, and what a hostile path gets. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import Fastify from "fastify";
import type { FastifyInstance, LightMyRequestResponse } from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBuiltSite } from "./built-site.ts";
import { serveGuide } from "./guide.ts";
import { ApiError, errorResponse } from "./platform/http/errors.ts";

const root = join(import.meta.dirname, "../../..");
const PUBLIC_URL = "https://data.example.com/rowmill";
const BROWSER = "text/html,application/xhtml+xml,*/*;q=0.8";
/** The index and the script of the search together are loaded on a phone as well. A page of the guide adds about 1,000 bytes to the index. */
const SEARCH_INDEX_BYTES = 125_000;
const SCRIPT_BYTES = 12_000;

let app: FastifyInstance;
beforeAll(async () => {
  await promisify(execFile)(process.execPath, [join(root, "tools/docs/site/build.ts")]);
  app = Fastify({ exposeHeadRoutes: true });
  app.setErrorHandler((error, _request, reply) => {
    if (!(error instanceof ApiError)) throw error;
    const { status, body } = errorResponse(error, "req_test", PUBLIC_URL, undefined);
    return reply.code(status).send(body);
  });
  const site = openBuiltSite(() => PUBLIC_URL);
  if (site === undefined) throw new Error("there is no build");
  serveGuide(app, site);
  await app.ready();
});
afterAll(() => app.close());

const get = (url: string, headers: Record<string, string> = {}): Promise<LightMyRequestResponse> =>
  app.inject({ url, headers: { accept: BROWSER, ...headers } });

interface Visited {
  html: string;
  ids: Set<string>;
}

/** Every page that can be reached from the start, by its path. Other files are asked for, too. */
async function crawl(): Promise<{ pages: Map<string, Visited>; broken: string[] }> {
  const pages = new Map<string, Visited>();
  const broken: string[] = [];
  const links: { from: string; to: URL }[] = [];
  const seen = new Set<string>();
  const waiting = ["/guide/"];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const response = await get(path);
    if (response.statusCode !== 200) broken.push(`${path}: ${response.statusCode}`);
    if (!String(response.headers["content-type"]).startsWith("text/html")) continue;
    const html = response.body;
    pages.set(path, { html, ids: new Set([...html.matchAll(/\sid="([^"]*)"/g)].map(([, id = ""]) => id)) });
    for (const [, value = ""] of html.matchAll(/\s(?:href|src)="([^"]*)"/g)) {
      const to = new URL(value.replaceAll("&amp;", "&"), `http://guide${path}`);
      if (to.host !== "guide") continue;
      links.push({ from: path, to });
      // Console and reference of the API are not here.
      if (!["/", "/docs/"].includes(to.pathname)) waiting.push(to.pathname);
    }
  }
  for (const { from, to } of links) {
    const target = pages.get(to.pathname);
    const anchor = decodeURIComponent(to.hash.slice(1));
    if (target !== undefined && anchor !== "" && !target.ids.has(anchor))
      broken.push(`${from} → ${to.pathname}${to.hash}`);
  }
  return { pages, broken };
}

test("every link of every page leads to a page, an anchor or a file that exists", async () => {
  const { pages, broken } = await crawl();
  expect(broken).toEqual([]);
  expect(pages.size).toBeGreaterThan(25);
  for (const path of ["/guide/", "/guide/operations", "/guide/decisions/0002-embedded-postgresql"])
    expect(pages.keys()).toContain(path);
  for (const [path, { html }] of pages) {
    // The policy would forbid each of these.
    expect([path, html.match(/<script(?![^>]*\ssrc=)|<style|<[^>]*\s(?:style|on\w+)=/i)]).toEqual([path, null]);
    expect([path, html.match(/<h1/g)?.length]).toEqual([path, 1]);
    expect([path, html.includes("<!-- ")]).toEqual([path, false]);
  }
});

test("pages have a strict policy, an ETag and an encoding; a browser that has one gets 304", async () => {
  const page = await get("/guide/operations", { "accept-encoding": "gzip, br" });
  expect(page.headers["content-security-policy"]).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  expect(page.headers).toMatchObject({
    "content-encoding": "br",
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
    vary: "Accept-Encoding, Accept",
    "content-type": "text/html; charset=utf-8",
  });
  const etag = String(page.headers.etag);
  const known = await get("/guide/operations", {
    "accept-encoding": "gzip, br",
    "if-none-match": `"other", W/${etag}`,
  });
  expect([known.statusCode, known.body]).toEqual([304, ""]);
  expect((await get("/guide/operations", { "if-none-match": etag })).statusCode).toBe(200);
  const script = /src="\.\/(assets\/guide-\w+\.js)"/.exec((await get("/guide/")).body)?.[1];
  const asset = await get(`/guide/${script}`);
  expect(asset.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
});

test("HEAD has the headers of GET and no body", async () => {
  const { statusCode, headers, body } = await app.inject({ method: "HEAD", url: "/guide/operations" });
  const full = await app.inject({ url: "/guide/operations" });
  expect([statusCode, body]).toEqual([200, ""]);
  expect(headers.etag).toBe(full.headers.etag);
  expect(headers["content-length"]).toBe(full.headers["content-length"]);
});

test("the address without a slash, and pages with one, lead to the right one below any base path", async () => {
  for (const [from, to] of [
    ["/guide", "guide/"],
    ["/guide/operations/", "../operations"],
    ["/guide/decisions/0002-embedded-postgresql/", "../0002-embedded-postgresql"],
  ] as const) {
    const { statusCode, headers } = await get(from);
    expect([from, statusCode, headers.location]).toEqual([from, 308, to]);
    const target = new URL(to, `http://guide/rowmill${from}`).pathname;
    expect((await get(target.replace("/rowmill", ""))).statusCode).toBe(200);
  }
});

describe("a path that the guide does not have", () => {
  test("is a page with the base path for browsers, and a problem for programs", async () => {
    const page = await get("/guide/no/such/page");
    expect(page.statusCode).toBe(404);
    expect(page.body).toContain('data-root="/rowmill/guide/"');
    expect(page.body).toContain('<a href="/rowmill/guide/operations">');
    expect(page.body).toContain('id="search-here"');
    const problem = await get("/guide/no/such/page", { accept: "application/json" });
    expect([problem.statusCode, problem.json<{ error: { code: string } }>().error.code]).toEqual([404, "not_found"]);
  });

  test.each([
    "../package.json",
    "..%2fpackage.json",
    "%2e%2e/%2e%2e/package.json",
    "..%5c..%5cpackage.json",
    "....//package.json",
    "/etc/passwd",
    "%2fetc%2fpasswd",
    "files/../../../package.json",
    "files/%2e%2e%2f%2e%2e%2fpackage.json",
    "operations.md%00.html",
    "manifest.json",
    "inputs.sha256",
    "404",
    "__proto__",
    "constructor",
  ])("reaches no file: %s", async (path) => {
    const { statusCode, body } = await get(`/guide/${path}`);
    expect(statusCode).toBe(404);
    expect(body).not.toMatch(/"(?:name|files|version)":|root:/);
  });
});

test("every page is Markdown, too, by its ending or its type, with links that lead on", async () => {
  const byEnding = await get("/guide/operations.md");
  expect(byEnding.headers["content-type"]).toBe("text/markdown; charset=utf-8");
  const byType = await get("/guide/operations", { accept: "text/markdown, text/html;q=0.5" });
  expect(byType.body).toBe(byEnding.body);
  const start = await get("/guide/index.md");
  expect(start.body).toMatch(/^# Rowmill/m);
  for (const path of ["/guide/index.md", "/guide/operations.md", "/guide/decisions.md"]) {
    const { body } = await get(path);
    for (const [, href = ""] of body.replaceAll(/^```.*?^```$/gms, "").matchAll(/\]\(([^()\s:]+)\)/g)) {
      const to = new URL(href, `http://guide${path}`).pathname;
      expect([path, href, (await get(to)).statusCode]).toEqual([path, href, 200]);
    }
  }
});

test("programs find the pages: llms.txt, the whole text and the sitemap name the public URL", async () => {
  for (const path of ["/llms.txt", "/guide/llms.txt"]) {
    const { headers, body } = await get(path);
    expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(body).toMatch(/^# Rowmill\n\n> /);
    const links = [...body.matchAll(/^- \[[^\]]+\]\((\S+)\): /gm)].map(([, href = ""]) => href);
    expect(links.length).toBeGreaterThan(25);
    for (const href of links) {
      expect(href.startsWith(`${PUBLIC_URL}/guide/`)).toBe(true);
      expect([href, (await get(href.slice(PUBLIC_URL.length))).statusCode]).toEqual([href, 200]);
    }
  }
  const full = (await get("/llms-full.txt")).body;
  expect(full).toContain(`<!-- ${PUBLIC_URL}/guide/operations -->`);
  expect(full.includes("\n# Operations\n")).toBe(true);
  const map = await get("/guide/sitemap.xml");
  expect(map.headers["content-type"]).toBe("application/xml; charset=utf-8");
  expect(map.body).toContain(`<url><loc>${PUBLIC_URL}/guide/operations</loc></url>`);
  for (const { body } of [await get("/llms.txt"), map, await get("/llms-full.txt")])
    expect(body).not.toContain("{{url}}");
});

test("what the search loads is small, and its index leads to anchors that exist", async () => {
  const { body: start } = await get("/guide/");
  const [, index] = /data-search="([^"]+)"/.exec(start) ?? [];
  const [, script] = /src="\.\/(assets\/guide-[^"]+)"/.exec(start) ?? [];
  const packed = { "accept-encoding": "gzip" };
  expect((await get(`/guide/${index}`, packed)).rawPayload.length).toBeLessThanOrEqual(SEARCH_INDEX_BYTES);
  expect((await get(`/guide/${script}`, packed)).rawPayload.length).toBeLessThanOrEqual(SCRIPT_BYTES);
  const { pages, sections } = (await get(`/guide/${index}`)).json<{
    pages: [string][];
    sections: [number, string][];
  }>();
  const anchors = sections.filter(([, anchor]) => anchor !== "");
  expect(anchors.length).toBeGreaterThan(100);
  const bodies = await Promise.all(pages.map(async ([address]) => (await get(`/guide/${address}`)).body));
  expect(anchors.filter(([page, anchor]) => bodies[page]?.includes(` id="${anchor}"`) !== true)).toEqual([]);
});
