import { expect, test } from "vitest";
import { clearedCookie, cookieOf, sessionTokenIn } from "./session-cookie.ts";

const EXPIRES = new Date("2030-01-01T00:00:00Z");

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
  expect(cookieOf("rms_1", EXPIRES, publicUrl)).toBe(`${name}=rms_1; Expires=${EXPIRES.toUTCString()}; ${attributes}`);
  expect(clearedCookie(publicUrl)).toBe(`${name}=; Max-Age=0; ${attributes}`);
  expect(sessionTokenIn(`a=b; ${name}=rms_1; c=d`, publicUrl)).toBe("rms_1");
});

test("a cookie without the prefix, as any host of the domain can set it, is not read over https", () => {
  expect(sessionTokenIn("rowmill_session=rms_planted", "https://data.example.com")).toBeUndefined();
});
