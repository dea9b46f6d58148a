import { expect, test } from "vitest";
import { clearedCookie, cookieOf, sessionTokenIn } from "./session-cookie.ts";

const EXPIRES = new Date(Date.now() + 3_600_000);

test.each([
  ["https://data.example.com", "__Host-rowmill_session", "/", "; Secure"],
  ["https://data.example.com/", "__Host-rowmill_session", "/", "; Secure"],
  ["https://data.example.com:8443", "__Host-rowmill_session_8443", "/", "; Secure"],
  // The prefix is for the root path only.
  ["https://data.example.com/rowmill", "rowmill_session", "/rowmill/", "; Secure"],
  // Browsers refuse the prefix without https.
  ["http://127.0.0.1:8080", "rowmill_session_8080", "/", ""],
])("the cookie of %s", (publicUrl, name, path, secure) => {
  const attributes = `Path=${path}; HttpOnly; SameSite=Strict${secure}`;
  const [cookie = "", maxAge, ...others] = cookieOf("rms_1", EXPIRES, publicUrl).split("; ");
  expect([cookie, others.join("; ")]).toEqual([`${name}=rms_1`, attributes]);
  expect(maxAge).toMatch(/^Max-Age=3(600|5\d\d)$/);
  expect(clearedCookie(publicUrl)).toBe(`${name}=; Max-Age=0; ${attributes}`);
  expect(sessionTokenIn(`a=b; ${name}=rms_1; c=d`, publicUrl)).toBe("rms_1");
});

test("a cookie without the prefix, as any host of the domain can set it, is not read over https", () => {
  expect(sessionTokenIn("rowmill_session=rms_planted", "https://data.example.com")).toBeUndefined();
});
