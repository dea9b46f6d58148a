import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from "kysely";
import { pino } from "pino";
import { expect, test, vi } from "vitest";
import type { Tables } from "../database/tables.ts";
import { undo } from "../../testing/cleanup.ts";
import { createOpenRequests } from "./open-requests.ts";

/** Has no key that may be used. */
const db = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

test("a request whose key was revoked has half a second for its response, and is broken off then", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  undo.push(() => void vi.useRealTimers());
  const requests = createOpenRequests({ db }, pino({ level: "silent" }));
  const broken: string[] = [];
  const begin = (name: string) =>
    requests.open({
      key: { organizationId: "o", apiKeyId: name, memberId: null },
      sessionId: null,
      requiredScopes: () => [],
      isStream: false,
      breakOff: () => void broken.push(name),
    });
  begin("first");
  await vi.advanceTimersByTimeAsync(400);
  begin("second");
  begin("responds in time")();
  await vi.advanceTimersByTimeAsync(100);
  expect(broken).toEqual(["first"]);
  await vi.advanceTimersByTimeAsync(500);
  expect(broken).toEqual(["first", "second"]);
});
