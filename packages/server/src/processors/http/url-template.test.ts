import { describe, expect, test } from "vitest";
import { TemplateError } from "../templates/templates.ts";
import { compileUrlTemplate } from "./url-template.ts";

const BASE = "https://api.example.com/v1";

function render(url: string, row: unknown, baseUrl?: string): string {
  const template = compileUrlTemplate(url, { hasConnection: baseUrl !== undefined });
  expect(template.problems).toEqual([]);
  const rendered = template.render({ row }, baseUrl);
  return rendered instanceof TemplateError ? `!${rendered.path}` : rendered.href;
}

const problemsOf = (url: string, hasConnection = false): readonly string[] =>
  compileUrlTemplate(url, { hasConnection }).problems;

describe("a value stands within its part of the URL", () => {
  test.each([
    ["https://a.com/x/{{row.v}}/y", "b/c", "https://a.com/x/b%2Fc/y"],
    ["https://a.com/x/{{row.v}}", "?q=1#f", "https://a.com/x/%3Fq%3D1%23f"],
    ["https://a.com/x/{{row.v}}", "\\evil", "https://a.com/x/%5Cevil"],
    ["https://a.com/x/{{row.v}}", "%2e%2e", "https://a.com/x/%252e%252e"],
    ["https://a.com/x/{{row.v}}", "line\r\nbreak\0", "https://a.com/x/line%0D%0Abreak%00"],
    ["https://a.com/x/{{row.v}}", "ä 😀", "https://a.com/x/%C3%A4%20%F0%9F%98%80"],
    ["https://a.com/x/{{row.v}}", "half \ud800", "https://a.com/x/half%20%EF%BF%BD"],
    ["https://a.com/x/{{row.v}}.json", "..", "https://a.com/x/...json"],
    ["https://a.com/?q={{row.v}}&n=1", "a&b=c#d", "https://a.com/?q=a%26b%3Dc%23d&n=1"],
    ["https://a.com/?q={{row.v}}", "", "https://a.com/?q="],
    ["https://a.com?q={{row.v}}", "/../x", "https://a.com/?q=%2F..%2Fx"],
    ["https://a.com/x/{{row.v}}", 12.5, "https://a.com/x/12.5"],
    ["https://{{row.v}}.example.com/x", "shop-1", "https://shop-1.example.com/x"],
    ["https://{{row.v}}/x", "other.example.com:8443", "https://other.example.com:8443/x"],
    ["https://a.com:{{row.v}}/x", 8443, "https://a.com:8443/x"],
  ])("%s with %j", (url, v, expected) => {
    expect(render(url, { v })).toBe(expected);
  });
});

describe("a value that would change another part is an error", () => {
  test.each([
    ["https://a.com/x/{{row.v}}/y", ".."],
    ["https://a.com/x/{{row.v}}", "."],
    ["https://a.com/x/.{{row.v}}/y", "."],
    ["https://a.com/x/%2E{{row.v}}/y", "."],
    ["https://a.com/customers/{{row.v}}", ""],
    ["https://a.com/customers/{{row.v}}", null],
    ["https://{{row.v}}.example.com/x", "evil.com/"],
    ["https://{{row.v}}.example.com/x", "evil.com#"],
    ["https://{{row.v}}.example.com/x", "evil.com?"],
    ["https://{{row.v}}.example.com/x", "evil.com\\"],
    ["https://{{row.v}}.example.com/x", "me@evil.com"],
    ["https://{{row.v}}.example.com/x", "evil.com:80"],
    ["https://{{row.v}}.example.com/x", "evil.com／"],
    ["https://{{row.v}}/x", "me:word@evil.com"],
    ["https://{{row.v}}/x", "evil.com/path"],
    ["https://a.com:{{row.v}}/x", "80@evil.com"],
    ["https://a.com:{{row.v}}/x", "99999"],
    ["https://a.com/x/{{row.v}}", "x".repeat(20_000)],
  ])("%s with %j", (url, v) => {
    expect(render(url, { v })).toMatch(/^!row/);
  });
});

describe("with a connection the URL is below its baseUrl", () => {
  test.each([
    ["/items/{{row.v}}", "a/b", `${BASE}/items/a%2Fb`],
    ["items/{{row.v}}", 7, `${BASE}/items/7`],
    ["?q={{row.v}}", "a", `${BASE}?q=a`],
    ["{{row.v}}", "//evil.com/x", `${BASE}/%2F%2Fevil.com%2Fx`],
    ["{{row.v}}/x", "https://evil.com", `${BASE}/https%3A%2F%2Fevil.com/x`],
    ["/{{row.v}}", "@evil.com", `${BASE}/%40evil.com`],
    ["https://api.example.com/v1/{{row.v}}", "x", `${BASE}/x`],
  ])("%s with %j", (url, v, expected) => {
    expect(render(url, { v }, BASE)).toBe(expected);
  });

  test.each([
    ["/{{row.v}}/admin", ".."],
    ["/{{row.v}}{{row.v}}/admin", "."],
    ["{{row.v}}", ""],
    ["https://evil.com/{{row.v}}", "x"],
    ["https://api.example.com/v2/{{row.v}}", "x"],
    ["https://api.example.com/v10/{{row.v}}", "x"],
    ["https://api.example.com:8443/v1/{{row.v}}", "x"],
  ])("%s with %j is an error", (url, v) => {
    expect(render(url, { v }, BASE)).toMatch(/^!row/);
  });
});

describe("a URL of the row's own", () => {
  test("is taken as it is", () => {
    expect(render("{{row.url}}", { url: "https://any.example.com/a/../b?c=d#e" })).toBe(
      "https://any.example.com/b?c=d#e",
    );
    expect(render("{{row.url}}/x?q={{row.v}}", { url: "https://any.example.com", v: "&" })).toBe(
      "https://any.example.com/x?q=%26",
    );
  });

  test.each([
    ["file:///etc/passwd"],
    ["javascript:1"],
    ["/relative"],
    ["https://a b.com"],
    ["https://a.com/\n"],
    [""],
    [null],
  ])("%j is an error", (url) => {
    expect(render("{{row.url}}", { url })).toBe("!row");
  });
});

describe("a template is refused", () => {
  test.each([
    ["/items", "needs a `connection`"],
    ["ftp://a.com/", "must begin with https://"],
    ["https://a.com{{row.v}}", "must not end with a value"],
    ["https://a.com:80{{row.v}}/x", "must not end with a value"],
    ["https://{{row.a}}{{row.b}}/", "must not end with a value"],
    ["https://me:word@a.com/", "user name"],
    ["https://a.com/x#part", "fragment"],
    ["https://a.com/x y", "spaces"],
    ["https://a.com\\x", "backslashes"],
    ["https:///x", "no host"],
    ["https://[fe80::1%25eth0]/", "cannot be parsed"],
    ["https://[fe80::1%eth0]:443/{{row.a}}", "cannot be parsed"],
    ["https://a.com:99999/", "cannot be parsed"],
    ["https://a.com/../{{row.v}}", "path segments"],
    ["https://a.com/%2e%2E/x", "path segments"],
    ["https://a.com/{{row.v", "not closed"],
    ["https://a.com/{{connection.secret}}", "connection"],
  ])("%s", (url, message) => {
    expect(problemsOf(url).join(" ")).toContain(message);
  });

  test.each([["//evil.com/x"], ["ftp://a.com/x"], ["mailto:x"]])("with a connection: %s", (url) => {
    expect(problemsOf(url, true).join(" ")).toContain("is a path on its `baseUrl`");
  });
});

test.each([
  ["https://A.com:443/x/{{row.v}}", "https://a.com"],
  ["http://127.0.0.1:8080/x", "http://127.0.0.1:8080"],
  ["https://{{row.v}}.a.com/", undefined],
  ["https://a.com:{{row.v}}/", undefined],
  ["{{row.v}}", undefined],
])("the origin of %s is %s", (url, origin) => {
  expect(compileUrlTemplate(url, { hasConnection: false }).origin).toBe(origin);
});
