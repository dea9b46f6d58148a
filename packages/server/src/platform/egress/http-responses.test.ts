import { describe, expect, test } from "vitest";
import { collectBody, flattenHeaders } from "./http-responses.ts";

describe("a body", () => {
  test("is the pieces of which it was put together", () => {
    const collected = collectBody();
    expect(collected.toBuffer()).toEqual(Buffer.alloc(0));
    let expected = "";
    for (let n = 0; n < 1_000; n++) {
      const piece = String(n).repeat(n % 7);
      expected += piece;
      collected.add(Buffer.from(piece));
      expect(collected.size).toBe(expected.length);
    }
    expect(collected.toBuffer().toString()).toBe(expected);
  });

  test("of one piece is that piece", () => {
    const piece = Buffer.from("whole");
    const collected = collectBody();
    collected.add(piece);
    expect(collected.toBuffer().buffer).toBe(piece.buffer);
  });

  test("keeps no piece for itself, of which a server could send one a byte", () => {
    const collected = collectBody();
    const pieces = Array.from({ length: 100 }, () => Buffer.from("a"));
    for (const piece of pieces) collected.add(piece);
    for (const piece of pieces) piece.fill("b");
    expect(collected.toBuffer().toString()).toBe("a".repeat(100));
    expect(collected.toBuffer().buffer.byteLength).toBeLessThanOrEqual(200);
  });
});

test("a header that came twice is a list", () => {
  expect(flattenHeaders({ "retry-after": "1", "set-cookie": ["a=1", "b=2"], via: undefined })).toEqual({
    "retry-after": "1",
    "set-cookie": "a=1, b=2",
  });
});
