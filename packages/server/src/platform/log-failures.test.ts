import { pino } from "pino";
import { expect, test } from "vitest";
import { forEachOwned, untilNoneLeft } from "./database/failures-by-organization.ts";
import { OrganizationsFailedError, createFailureLog, doBoth } from "./log-failures.ts";

const failing = async (failed: string[]): Promise<unknown> =>
  forEachOwned(
    failed.map((organizationId) => ({ organizationId })),
    () => Promise.reject(new Error("this row is broken")),
  ).catch((error: unknown) => error);

test("what fails for an organization in each pass is logged once, and other failures each time", async () => {
  const lines: string[] = [];
  const logFailure = createFailureLog(pino({}, { write: (line) => lines.push(line) }));
  for (const organizations of [["one"], ["one", "two"], ["two"]])
    logFailure(await failing(organizations), "a task failed");
  logFailure(await failing(["one"]), "another task failed");
  const logged = lines.map((line) => JSON.parse(line) as { organizationId?: string; msg: string });
  expect(logged.map(({ organizationId }) => organizationId)).toEqual(["one", "two", "one"]);
  expect(logged[2]?.msg).toContain("another task failed");
  for (let pass = 0; pass < 2; pass++) logFailure(new Error("the disk is full"), "a task failed");
  expect(lines).toHaveLength(5);
});

test("after a failure the others are done, and the failures are thrown together", async () => {
  const done: string[] = [];
  const ended = forEachOwned(
    [{ organizationId: "one" }, { organizationId: "two" }, { organizationId: "three" }],
    (item) => {
      if (item.organizationId === "one") return Promise.reject(new Error("broken"));
      done.push(item.organizationId);
      return Promise.resolve();
    },
  );
  await expect(ended).rejects.toMatchObject({ failures: [{ organizationId: "one" }] });
  expect(done).toEqual(["two", "three"]);
});

test("a failure before anything was found is thrown at once, as one that concerns everybody", async () => {
  const ended = untilNoneLeft(() => Promise.reject(new Error("there is no such table")));
  await expect(ended).rejects.toThrow("there is no such table");
  await expect(ended).rejects.not.toBeInstanceOf(OrganizationsFailedError);
});

test("where both parts of the work fail, both failures are logged, each with its organizations", async () => {
  const lines: string[] = [];
  const logFailure = createFailureLog(pino({}, { write: (line) => lines.push(line) }));
  const ofOrganizations = (organizationId: string) => (): Promise<void> =>
    forEachOwned([{ organizationId }], () => Promise.reject(new Error("this row is broken")));
  const ofAll = (): Promise<void> => Promise.reject(new Error("the disk is full"));
  for (const second of [ofAll, ofOrganizations("two")])
    await doBoth(ofOrganizations("one"), second).catch((error: unknown) => logFailure(error, "a task failed"));
  const logged = lines.map((line) => JSON.parse(line) as { organizationId?: string; err: { message: string } });
  expect(logged.map(({ organizationId, err }) => [organizationId, err.message])).toEqual([
    ["one", "this row is broken"],
    [undefined, "the disk is full"],
    ["two", "this row is broken"],
  ]);
});
