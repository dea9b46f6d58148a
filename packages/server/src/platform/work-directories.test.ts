import { mkdir, mkdtemp, readdir, rm, symlink, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sweepLinkedDirectories } from "./work-directories.ts";

const uuid = (digit: number): string => `${digit}0000000-0000-4000-8000-000000000000`;
const claimNamed = (claimNo: number): string => [uuid(1), uuid(2), claimNo, uuid(3)].join(".");

test("a directory goes when the claim that its link names is over, and one without a claim when it is old", async () => {
  const root = await mkdtemp(join(tmpdir(), "rowmill-directories-"));
  const make = async (name: string, link?: string): Promise<string> => {
    await mkdir(join(root, name, "work"), { recursive: true });
    if (link !== undefined) await symlink(join(root, "missing"), join(root, name, link));
    return join(root, name);
  };
  await make("of-a-claim-in-progress", claimNamed(2));
  await make("of-a-claim-that-is-over", claimNamed(1));
  await make("new");
  const old = new Date(Date.now() - 2 * 3_600_000);
  await utimes(await make("old"), old, old);
  await utimes(await make("old-of-a-claim", claimNamed(2)), old, old);
  const asked: unknown[] = [];
  await sweepLinkedDirectories(root, (claim) => {
    asked.push(claim);
    return Promise.resolve(claim.claimNo === 2);
  });
  expect((await readdir(root)).toSorted()).toEqual(["new", "of-a-claim-in-progress", "old-of-a-claim"]);
  expect(asked).toHaveLength(3);
  expect(asked).toContainEqual({ organizationId: uuid(1), id: uuid(2), claimNo: 1 });
  await rm(root, { recursive: true });
});
