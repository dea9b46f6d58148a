/** The console as it was built and as it is served; without a browser. */
import { execFile } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestService } from "@rowmill/server/testing/service";

const root = join(import.meta.dirname, "..", "..");
const dist = join(root, "packages/console/dist");
const FIRST_ROUTE_BYTES = 200_000;
const LAZY_ROUTE_BYTES = 80_000;
/** The editor of code is part of no route: it is loaded when a screen with one is there already. JavaScript comes with functions only. */
const EDITOR_BYTES = 130_000;
const EDITOR_WITH_JAVASCRIPT_BYTES = 165_000;

let service: TestService;
beforeAll(async () => {
  await promisify(execFile)(process.execPath, [join(root, "packages/console/build.ts")]);
  service = await startTestService({ ROWMILL_PUBLIC_URL: "https://data.example.com/rowmill" });
});

const assets = (): string[] => readdirSync(join(dist, "assets"));
const sourceOf = (name: string): string => readFileSync(join(dist, "assets", name), "utf8");
const sizeOf = (names: Iterable<string>): number =>
  [...names].reduce((sum, name) => sum + gzipSync(sourceOf(name)).length, 0);

/** The script, and what it cannot run without. */
function withStaticImports(name: string, seen = new Set<string>()): Set<string> {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const [, imported = ""] of sourceOf(name).matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g))
    withStaticImports(imported, seen);
  return seen;
}

describe("what a browser loads", () => {
  const first = (): Set<string> => {
    const html = readFileSync(join(dist, "index.html"), "utf8");
    const loaded = [...html.matchAll(/(?:src|href)="\.\/assets\/([^"]+\.js)"/g)].map(([, name = ""]) => name);
    expect(loaded.length).toBeGreaterThan(0);
    return new Set(loaded.flatMap((name) => [...withStaticImports(name)]));
  };

  test("of scripts is at most 200 kB, packed, for the first route", () => {
    expect(sizeOf(first())).toBeLessThanOrEqual(FIRST_ROUTE_BYTES);
  });

  test("of scripts is at most 80 kB more, packed, for any other route", () => {
    const known = first();
    const lazy = assets().filter((name) => name.endsWith(".js") && !known.has(name));
    expect(lazy.length).toBeGreaterThan(10);
    const partOf = (name: string): string[] => [...withStaticImports(name)].filter((other) => !known.has(other));
    // A screen has a file of this name, too; the one of the code has CodeMirror in it.
    const hasCodeMirror = (name: string): boolean => partOf(name).some((part) => sourceOf(part).includes("cm-content"));
    const editor = lazy.find((name) => name.startsWith("editor-") && hasCodeMirror(name)) ?? "";
    const language = lazy.find((name) => name.startsWith("javascript-")) ?? "";
    const ofEditor = new Set([editor, language].flatMap(partOf));
    expect(sizeOf(partOf(editor))).toBeLessThanOrEqual(EDITOR_BYTES);
    expect(sizeOf(ofEditor)).toBeLessThanOrEqual(EDITOR_WITH_JAVASCRIPT_BYTES);
    // What the editor shares with a route counts for the route.
    const ofRoutes = lazy.filter((name) => !ofEditor.has(name));
    const tooLarge = ofRoutes
      .map((name) => [name, sizeOf(partOf(name))] as const)
      .filter(([, bytes]) => bytes > LAZY_ROUTE_BYTES);
    expect(tooLarge).toEqual([]);
  });

  test("comes from the service alone, and nothing of it is written into the page", () => {
    const html = readFileSync(join(dist, "index.html"), "utf8");
    expect(html.match(/<script(?![^>]*\ssrc=)/)).toBeNull();
    expect(html).not.toMatch(/\sstyle=|<style|https?:\/\//);
    const styles = assets().filter((name) => name.endsWith(".css"));
    expect(styles.length).toBeGreaterThan(0);
    for (const name of styles)
      expect([name, sourceOf(name).match(/url\((?!\.\/|"?\.\/|data:)[^)]*\)/g)]).toEqual([name, null]);
  });
});

describe("the service", () => {
  const get = (path: string, headers: Record<string, string> = {}) => fetch(service.url + path, { headers });
  const page = (path: string, headers: Record<string, string> = {}) =>
    get(path, { Accept: "text/html,application/xhtml+xml,*/*;q=0.8", ...headers });
  const codeOf = async (response: Response): Promise<unknown> =>
    ((await response.json()) as { error?: { code?: string } }).error?.code;

  test("serves the console at every path that is not its own, with a policy without inline scripts", async () => {
    for (const path of ["/", "/runs", "/runs/run_01jd3v8m7qe6t9yb4c2xk5w0hz/failures?code=http_5xx", "/no/such/page"]) {
      const { status, headers, ...reply } = await page(path).then(async (response) => ({
        status: response.status,
        headers: response.headers,
        text: await response.text(),
      }));
      expect([path, status, headers.get("content-type")]).toEqual([path, 200, "text/html; charset=utf-8"]);
      expect(headers.get("content-security-policy")).toMatch(
        /^default-src 'none'; script-src 'self'; style-src 'self';/,
      );
      expect(headers.get("content-security-policy")).not.toContain("unsafe");
      expect(headers.get("cache-control")).toBe("no-cache");
      expect(reply.text).toContain('<base href="/rowmill/"');
    }
  });

  test("responds 304 to a browser that has the page", async () => {
    const etag = (await page("/")).headers.get("etag") ?? "";
    const known = await page("/runs", { "If-None-Match": etag });
    expect([known.status, await known.text()]).toEqual([304, ""]);
  });

  test("sends JSON to programs, and below its own paths to browsers, too", async () => {
    expect(await (await get("/", { Accept: "application/json" })).json()).toMatchObject({ name: "Rowmill" });
    expect(await (await get("/runs")).text()).toContain("/v1/runs");
    for (const path of ["/v1/no-such-thing", "/v1", "/assets/missing-00000000.js", "/healthz/x"])
      expect([path, await codeOf(await page(path))]).toEqual([path, "not_found"]);
  });

  test("serves files for ever and packed", async () => {
    const path = `/assets/${assets().find((candidate) => /^index-.*\.js$/.test(candidate)) ?? ""}`;
    const plain = await get(path, { "Accept-Encoding": "identity" });
    expect(plain.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(plain.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    const text = await plain.text();
    for (const [asked, encoding] of [
      ["gzip, br", "br"],
      ["gzip;q=1, br;q=0", "gzip"],
    ] as const) {
      const packed = await get(path, { "Accept-Encoding": asked });
      expect([packed.headers.get("content-encoding"), packed.headers.get("vary")]).toEqual([
        encoding,
        "Accept-Encoding",
      ]);
      expect(await packed.text()).toBe(text);
    }
  });
});
