import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { Connection } from "@rowmill/contract/connections";
import { openDatabase } from "../../platform/database/database.ts";
import type { Database } from "../../platform/database/database.ts";
import { formatId, parseId } from "../../platform/ids.ts";
import { createSealer } from "../../platform/secrets/sealing.ts";
import type { Sealer } from "../../platform/secrets/sealing.ts";
import type { Connections } from "../../processors/connection-parts.ts";
import { expectStatus } from "../../testing/api.ts";
import { cleanUpLater } from "../../testing/cleanup.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestOrganization, TestService } from "../../testing/service.ts";
import { createConnections } from "./find-connections.ts";

let service: TestService;
let tenant: TestOrganization;
let organizationId: string;
let database: Database;
let sealer: Sealer;

beforeAll(async () => {
  service = await startTestService();
  tenant = await service.newOrganization();
  organizationId = parseId("organization", tenant.organizationId) ?? "";
  database = openDatabase(service.settings["ROWMILL_DATABASE_URL"] ?? "", { max: 4, onError: () => {} });
  cleanUpLater(() => database.close());
  sealer = createSealer(Buffer.from(service.settings["ROWMILL_ENCRYPTION_KEY"] ?? "", "base64"));
});

async function newConnection(more: object = {}): Promise<Connection> {
  const body = { type: "openai_compatible", name: "x", baseUrl: "https://api.example.com/v1", secret: "old", ...more };
  const created = await tenant.api<Connection>("POST", "/v1/connections", { body });
  expectStatus(created, 201);
  return created.body;
}

/** With a clock that stands still until it is set, and a count of how often the database was asked. */
function newConnections(): { connections: Connections; clock: { nowMs: number }; reads: () => number } {
  const clock = { nowMs: 0 };
  const asked = vi.spyOn(database.db, "selectFrom");
  asked.mockClear();
  return {
    connections: createConnections({ of: () => database }, sealer, () => clock.nowMs),
    clock,
    reads: () => asked.mock.calls.length,
  };
}

describe("a connection as processors see it", () => {
  test("is whole, and has its secret", async () => {
    const prices = { models: { m: { inputUsdPerMillionTokens: "1", outputUsdPerMillionTokens: "2" } } };
    const { id } = await newConnection({ rateLimit: { requestsPerMinute: 5 }, prices });
    expect(await newConnections().connections.find(organizationId, id)).toEqual({
      id,
      organizationId,
      type: "openai_compatible",
      baseUrl: "https://api.example.com/v1",
      secret: "old",
      rateLimit: { requestsPerMinute: 5, tokensPerMinute: null },
      prices,
    });
  });

  test("is not there: of another organization, deleted, never made, no id at all", async () => {
    const { id } = await newConnection();
    const deleted = await newConnection();
    await tenant.api("DELETE", `/v1/connections/${deleted.id}`);
    const { connections } = newConnections();
    expect(await connections.find(randomUUID(), id)).toBeUndefined();
    for (const other of [
      deleted.id,
      formatId("connection", randomUUID()),
      "",
      "conn_",
      "run_01jd3v8m7qe6t9yb4c2xk5w0hz",
      id.toUpperCase(),
    ])
      expect([other, await connections.find(organizationId, other)]).toEqual([other, undefined]);
  });
});

describe("of a connection that changes", () => {
  test("a thousand rows ask once, and a second later the new secret is there", async () => {
    const { id } = await newConnection();
    const { connections, clock, reads } = newConnections();
    const find = async () => (await connections.find(organizationId, id))?.secret;
    const found = await Promise.all(Array.from({ length: 1_000 }, find));
    expect([new Set(found), reads()]).toEqual([new Set(["old"]), 1]);
    await tenant.api("PATCH", `/v1/connections/${id}`, { body: { secret: "new" } });
    clock.nowMs = 999;
    expect([await find(), reads()]).toEqual(["old", 1]);
    clock.nowMs = 1_000;
    expect([await find(), await find(), reads()]).toEqual(["new", "new", 2]);
    await tenant.api("DELETE", `/v1/connections/${id}`);
    clock.nowMs = 2_000;
    expect(await find()).toBeUndefined();
  });

  test("those who must know it as it is now share a read that begins after they asked", async () => {
    const { id } = await newConnection();
    const { connections, reads } = newConnections();
    const find = async (options?: { isFresh: boolean }) =>
      (await connections.find(organizationId, id, options))?.secret;
    expect(await find()).toBe("old");
    await tenant.api("PATCH", `/v1/connections/${id}`, { body: { secret: "new" } });
    const fresh = await Promise.all(Array.from({ length: 1_000 }, () => find({ isFresh: true })));
    expect([new Set(fresh), reads()]).toEqual([new Set(["new"]), 2]);
    expect([await find(), reads()]).toEqual(["new", 2]);
  });

  test("the second begins when the database is asked, however long it takes to respond", async () => {
    const { id } = await newConnection();
    const { connections, clock, reads } = newConnections();
    const slow = connections.find(organizationId, id);
    clock.nowMs = 1_500;
    await slow;
    await connections.find(organizationId, id);
    expect(reads()).toBe(2);
  });

  test("an error is for those who waited, and not remembered", async () => {
    const { id } = await newConnection();
    await service.query("alter table connections rename to hidden");
    const { connections, reads } = newConnections();
    const failing = [connections.find(organizationId, id), connections.find(organizationId, id)];
    for (const { status } of await Promise.allSettled(failing)) expect(status).toBe("rejected");
    await service.query("alter table hidden rename to connections");
    expect([await connections.find(organizationId, id), reads()]).toMatchObject([{ id }, 2]);
  });

  test("no more than a thousand responses are kept", async () => {
    const { connections, reads } = newConnections();
    for (let i = 0; i < 1_500; i++) await connections.find(organizationId, formatId("connection", randomUUID()));
    const { id } = await newConnection();
    const before = reads();
    await connections.find(organizationId, id);
    for (let i = 0; i < 999; i++) await connections.find(organizationId, formatId("connection", randomUUID()));
    await connections.find(organizationId, id);
    expect(reads()).toBe(before + 1_000);
    await connections.find(organizationId, formatId("connection", randomUUID()));
    await connections.find(organizationId, id);
    expect(reads()).toBe(before + 1_002);
  });
});

test("a secret that a connection has just got, or lost, counts when a job spec is made", async () => {
  const { id } = await newConnection({ type: "http", baseUrl: "https://api.example.com", secret: undefined });
  const make = (headers: object) => {
    const processor = { type: "http", method: "GET", connection: id, url: "/a/{{row.id}}", headers };
    return tenant.api("POST", "/v1/job-specs", { body: { name: "Late", processor } });
  };
  const change = (secret: string | null) => tenant.api("PATCH", `/v1/connections/${id}`, { body: { secret } });
  const withSecret = { authorization: "Bearer {{connection.secret}}" };
  expectStatus(await make({}), 201);
  expectStatus(await make(withSecret), 422);
  expectStatus(await change("new-secret-0123456789"), 200);
  expectStatus(await make(withSecret), 201);
  expectStatus(await change(null), 200);
  expectStatus(await make(withSecret), 422);
});
