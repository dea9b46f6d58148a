/** Pages for people: what the service is, and every code with an anchor. Programs get JSON at the same addresses. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { errorCodeNames } from "@rowmill/contract/errors";
import { failureCodeNames } from "@rowmill/contract/failures";
import { intakeErrorCodes } from "@rowmill/contract/intake-errors";
import { stateReasonNames } from "@rowmill/contract/run-reasons";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestService } from "@rowmill/server/testing/service";

/** As browsers send it. */
const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

let service: TestService;
beforeAll(async () => {
  // The error codes lead to the guide, which an installation builds; a checkout may have changed since.
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, "../tools/docs/site/build.ts")]);
  service = await startTestService({ ROWMILL_ROLE: "api" });
});
const get = (path: string, accept: string): Promise<Response> => fetch(service.url + path, { headers: { accept } });

/** `/` is the console, which has tests of its own (`tests/console`). */
describe("/v1/error-codes", () => {
  const path = "/v1/error-codes";
  test("is a page for browsers, which needs nothing from anywhere and runs nothing", async () => {
    const response = await get(path, BROWSER);
    const html = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    );
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("vary")).toContain("Accept");
    expect(html).toContain('<html lang="en">');
    expect(html).toContain("prefers-color-scheme: dark");
    expect(html).not.toMatch(/<script|<link|<img|\son\w+=|\sstyle=/i);
    for (const [, href = ""] of html.matchAll(/href="([^"]*)"/g)) expect(href).toMatch(/^(?:\.\.\/|#)/);
  });

  test("leads only to what exists", async () => {
    const html = await (await get(path, BROWSER)).text();
    const links = [...html.matchAll(/href="([^"#][^"]*)"/g)].map(([, href = ""]) => new URL(href, service.url + path));
    const pages = new Map<string, string>();
    for (const pathname of new Set(links.map((link) => link.pathname))) {
      const response = await get(pathname, BROWSER);
      expect([pathname, response.status]).toEqual([pathname, 200]);
      pages.set(pathname, await response.text());
    }
    for (const { pathname, hash } of links)
      expect(pages.get(pathname)).toContain(hash === "" ? "<html" : `id="${hash.slice(1)}"`);
    expect(pages.size).toBeGreaterThan(4);
    for (const [, id] of html.matchAll(/href="#([^"]*)"/g)) expect(html).toContain(`id="${id}"`);
  });
});

describe.each(["/", "/v1/error-codes"])("%s", (path) => {
  test.each(["application/json", "*/*", "application/json, text/html;q=0.9"])(
    "is JSON for Accept: %s",
    async (accept) => {
      const response = await get(path, accept);
      expect(response.headers.get("content-type")).toContain("application/json");
      expect(response.headers.get("vary")).toContain("Accept");
      expect(Object.keys((await response.json()) as object).length).toBeGreaterThan(1);
    },
  );
});

test("docUrl leads to the code, and every code of any kind has an anchor", async () => {
  const { body } = await service.api("GET", "/v1/nothing");
  const url = new URL(body.error.docUrl);
  const html = await (await get(url.pathname, BROWSER)).text();
  expect(html).toContain(`id="${url.hash.slice(1)}"`);
  const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const code of [...errorCodeNames, ...failureCodeNames, ...intakeErrorCodes, ...stateReasonNames])
    expect(ids).toContain(code);
  for (const code of failureCodeNames) expect(ids).toContain(`row-${code}`);
});

test("programs, browsers and the guide get the same meaning, cause and next step of every code", async () => {
  const { body } = await service.api("GET", "/v1/error-codes", { key: null });
  const page = entriesOf(await (await get("/v1/error-codes", BROWSER)).text(), /<dt id="([a-z]+-\w+)">/);
  const tables = { data: "errors", rowFailures: "failures", uploadErrors: "upload-errors", runReasons: "run-reasons" };
  const names = { data: "request", rowFailures: "row", uploadErrors: "upload", runReasons: "run" };
  for (const [table, reference] of Object.entries(tables)) {
    const guide = entriesOf(await (await get(`/guide/reference/${reference}`, BROWSER)).text(), /<h2 id="(\w+)"/);
    for (const { code, meaning, cause, action } of body[table] as Record<string, string>[])
      for (const shown of [page.get(`${names[table as keyof typeof names]}-${code}`), guide.get(code ?? "")])
        for (const sentence of [meaning, cause, action])
          expect([code, shown]).toEqual([code, expect.stringContaining((sentence ?? "?").replaceAll("`", ""))]);
  }
});

/** What a reader sees, by the id of the heading before it. */
function entriesOf(html: string, heading: RegExp): Map<string, string> {
  const [, ...parts] = html.split(heading);
  const entries = new Map<string, string>();
  for (let at = 0; at < parts.length; at += 2) entries.set(parts[at] ?? "", textOf(parts[at + 1] ?? ""));
  return entries;
}
const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/&#(\d+);/g, (_, number: string) => String.fromCharCode(Number(number)))
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");

test("programs read the same codes", async () => {
  const { body } = await service.api("GET", "/v1/error-codes", { key: null });
  const codesOf = (list: unknown): string[] => (list as { code: string }[]).map(({ code }) => code);
  expect(codesOf(body.data)).toEqual(errorCodeNames);
  expect(codesOf(body["rowFailures"])).toEqual(failureCodeNames);
  expect(codesOf(body["uploadErrors"])).toEqual(intakeErrorCodes);
  expect(codesOf(body["runReasons"])).toEqual(expect.arrayContaining([...stateReasonNames, "failure_policy"]));
});
