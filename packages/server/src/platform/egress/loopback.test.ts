import { expect, test } from "vitest";
import { checkConnectionUrl } from "./allowed-origins.ts";
import { OriginsWithLoopback, isLoopbackHost } from "./loopback.ts";

test.each([
  ["127.0.0.1", true],
  ["127.9.9.9", true],
  ["[::1]", true],
  ["localhost", true],
  ["localhost.example.com", false],
  ["127.example.com", false],
  ["10.0.0.1", false],
  ["0.0.0.0", false],
])("%s is loopback: %s", (host, expected) => {
  expect(isLoopbackHost(host)).toBe(expected);
});

test("in development connections may name models on this machine, and nothing else that is private", () => {
  const origins = new OriginsWithLoopback(["http://10.0.0.5:8000"]);
  const isAccepted = (url: string): boolean => checkConnectionUrl(url, origins).accepted;
  expect(isAccepted("http://127.0.0.1:11434/v1")).toBe(true);
  expect(isAccepted("http://localhost:1234/v1")).toBe(true);
  expect(isAccepted("http://10.0.0.5:8000/v1")).toBe(true);
  expect(isAccepted("http://10.0.0.6:8000/v1")).toBe(false);
  expect(isAccepted("http://169.254.169.254/latest")).toBe(false);
});
