import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createSealer } from "./sealing.ts";

const key = randomBytes(32);
const sealer = createSealer(key);
const PLACE = "webhook_endpoints|signing_secret|whe_1|org_1";

describe("a sealed value", () => {
  test.each(["", "whsec_abc", "ä😀\n", "x".repeat(1_000_000)])("opens at its place (%#)", (plain) => {
    expect(sealer.open(sealer.seal(plain, PLACE), PLACE)).toBe(plain);
  });

  test("does not show what it holds, and is another one every time", () => {
    const [one, two] = [sealer.seal("whsec_secret", PLACE), sealer.seal("whsec_secret", PLACE)];
    expect(one).not.toBe(two);
    expect(one).not.toContain("secret");
  });

  test("does not open at another place", () => {
    const sealed = sealer.seal("secret", PLACE);
    expect(() => sealer.open(sealed, PLACE.replace("org_1", "org_2"))).toThrow(/authenticate/);
  });

  test("does not open under another key", () => {
    const other = createSealer(randomBytes(32));
    const sealed = sealer.seal("secret", PLACE);
    expect(() => other.open(sealed, PLACE)).toThrow(/not among the keys/);
    expect(() => other.open(sealed.replace(sealer.fingerprint, other.fingerprint), PLACE)).toThrow(/authenticate/);
  });

  test("does not open when any of its characters is another", () => {
    const sealed = sealer.seal("a secret of some length", PLACE);
    const [version = "", fingerprint = ""] = sealed.split(".");
    const start = version.length + fingerprint.length + 2;
    const opened: string[] = [];
    for (let i = start; i < sealed.length; i++) {
      const changed = `${sealed.slice(0, i)}${sealed[i] === "A" ? "z" : "A"}${sealed.slice(i + 1)}`;
      // The last character of a part may hold bits that no byte has: what then opens is the same.
      if (bytesOf(changed) !== bytesOf(sealed) && opens(changed)) opened.push(changed);
    }
    expect(opened).toEqual([]);
  });

  test("does not open with a shorter tag, or as plain text", () => {
    const [version, fingerprint, iv, tag = "", text] = sealer.seal("secret", PLACE).split(".");
    const short = Buffer.from(tag, "base64url").subarray(0, 4).toString("base64url");
    const wrong = [[version, fingerprint, iv, short, text].join("."), "", "secret", "v1", "v1.", "v2.a.b.c.d", "...."];
    expect(wrong.filter(opens)).toEqual([]);
  });
});

function opens(sealed: string): boolean {
  try {
    sealer.open(sealed, PLACE);
    return true;
  } catch {
    return false; // The tests of each reason check why.
  }
}

const bytesOf = (sealed: string): string =>
  sealed
    .split(".")
    .slice(2)
    .map((part) => Buffer.from(part, "base64url").toString("hex"))
    .join(".");

test("the fingerprint distinguishes keys and stays the same for one", () => {
  expect(createSealer(key).fingerprint).toBe(sealer.fingerprint);
  expect(createSealer(randomBytes(32)).fingerprint).not.toBe(sealer.fingerprint);
  expect(key.toString("hex")).not.toContain(sealer.fingerprint);
});

test("keys for other purposes differ from each other and from the key", () => {
  const derived = [...sealer.derive("list cursors"), ...sealer.derive("another purpose"), key].map((k) =>
    k.toString("hex"),
  );
  expect(new Set(derived).size).toBe(3);
  expect(sealer.derive("list cursors")[0]).toHaveLength(32);
  expect(createSealer(key).derive("list cursors")).toEqual(sealer.derive("list cursors"));
});

test.each([0, 16, 31, 33, 64])("a key of %i bytes is refused", (length) => {
  expect(() => createSealer(randomBytes(length))).toThrow(/must be 32 bytes/);
});

test("of several keys the first seals, and all open", () => {
  const newer = randomBytes(32);
  const rotating = createSealer(newer, key);
  expect(rotating.open(sealer.seal("secret", PLACE), PLACE)).toBe("secret");
  expect(createSealer(newer).open(rotating.seal("secret", PLACE), PLACE)).toBe("secret");
  expect(() => sealer.open(rotating.seal("secret", PLACE), PLACE)).toThrow(/not among the keys/);
  expect(rotating.fingerprints).toEqual([createSealer(newer).fingerprint, sealer.fingerprint]);
  expect(rotating.derive("list cursors")).toEqual([
    ...createSealer(newer).derive("list cursors"),
    ...sealer.derive("list cursors"),
  ]);
});
