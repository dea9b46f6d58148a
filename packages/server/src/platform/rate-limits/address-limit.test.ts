import { expect, test } from "vitest";
import { createAddressLimit } from "./address-limit.ts";

/** Takes until it is refused. */
function drain(limit: ReturnType<typeof createAddressLimit>, ip: string): number {
  let taken = 0;
  while (limit.take(ip) === undefined) taken++;
  return taken;
}

test("an address may ask 200 times at once, and then ten times a second", () => {
  let now = 0;
  const limit = createAddressLimit(() => now);
  expect(drain(limit, "192.0.2.1")).toBe(200);
  expect(limit.take("192.0.2.1")).toBe(1);
  now += 1_000;
  expect(drain(limit, "192.0.2.1")).toBe(10);
  now += 3_600_000;
  expect(drain(limit, "192.0.2.1")).toBe(200);
  expect(drain(limit, "192.0.2.2")).toBe(200);
});

test.each([
  ["2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff"],
  ["2001:db8::1", "2001:db8:0:0:1::"],
  ["::1", "::2"],
  ["fe80::1%eth0", "fe80::2%eth1"],
])("%s and %s are one customer", (one, other) => {
  const limit = createAddressLimit(() => 0);
  drain(limit, one);
  expect(limit.take(other)).toBeDefined();
});

test.each([
  ["2001:db8:1:2::1", "2001:db8:1:3::1"],
  ["2001:db8:1::1", "2001:db8:2::1"],
  ["::ffff:192.0.2.1", "::ffff:192.0.2.2"],
])("%s and %s are two", (one, other) => {
  const limit = createAddressLimit(() => 0);
  drain(limit, one);
  expect(limit.take(other)).toBeUndefined();
});
