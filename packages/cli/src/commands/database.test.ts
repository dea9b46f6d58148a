import { expect, test } from "vitest";
import { createTestDatabase } from "@rowmill/server/testing/test-database";
import { cleanUpLater } from "@rowmill/server/testing/cleanup";
import { newPlace, runCommand } from "../testing/command-process.ts";

test("an embedded database, and a PostgreSQL without Citus, are not distributed", async () => {
  const place = newPlace();
  expect(await runCommand(place, "database", "distribute")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("The embedded database is one server: set ROWMILL_DATABASE_URL") as string,
  });
  const database = await createTestDatabase();
  cleanUpLater(() => database.drop());
  const there = newPlace({ ROWMILL_DATABASE_URL: database.url });
  expect(await runCommand(there, "database", "distribute", "--json")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("The database has no Citus: install it on all servers") as string,
  });
});
