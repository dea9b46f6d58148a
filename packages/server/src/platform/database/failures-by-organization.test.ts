import { expect, test } from "vitest";
import { newUuid } from "../ids.ts";
import { rowsOfOne, untilNoneLeft } from "./failures-by-organization.ts";

test("a group that fails is tried row by row, and if that is no single row, its organization is left out", async () => {
  const organizationId = newUuid();
  const most: number[] = [];
  const pass = untilNoneLeft((failures, note) => {
    // Without an end of its own, it would go on for ever.
    if (most.length === 2) return Promise.resolve(false);
    most.push(failures.rowsAtOnce(organizationId, 500));
    note(rowsOfOne(organizationId, []));
    return Promise.reject(new Error("it fails each time"));
  });
  await expect(pass).rejects.toMatchObject({
    failures: [{ organizationId, error: new Error("it fails each time") }],
  });
  expect(most).toEqual([500, 1]);
});
