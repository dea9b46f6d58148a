import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startTestService } from "./testing/service.ts";

// Without a change since the last build it does nothing.
const build = fileURLToPath(new URL("../../../tools/docs/site/build.ts", import.meta.url));
await promisify(execFile)(process.execPath, [build]);
const { url } = await startTestService({ ROWMILL_PUBLIC_URL: "https://example.com/rowmill" });

test("the reference is served whole from this host, and its policy allows nothing else", async () => {
  const page = await fetch(`${url}/docs/`);
  expect(page.status).toBe(200);
  expect(page.headers.get("x-content-type-options")).toBe("nosniff");
  const policy = page.headers.get("content-security-policy")?.split("; ");
  expect(policy).toEqual(
    expect.arrayContaining(["connect-src 'self'", "object-src 'none'", "base-uri 'none'", "form-action 'none'"]),
  );
  const html = await page.text();
  const sources = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(
    ([, source = ""]) => new URL(source, `${url}/docs/`),
  );
  expect(sources.length).toBeGreaterThan(0);
  for (const source of sources) {
    expect(source.origin).toBe(new URL(url).origin);
    const response = await fetch(source);
    expect(response.status).toBe(200);
    // The script is 4 MB.
    expect(response.headers.get("content-encoding")).toBe("gzip");
  }
});

test("it works below a path, which a proxy removes: no address begins at the root of the host", async () => {
  const redirect = await fetch(`${url}/docs`, { redirect: "manual" });
  expect([redirect.status, redirect.headers.get("location")]).toEqual([301, "docs/"]);
  const html = await (await fetch(`${url}/docs/`)).text();
  expect(html).toContain('"../v1/openapi.json"');
  expect(html).not.toMatch(/["']\/(?!\/)/);
  const document: unknown = await (await fetch(`${url}/v1/openapi.json`)).json();
  expect(document).toMatchObject({ servers: [{ url: "/rowmill" }] });
});

test("the document it shows is OpenAPI 3.1, and needs no key", async () => {
  const reply = await fetch(`${url}/v1/openapi.json`);
  expect(await reply.json()).toMatchObject({ openapi: "3.1.1", info: { title: "Rowmill" } });
});
