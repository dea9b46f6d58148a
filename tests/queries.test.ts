/** Query strings, cursors and methods, over every operation. */
import { beforeAll, describe, expect, test } from "vitest";
import type { Filter } from "@rowmill/contract/pagination";
import type { Api } from "@rowmill/server/testing/api";
import type { TestOrganization, TestService } from "@rowmill/server/testing/service";
import { startTestService } from "@rowmill/server/testing/service";
import { entries, pathOf, readingPathOf, requestTo } from "./support/operations.ts";
import type { Entry } from "./support/operations.ts";
import { Surprises, expectNone } from "./support/collect.ts";
import { badValues, goodValues } from "./support/filter-values.ts";

let service: TestService;
let tenant: TestOrganization;
beforeAll(async () => {
  service = await startTestService();
  tenant = await service.newOrganization();
});

const apiFor = ({ o }: Entry): Api => (o.access.by === "admin" ? service.api : tenant.api);
const path = ({ o }: Entry): string => pathOf(o, { organizationId: tenant.organizationId });
const ask = (entry: Entry, query: string) => apiFor(entry)(entry.o.method, `${path(entry)}?${query}`, requestTo(entry));

async function expectRefusals(entry: Entry, queries: Record<string, string>, code: string): Promise<void> {
  const surprises = new Surprises();
  for (const [query, param] of Object.entries(queries))
    await surprises.collect(query, async () => {
      const { status, body, text } = await ask(entry, query);
      if (status !== 400 || body.error.code !== code || body.error.param !== param) surprises.add(query, status, text);
    });
  expectNone(surprises);
}

test.each(entries)("$id refuses query parameters that do not exist", async (entry) => {
  const queries = {
    frobnicate: "frobnicate",
    "frobnicate=1": "frobnicate",
    "constructor=x": "constructor",
    "__proto__=x": "__proto__",
    "toString=x": "toString",
    "hasOwnProperty=1": "hasOwnProperty",
    "=x": "",
    "Limit=5": "Limit",
    // No text in a response holds a NUL.
    "limit%00=5": "limit\uFFFD",
    "filters[state]=x": "filters[state]",
    "api_key=rmk_x": "api_key",
  };
  await expectRefusals(entry, queries, "invalid_parameter");
  if (!entry.o.filters) await expectRefusals(entry, { "limit=5": "limit", "cursor=x": "cursor" }, "invalid_parameter");
});

const lists = entries.filter(({ o }) => o.filters !== undefined);

describe.each(lists)("the list $id", (entry) => {
  test("takes a limit from 1 to 1000 and no other", async () => {
    const wrong = [
      "0",
      "1001",
      "-1",
      "x",
      "",
      "1.0",
      "1e2",
      "0x10",
      "+5",
      "%205",
      "5%20",
      "null",
      "9".repeat(40),
      "５",
      "5?limit=6",
    ];
    await expectRefusals(entry, Object.fromEntries(wrong.map((value) => [`limit=${value}`, "limit"])), "invalid_limit");
    await expectRefusals(entry, { "limit=5&limit=6": "limit" }, "invalid_parameter");
  });

  test("refuses a cursor that it has not written", async () => {
    const wrong = [
      "x",
      "",
      "null",
      "0",
      "%00",
      "AAAA",
      "A".repeat(43),
      "A".repeat(5000),
      "eyJpZCI6MX0",
      "%F0%9F%98%80",
      "../../etc/passwd",
    ];
    const surprises = new Surprises();
    for (const cursor of wrong) {
      const { status, body, text } = await ask(entry, `cursor=${cursor}`);
      const isRefused = status === 400 && (body.error.code === "invalid_cursor" || cursor === "%00");
      if (!isRefused || body.error.param !== "cursor") surprises.add(cursor, text);
      else if (cursor !== "%00" && typeof body.error["reason"] !== "string") surprises.add(cursor, "no reason");
    }
    expectNone(surprises);
  });

  const filters = Object.entries((entry.o.filters ?? {}) as Record<string, Filter>);
  // Some lists have none.
  if (filters.length === 0) return;
  test("refuses bad values of its filters", async () => {
    for (const [name, filter] of filters)
      await expectRefusals(
        entry,
        Object.fromEntries(badValues(filter).map((value) => [`${name}=${value}`, name])),
        "invalid_parameter",
      );
  });

  test("takes good values of its filters", async () => {
    for (const [name, filter] of filters)
      for (const value of goodValues(filter)) {
        const { status, text } = await ask(entry, `${name}=${value}`);
        // The list itself may be of something unknown.
        expect([name, value, [200, 404].includes(status) ? "taken" : text]).toEqual([name, value, "taken"]);
      }
  });
});

describe("cursors", () => {
  async function firstPage(organization: TestOrganization) {
    const keys = `/v1/organizations/${organization.organizationId}/api-keys`;
    for (const name of ["One", "Two", "Three"]) await organization.api("POST", keys, { body: { name } });
    const page = await organization.api("GET", `${keys}?limit=2`);
    expect(page.body.data).toHaveLength(2);
    return { keys, cursor: page.body.nextCursor ?? "", ids: page.body.data.map(({ id }) => id) };
  }
  const reasonOf = async (api: Api, at: string) => {
    const response = await api("GET", at);
    return response.status === 400 ? [response.body.error.code, typeof response.body.error["reason"]] : response.status;
  };
  const refused = ["invalid_cursor", "string"];

  test("lead through the whole list, whatever is added and removed meanwhile, with any limit", async () => {
    const organization = await service.newOrganization();
    const { keys, cursor, ids } = await firstPage(organization);
    await organization.api("POST", keys, { body: { name: "Added later" } });
    await organization.api("DELETE", `${keys}/${ids[1]}`);
    const rest = await organization.api("GET", `${keys}?limit=1000&cursor=${cursor}`);
    expect(rest.body.nextCursor).toBeNull();
    expect([...ids, ...rest.body.data.map(({ id }) => id)]).toHaveLength(4);
    expect(new Set([...ids, ...rest.body.data.map(({ id }) => id)]).size).toBe(4);
  });

  test("are refused when one character is another, is missing, or is added", async () => {
    const { keys, cursor } = await firstPage(tenant);
    for (let i = 0; i < cursor.length; i++) {
      const other = cursor.charAt(i) === "A" ? "B" : "A";
      expect(await reasonOf(tenant.api, `${keys}?cursor=${cursor.slice(0, i)}${other}${cursor.slice(i + 1)}`)).toEqual(
        refused,
      );
    }
    for (const changed of [
      cursor.slice(1),
      cursor.slice(0, -1),
      `${cursor}A`,
      `${cursor}=`,
      `${cursor}${cursor}`,
      cursor.toLowerCase(),
    ])
      expect(await reasonOf(tenant.api, `${keys}?cursor=${changed}`)).toEqual(refused);
  });

  test("are refused for another organization, another list, by another caller", async () => {
    const { keys, cursor } = await firstPage(tenant);
    const stranger = await service.newOrganization();
    expect(
      await reasonOf(stranger.api, `/v1/organizations/${stranger.organizationId}/api-keys?cursor=${cursor}`),
    ).toEqual(refused);
    expect(await reasonOf(tenant.api, `/v1/datasets?cursor=${cursor}`)).toEqual(refused);
    expect(await reasonOf(tenant.api, `/v1/runs?cursor=${cursor}`)).toEqual(refused);
    expect(await reasonOf(service.api, `/v1/organizations?cursor=${cursor}`)).toEqual(refused);
    expect(await reasonOf(tenant.api, `${keys}?cursor=${cursor}`)).toBe(200);
  });

  test("are refused with other filters, and taken with the same ones in another order", async () => {
    await Promise.all(Array.from({ length: 3 }, () => newEndpointDelivery()));
    const deliveries = "/v1/webhook-deliveries";
    const page = await tenant.api("GET", `${deliveries}?limit=1&eventType=test.ping&status=failed,succeeded`);
    const cursor = page.body.nextCursor ?? "";
    expect(page.body.data).toHaveLength(1);
    expect(await reasonOf(tenant.api, `${deliveries}?cursor=${cursor}`)).toEqual(refused);
    expect(await reasonOf(tenant.api, `${deliveries}?cursor=${cursor}&eventType=test.ping&status=failed`)).toEqual(
      refused,
    );
    expect(
      await reasonOf(tenant.api, `${deliveries}?cursor=${cursor}&eventType=run.failed&status=failed,succeeded`),
    ).toEqual(refused);
    expect(
      await reasonOf(tenant.api, `${deliveries}?status=failed,succeeded&cursor=${cursor}&limit=7&eventType=test.ping`),
    ).toBe(200);
  });

  /** A test delivery to a host that does not exist fails, and is a record. */
  async function newEndpointDelivery(): Promise<void> {
    const endpoint = await tenant.api("POST", "/v1/webhook-endpoints", {
      body: { url: "https://hooks.example.invalid/", eventTypes: ["*"] },
    });
    expect(endpoint.status).toBe(201);
    expect((await tenant.api("POST", `/v1/webhook-endpoints/${endpoint.body.id}/test`)).status).toBe(200);
  }

  test("survive a restart of the service", async () => {
    const { keys, cursor } = await firstPage(tenant);
    const restarted = await startTestService(service.settings);
    const response = await restarted.api("GET", `${keys}?cursor=${cursor}`, { key: tenant.apiKey });
    expect(response.status).toBe(200);
    await restarted.stop();
  });
});

describe("methods", () => {
  const byPath = Map.groupBy(entries, ({ o }) => o.path);

  test.each([...byPath.keys()])("%s responds 405 to methods it has not, and names those it has", async (of) => {
    const served = new Set<string>(byPath.get(of)?.map(({ o }) => o.method));
    if (served.has("GET")) served.add("HEAD");
    const at = pathOf(byPath.get(of)![0]!.o);
    for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"]) {
      if (served.has(method)) continue;
      const response = await tenant.api(method, at);
      // What there is of a body was checked to be an error of this status.
      expect([method, response.status]).toEqual([method, 405]);

      expect(new Set(response.headers["allow"]?.split(", "))).toEqual(served);
    }
  });

  test.each(entries.filter(({ o }) => o.method === "GET"))(
    "$id treats HEAD as GET, without the body",
    async (entry) => {
      const at = readingPathOf(entry.o, { organizationId: tenant.organizationId });
      const [got, head] = [await apiFor(entry)("GET", at, requestTo(entry)), await apiFor(entry)("HEAD", at)];
      expect(head.status).toBe(got.status);
      expect(head.bytes).toHaveLength(0);
      expect(head.headers["content-type"]).toBe(got.headers["content-type"]);
    },
  );

  test("a path that does not exist gets an error", async () => {
    for (const at of [
      "/v1",
      "/v1/",
      "/v2/runs",
      "/v1/frobnicate",
      "/v1/runs/",
      "/v1//runs",
      "/v1/runs/x/y/z",
      "/V1/runs",
      "/v1/runs%2F",
      "/v1/%",
      "/v1/runs/%zz",
    ]) {
      const response = await tenant.api("GET", at);
      expect([at, response.status, response.body.error.code]).toEqual([at, 404, "not_found"]);
    }
  });
});

describe("what is accepted", () => {
  test.each(entries.filter(({ o }) => o.method === "GET" && o.plain !== true))(
    "$id refuses to be loaded as a picture",
    async (entry) => {
      const response = await apiFor(entry)("GET", path(entry), { headers: { Accept: "image/png" } });
      expect([response.status, response.body.error.code]).toEqual([406, "not_acceptable"]);
    },
  );

  test.each([
    "*/*",
    "application/*",
    "application/json",
    "text/html,application/json;q=0.9",
    "text/html, */*;q=0.1",
    "application/problem+json",
  ])("an Accept of %s is served", async (accept) => {
    expect((await tenant.api("GET", "/v1/datasets", { headers: { Accept: accept } })).status).toBe(200);
  });

  test("errors come as problem details (RFC 9457) to those who ask for them", async () => {
    const headers = { Accept: "application/problem+json" };
    const responses = [
      await tenant.api("GET", "/v1/nothing", { headers }),
      await tenant.api("POST", "/v1/datasets", { headers }),
      await tenant.api("GET", "/v1/me", { headers, key: null }),
      await tenant.api("GET", "/v1/runs?limit=0", { headers }),
      await tenant.api("POST", "/v1/job-specs", { headers, body: {} }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([404, 405, 401, 400, 400]);
    for (const { status, body, headers: responded } of responses) {
      expect(responded["content-type"]).toMatch(/^application\/problem\+json/);
      expect(body).toMatchObject({ status, requestId: responded["request-id"] });
    }
  });
});
