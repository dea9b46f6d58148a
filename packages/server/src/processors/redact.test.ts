import { describe, expect, test } from "vitest";
import { createRedact, redactOf, redactResponse } from "./redact.ts";

const SECRET = "tok+abc/defghijklmnopqrstuvwxy==";
const { text, body } = createRedact(SECRET);

const inEntities = SECRET.replaceAll(/./g, (c) => `&#${c.charCodeAt(0)};`);
const inPercent = SECRET.replaceAll(/./g, (c) => `%${c.charCodeAt(0).toString(16)}`);
const inUnicode = SECRET.replaceAll(/./g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`);
const inOctal = SECRET.replaceAll(/./g, (c) => `\\${c.charCodeAt(0).toString(8).padStart(3, "0")}`);
const hexPairs = Buffer.from(SECRET).toString("hex").match(/../g) ?? [];
const inLines = (text: string): string => text.replaceAll(/.{16}/g, "$&\r\n");
const inUtf7 = `+${Buffer.from(SECRET, "utf16le").swap16().toString("base64").replaceAll("=", "")}-`;
const inUtf16 = SECRET.replaceAll(/(?<=.)(?=.)/g, "\0");

describe("a secret is found", () => {
  test.each([
    ["as it is", SECRET],
    ["in an URL", encodeURIComponent(SECRET)],
    ["in an URL of another hand", inPercent],
    ["in an URL in an URL", encodeURIComponent(encodeURIComponent(SECRET))],
    ["escaped for HTML", SECRET.replaceAll("+", "&plus;").replaceAll("=", "&#x3d;").replaceAll("/", "&sol;")],
    ["escaped for HTML throughout", inEntities],
    ["escaped for JSON throughout", inUnicode],
    ["in JSON in JSON", JSON.stringify(JSON.stringify({ a: inUnicode }))],
    ["in UTF-16 that was read as ASCII", inUtf16],
    ["in hexadecimal digits", Buffer.from(SECRET).toString("hex").toUpperCase()],
    ["in pairs of them", hexPairs.join(":")],
    ["in capital pairs of them", hexPairs.join("-").toUpperCase()],
    ["in pairs of them, as a dump has them", hexPairs.map((pair) => `0x${pair}`).join(", ")],
    ["in base64 with lines", inLines(Buffer.from(SECRET).toString("base64"))],
    ["in base64 of UTF-16", Buffer.from(SECRET, "utf16le").toString("base64")],
    ["in UTF-7", inUtf7],
    ["in octal escapes", inOctal],
    ["in quoted-printable", SECRET.replaceAll(/[^a-z]/g, (c) => `=${c.charCodeAt(0).toString(16).toUpperCase()}`)],
    ["in quoted-printable with lines", SECRET.replaceAll("=", "=3D").replaceAll(/.{9}/g, "$&=\r\n")],
    ["in groups", SECRET.replaceAll(/.{4}/g, "$& ")],
    ["escaped for HTML without ends", SECRET.replaceAll(/[^a-z]/g, (c) => `&#x${c.charCodeAt(0).toString(16)};`)],
    ["escaped for a script", SECRET.replaceAll(/[^a-z]/g, (c) => `\\u{${c.charCodeAt(0).toString(16)}}`)],
  ])("%s", (_how, spelled) => {
    const redacted = text(`sent: ${spelled}, and more`);
    expect(redacted).toContain("[secret]");
    expect(redacted).toMatch(/^sent: |"/);
    expect(redacted).toContain(", and more");
    expect(redacted).not.toContain("abc");
    expect(body(JSON.stringify({ headers: [spelled] }))).toContain("[secret]");
  });

  test.each(["", "u", "us", "user:", "a longer user:"])("in base64 behind %j", (before) => {
    for (const alphabet of ["base64", "base64url"] as const) {
      const encoded = Buffer.from(`${before}${SECRET} after`).toString(alphabet);
      const redacted = text(`Basic ${encoded}`);
      expect(redacted).toContain("[secret]");
      const left = Buffer.from(redacted.replaceAll("[secret]", "").slice("Basic ".length), "base64").toString("latin1");
      expect(left).not.toContain("abc");
    }
  });
});

test("what only resembles a secret that stands apart stays as it is", () => {
  const other = "tok+abc/defghijklmnopqrstuvwxz==";
  expect(text(other)).toBe(other);
  expect(body(JSON.stringify({ parts: ["tok+abc/defg", "hijklmnopqrstuvwxy=="] }))).toBe(
    '{"parts":["tok+abc/defg","hijklmnopqrstuvwxy=="]}',
  );
  expect(createRedact("short-one").text("s h o r t - o n e")).toBe("s h o r t - o n e");
});

describe("a text that was cut", () => {
  test("within lines of base64 or pairs of digits has nothing of the secret", () => {
    const encoded = inLines(Buffer.from(SECRET).toString("base64"));
    for (let length = 20; length < encoded.length; length++)
      expect(text(`You sent ${encoded.slice(0, length)}`)).toMatch(/^You sent \[secret\][0-9=\s]{0,4}$/);
    for (let length = 24; length < hexPairs.length * 3; length++)
      expect(text(`You sent ${hexPairs.join(":").slice(0, length)}`)).toMatch(/^You sent \[secret\][:=]?$/);
  });

  test.each(Array.from({ length: SECRET.length - 4 }, (_, i) => i + 4))(
    "behind %i characters of the secret has none of them",
    (kept) => {
      expect(text(`You sent ${SECRET.slice(0, kept)}`)).toBe("You sent [secret]");
    },
  );

  test("within an escape has nothing of the secret", () => {
    for (let length = 24; length < inUnicode.length; length++)
      expect(text(`{"you": "${inUnicode.slice(0, length)}`)).toBe('{"you": "[secret]');
    for (let length = 15; length < inPercent.length; length++)
      expect(text(`?you=${inPercent.slice(0, length)}`)).toBe("?you=[secret]");
  });

  test("elsewhere stays as it is", () => {
    expect(text("The answer is 100 %")).toBe("The answer is 100 %");
    expect(text("nothing of it, to")).toBe("nothing of it, to");
  });
});

test("JSON without the secret is passed on as it stands, escapes and digits included", () => {
  const json = String.raw`{ "a": "ä \u00e4 %41 &amp;", "n": 1.10 }`;
  expect(body(json)).toBe(json);
});

test("a short secret may be part of anything: it stays in responses that are used, and not in those that are quoted", () => {
  expect(createRedact("abc").body('{"a":"abc"}')).toBe('{"a":"abc"}');
  expect(createRedact("abc").text("abc")).toBe("[secret]");
});

test("a text with the secret in one encoding within the other, again and again, is left out as a whole", () => {
  const copiesTo = (layers: number): string =>
    Array.from({ length: layers }, (_, layer) => SECRET.replaceAll("+", `%${"25".repeat(layer)}2B`)).join(" and ");
  expect(text(`sent: ${copiesTo(5)}`)).toMatch(/^sent: \[secret\]/);
  expect(text(`sent: ${copiesTo(200)}`)).toBe("[secret]");
  expect(body(JSON.stringify({ a: copiesTo(200), b: 1 }))).toBe('{"a":"[secret]","b":1}');
});

test("many escapes are read in time that grows with them, and no faster", () => {
  const echo = createRedact("a".repeat(8_000));
  const long = `${"\\u0061".repeat(300_000)}b${"a".repeat(300_000)}`;
  expect(echo.body(long)).toContain("[secret]");
  expect(createRedact(`b${"a".repeat(8_000)}`).body("%61".repeat(500_000))).not.toContain("[secret]");
});

test("a response is redacted in its headers, too", () => {
  const response = { status: 200, headers: { "x-echo": `Bearer ${SECRET}` }, body: `{"a":"${SECRET}"}` };
  expect(redactResponse(response, redactOf({ secret: SECRET }))).toEqual({
    status: 200,
    headers: { "x-echo": "Bearer [secret]" },
    body: '{"a":"[secret]"}',
  });
  expect(redactResponse(response, redactOf({ secret: null }))).toEqual(response);
  expect(redactResponse(response, redactOf(undefined))).toEqual(response);
});

test("a value of a header comes out the same each time, however many others come between", () => {
  const { header, text } = createRedact(SECRET);
  const values = [`Bearer ${SECRET}`, SECRET.slice(0, 10), "application/json", `${"a".repeat(1_000)} ${SECRET}`];
  const others = Array.from({ length: 1_000 }, (_, i) => `request ${i}`);
  for (let round = 0; round < 3; round++) {
    expect(values.map(header)).toEqual(values.map(text));
    expect(others.map(header)).toEqual(others);
  }
  expect(values.map(header)).toEqual([
    "Bearer [secret]",
    "[secret]",
    "application/json",
    `${"a".repeat(1_000)} [secret]`,
  ]);
});

test("a secret of characters beyond ASCII is found where they stand apart", () => {
  const secret = "schlüssel-日本語-🔑-zwölf-geheim";
  const apart = createRedact(secret);
  const spelled = secret.replaceAll("-", "").replaceAll(/./gu, "$& ").trim();
  expect(apart.text(`sent: ${spelled}, and more`)).toBe("sent: [secret], and more");
  expect(apart.text(`sent: ${spelled.slice(0, -3)}`)).toBe("sent: [secret]");
});

test("a response of JSON is otherwise left as it is, numbers and spaces included", () => {
  const { body } = createRedact("sk-0123456789");
  expect(body('{"n": 1.10,  "echo": "Bearer sk-0123456789"}')).toBe('{"n": 1.10,  "echo": "Bearer [secret]"}');
  // Where the text alone would be no JSON, or another one, its values are looked at.
  expect(createRedact("12345678").body('{"n":9912345678}')).toBe('{"n":"99[secret]"}');
  expect(createRedact('ab","cdef').body('["ab","cdef","ab\\",\\"cdef"]')).toBe('["ab","cdef","[secret]"]');
});

/** Processor time: what else the machine does is not counted. */
function costOf(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}

test("a long response with the secret costs little more than to parse it", () => {
  const { body } = createRedact("sk-0123456789");
  const text = `[${"1e0,".repeat(1_000_000)}"sk-0123456789"]`;
  expect(body(text).endsWith('"[secret]"]')).toBe(true);
  const costs = Array.from({ length: 3 }, () => [costOf(() => body(text)), costOf(() => JSON.parse(text))] as const);
  const [own, parsing] = [Math.min(...costs.map(([cost]) => cost)), Math.min(...costs.map(([, cost]) => cost))];
  expect(own).toBeLessThan(10 * parsing);
});

test("a response of many values costs a few times as much as one text of its length", () => {
  const numbers = "1,".repeat(200_000);
  const escaped = SECRET.replace("+", String.raw`\u002b`);
  const ofMany = `[${numbers}"${escaped}"]`;
  const ofOne = `["${numbers}","${escaped}"]`;
  expect(body(ofMany).endsWith('1,"[secret]"]')).toBe(true);
  const costs = Array.from({ length: 3 }, () => [costOf(() => body(ofMany)), costOf(() => body(ofOne))] as const);
  const [many, one] = [Math.min(...costs.map(([cost]) => cost)), Math.min(...costs.map(([, cost]) => cost))];
  expect(many).toBeLessThan(7 * one);
});
