import { CompiledQuery } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import type { CreatedApiKey } from "@rowmill/contract/api-keys";
import type { AuditEvent } from "@rowmill/contract/audit-events";
import { auditEventTypes } from "@rowmill/contract/audit-events";
import type { Operations } from "@rowmill/contract";
import type { Input } from "@rowmill/contract/operation";
import { BIND_TO_LIST } from "../../platform/database/binding.ts";
import { openDatabase, sql } from "../../platform/database/database.ts";
import type { Database, Transaction } from "../../platform/database/database.ts";
import { cleanUpLater } from "../../testing/cleanup.ts";
import { readAuditEvents } from "./audit-events.ts";
import { newJobSpec } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestOrganization, TestService } from "../../testing/service.ts";

let service: TestService;
let tenant: TestOrganization;
beforeAll(async () => {
  service = await startTestService();
  tenant = await service.newOrganization();
});

type Filters = Input<Operations["listAuditEvents"]>["filters"];
interface Listed {
  data: AuditEvent[];
  nextCursor: string | null;
}
const list = async (query = "", of = tenant): Promise<Listed> =>
  (await of.api<Listed>("GET", `/v1/organizations/${of.organizationId}/audit-events${query}`)).body;
const typesOf = ({ data }: Listed): string[] => data.map(({ type }) => type);

describe("the list", () => {
  test("is newest first and reports who did what to which thing, from where, in which request", async () => {
    const created = await tenant.api("POST", "/v1/job-specs", { body: { name: "Seen", processor: { type: "mock" } } });
    await tenant.api("PATCH", `/v1/job-specs/${created.body.id}`, { body: { name: "Changed" } });
    const { data } = await list("?limit=2");
    const me = await tenant.api("GET", "/v1/me");
    expect(data.map(({ type }) => type)).toEqual(["job_spec.updated", "job_spec.created"]);
    expect(data[1]).toMatchObject({
      organizationId: tenant.organizationId,
      actorType: "api_key",
      actorId: me.body["apiKeyId"],
      apiKeyId: me.body["apiKeyId"],
      target: { type: "job_spec", id: created.body.id },
      ip: "127.0.0.1",
      requestId: created.headers["request-id"],
    });
    expect(Math.abs(Date.parse(data[1]!.createdAt) - Date.now())).toBeLessThan(600_000);
  });

  test("is read with audit:read, by the admin, and by nobody else's key", async () => {
    const path = `/v1/organizations/${tenant.organizationId}`;
    const reader = await tenant.api<CreatedApiKey>("POST", `${path}/api-keys`, {
      body: { name: "Auditor", scopes: ["audit:read"] },
    });
    expect((await tenant.api("GET", `${path}/audit-events`, { key: reader.body.key })).status).toBe(200);
    expect((await service.api("GET", `${path}/audit-events`)).status).toBe(200);
    const stranger = await service.newOrganization();
    expect((await stranger.api("GET", `${path}/audit-events`)).status).toBe(404);
    expect((await list("", stranger)).data.every((event) => event.organizationId === stranger.organizationId)).toBe(
      true,
    );
  });

  test("filters by type, actor, key and time, several values meaning or", async () => {
    const organization = await service.newOrganization();
    const path = `/v1/organizations/${organization.organizationId}`;
    const { body: key } = await organization.api<CreatedApiKey>("POST", `${path}/api-keys`, {
      body: { name: "Other" },
    });
    await organization.api("POST", "/v1/job-specs", {
      body: { name: "By the other", processor: { type: "mock" } },
      key: key.key,
    });
    const spec = await newJobSpec(organization.api);
    await organization.api("DELETE", `/v1/job-specs/${spec.id}`);
    const of = (query: string) => list(query, organization);
    expect(typesOf(await of("?type=job_spec.created"))).toEqual(["job_spec.created", "job_spec.created"]);
    expect(typesOf(await of("?type=job_spec.created,job_spec.archived"))).toEqual([
      "job_spec.archived",
      "job_spec.created",
      "job_spec.created",
    ]);
    expect(typesOf(await of("?actorType=admin"))).toEqual(["api_key.created", "organization.created"]);
    expect(typesOf(await of(`?apiKeyId=${key.id}`))).toEqual(["job_spec.created"]);
    expect(typesOf(await of(`?apiKeyId=${key.id}&type=job_spec.archived`))).toEqual([]);
    expect(typesOf(await of("?type=organization.created&actorType=admin"))).toEqual(["organization.created"]);
    expect(typesOf(await of("?type=organization.created&actorType=member,api_key"))).toEqual([]);
    expect(typesOf(await of(`?apiKeyId=${spec.id.replace("spec_", "key_")}`))).toEqual([]);
    const { data } = await of("");
    for (const { createdAt } of data) {
      const later = data.filter((event) => event.createdAt >= createdAt).map(({ id }) => id);
      const earlier = data.filter((event) => event.createdAt < createdAt).map(({ id }) => id);
      expect((await of(`?createdAfter=${createdAt}`)).data.map(({ id }) => id)).toEqual(later);
      expect((await of(`?createdBefore=${createdAt}`)).data.map(({ id }) => id)).toEqual(earlier);
    }
    const [newest, oldest] = [data[0]!.createdAt, data.at(-1)!.createdAt];
    const between = await of(
      `?createdAfter=${oldest}&createdBefore=${newest}&actorType=admin&type=organization.created`,
    );
    expect(typesOf(between)).toEqual(["organization.created"]);
  });

  test.each([
    "?type=job_spec.frobnicated",
    "?actorType=nobody",
    "?apiKeyId=run_1",
    "?createdAfter=yesterday",
    "?target=x",
  ])("refuses %s", async (query) => {
    const response = await tenant.api("GET", `/v1/organizations/${tenant.organizationId}/audit-events${query}`);
    expect([response.status, response.body.error.code]).toEqual([400, "invalid_parameter"]);
  });

  test("gives every event once, page by page, with a filter and without, while new ones are written", async () => {
    const organization = await service.newOrganization();
    for (let i = 0; i < 7; i++) await newJobSpec(organization.api);
    for (const filter of [
      "",
      "&type=job_spec.created",
      "&actorType=api_key,admin",
      "&type=job_spec.created,api_key.created",
    ]) {
      const whole = (await list(`?limit=100${filter}`, organization)).data.map(({ id }) => id);
      const seen: string[] = [];
      for (let cursor = ""; ;) {
        const page = await list(`?limit=2${filter}${cursor}`, organization);
        seen.push(...page.data.map(({ id }) => id));
        if (page.nextCursor === null) break;
        cursor = `&cursor=${page.nextCursor}`;
        await newJobSpec(organization.api);
      }
      expect(seen).toEqual(whole);
    }
  });
});

describe("among two hundred thousand events", () => {
  const organization = "00000000-0000-7000-8000-00000000a0d1";
  const rareKey = "00000000-0000-7000-8000-0000000000ce";
  let database: Database;

  beforeAll(async () => {
    await service.query("insert into organizations (id, name) values ($1, 'Busy')", [organization]);
    // One in ten thousand is of the rare type, actor or key; they are the oldest.
    await service.query(
      `insert into audit_events (organization_id, id, type, actor_type, actor_id, api_key_id, target_type, created_at)
       select $1, (lpad(to_hex(1700000000000 + n), 12, '0') || '7000' || '8000' || lpad(to_hex(n), 12, '0'))::uuid,
         case when n <= 10 then 'export.expired' else 'run.created' end,
         case when n <= 10 then 'system' else 'api_key' end,
         $1, case when n <= 10 then $2::uuid else $1 end, 'run', to_timestamp((1700000000000 + n) / 1000.0)
       from generate_series(1, 200000) n`,
      [organization, rareKey],
    );
    database = openDatabase(service.settings["ROWMILL_DATABASE_URL"] ?? "", {
      max: 1,
      onError: (error) => {
        throw error;
      },
    });
    cleanUpLater(() => database.close());
  });

  test.each<[Filters, number]>([
    [{}, 50],
    [{ type: ["run.created"] }, 50],
    [{ type: ["export.expired"] }, 10],
    [{ actorType: ["system"] }, 10],
    [{ actorType: ["admin", "member"] }, 0],
    [{ type: ["export.expired"], actorType: ["api_key"] }, 0],
    [{ apiKeyId: rareKey }, 10],
    [{ apiKeyId: rareKey, actorType: ["api_key"] }, 0],
    [{ apiKeyId: rareKey, type: ["run.created", "export.expired"] }, 10],
    [{ createdBefore: new Date(1_700_000_000_006) }, 5],
    [{ type: ["run.created"], createdBefore: new Date(1_700_000_000_012) }, 1],
    [{ type: [...auditEventTypes] }, 50],
  ])("a page of %j reads hardly more than what it shows", async (filters, count) => {
    await database.transaction(async (tx) => {
      // As it binds requests. A worker may analyze the table beside the test, or not.
      await tx.executeQuery(CompiledQuery.raw(BIND_TO_LIST, ["none", "", "force_generic_plan"]));
      const before = await readsOf(tx);
      const page = await readAuditEvents(tx, organization, filters, { limit: 50, after: undefined });
      expect(page.data).toHaveLength(count);
      const reads = (await readsOf(tx)) - before;
      expect(reads).toBeGreaterThanOrEqual(count);
      expect(reads).toBeLessThan(250);
    });
  });
});

/** Rows of the table and entries of its indexes that this connection has read. */
async function readsOf(tx: Transaction): Promise<number> {
  const { rows } = await sql<{ reads: number }>`
    select sum(pg_stat_get_xact_tuples_returned(c.oid)) as reads from pg_class c
    where c.oid = 'audit_events'::regclass
      or c.oid in (select indexrelid from pg_index where indrelid = 'audit_events'::regclass)`.execute(tx);
  return Number(rows[0]?.reads);
}
