import type { ApiKey } from "@rowmill/client";
import { expect, test } from "vitest";
import { accessOf, descendantsOf, describeScopes, scopesOf, stateOfKey } from "./keys.ts";

const key = (id: string, createdByKeyId: string | null): ApiKey => ({
  id,
  organizationId: "org_1",
  name: id,
  redactedKey: "rmk_…",
  scopes: [],
  memberId: null,
  createdByKeyId,
  requestsPerMinute: null,
  lastUsedAt: null,
  expiresAt: null,
  revokedAt: null,
  createdAt: "2026-01-01T00:00:00.000Z",
});

test("what was made with a key, and with that, in whatever order they are listed", () => {
  const [first, second, third, other] = [key("a", null), key("b", "a"), key("c", "b"), key("d", null)];
  expect(descendantsOf(first, [third, other, second, first]).map(({ id }) => id)).toEqual(["b", "c"]);
  expect(descendantsOf(other, [third, second, first])).toEqual([]);
  // A circle cannot be made, and must not hang.
  expect(descendantsOf(key("x", "y"), [key("x", "y"), key("y", "x")]).map(({ id }) => id)).toEqual(["y"]);
});

test("scopes are levels and levels scopes", () => {
  const access = accessOf(["runs:read", "runs:write", "datasets:write", "audit:read"]);
  expect([...access]).toEqual([
    ["runs", "write"],
    ["datasets", "write"],
    ["audit", "read"],
  ]);
  expect(scopesOf(access)).toEqual(["runs:write", "datasets:write", "audit:read"]);
  expect(scopesOf(new Map([["runs", "none"]]))).toEqual([]);
});

test.each([
  [["runs:read"], "Reads runs"],
  [["runs:read", "api_keys:read"], "Reads runs, API keys"],
  [["runs:read", "datasets:read", "exports:read"], "Reads 3 kinds of things"],
  [["runs:write", "runs:read"], "Changes runs"],
  [["runs:write", "results:read"], "Changes runs, reads results"],
  [["runs:write", "datasets:write", "audit:read"], "Changes 2 of 3 kinds of things"],
])("%s is said as %s", (scopes, words) => {
  expect(describeScopes(scopes)).toBe(words);
});

test("a key is revoked before it is expired, and else active", () => {
  const past = "2020-01-01T00:00:00.000Z";
  expect(stateOfKey({ revokedAt: past, expiresAt: past })).toBe("revoked");
  expect(stateOfKey({ revokedAt: null, expiresAt: past })).toBe("expired");
  expect(stateOfKey({ revokedAt: null, expiresAt: null })).toBe("active");
});
