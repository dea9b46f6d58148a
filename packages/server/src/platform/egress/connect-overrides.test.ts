import { expect, test } from "vitest";
import { parseConnectOverrides } from "./connect-overrides.ts";

test("overrides are read from their setting", () => {
  const text =
    "hooks.example.com:443=127.0.0.1:9443, Other.example.com:443=[::1]:9444,third.example.com:443=receiver:80,";
  expect([...parseConnectOverrides(text)]).toEqual([
    ["hooks.example.com:443", { host: "127.0.0.1", port: 9443 }],
    ["other.example.com:443", { host: "::1", port: 9444 }],
    ["third.example.com:443", { host: "receiver", port: 80 }],
  ]);
  expect(parseConnectOverrides("").size).toBe(0);
});

test.each([
  "a.example.com=127.0.0.1:1",
  "a.example.com:443=127.0.0.1",
  "a.example.com:443",
  "a:443=b:0",
  "a:443=b:70000",
  "a:1=b:1=c:1",
  "=",
  "a:443=::1:5",
  "https://a:443=b:1",
])("%j is refused by name", (entry) => {
  expect(() => parseConnectOverrides(entry)).toThrow(JSON.stringify(entry));
});

test("two targets for one host are refused", () => {
  expect(() => parseConnectOverrides("a.example.com:443=b:1,A.example.com:443=c:1")).toThrow(/two connect overrides/);
});
