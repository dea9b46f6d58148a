/** More requests than the process may work on at once are refused before they cost anything. */
import { Client } from "pg";
import { beforeAll, expect, test } from "vitest";
import type { CreatedApiKey } from "@rowmill/contract/api-keys";
import { startTestService } from "../../testing/service.ts";
import type { TestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import { ApiError } from "./errors.ts";
import { createRequestBounds } from "./request-bounds.ts";
import type { RequestBounds, RequestPlace } from "./request-bounds.ts";

const MOST = 10;
const UNKNOWN_RUN_WAIT = "/v1/runs/run_01jd3v8m7qe6t9yb4c2xk5w0hz?waitSeconds=1";

let smallService: TestService;
beforeAll(async () => {
  smallService = await startTestService({
    ROWMILL_MAX_REQUESTS_AT_ONCE: String(MOST),
    ROWMILL_ROLE: "api",
    ROWMILL_DATABASE_CONNECTIONS: String(MOST * 2),
  });
});

test("short requests and long ones have bounds of their own, and each end makes room for one", () => {
  const bounds = createRequestBounds(2);
  const ends = [bounds.begin("short"), bounds.begin("short")];
  expect(() => bounds.begin("short")).toThrow(ApiError);
  for (let i = 0; i < 2; i++) bounds.begin("long");
  expect(() => bounds.begin("long")).toThrow("as many requests as it can serve in time");
  ends[0]?.leave();
  // A response that ends twice frees one place only.
  ends[0]?.leave();
  bounds.begin("short");
  expect(() => bounds.begin("short")).toThrow(ApiError);
});

test("the bound falls while most requests are slow, to a twentieth at least, and grows again while they are quick", () => {
  let now = 0;
  const bounds = createRequestBounds(100, { random: () => 0.99, nowMs: () => now });
  /** How many may begin together; they take so long. */
  const fill = (ms: number): number => {
    const ends: RequestPlace[] = [];
    let refusal: unknown;
    while (refusal === undefined)
      try {
        ends.push(bounds.begin("short"));
      } catch (error) {
        refusal = error;
      }
    expect(refusal).toMatchObject({ code: "service_unavailable", options: { retryAfterSeconds: 3 } });
    now += ms;
    for (const end of ends) end.leave();
    return ends.length;
  };
  const falling = Array.from({ length: 20 }, () => fill(2_000));
  expect(falling[0]).toBe(100);
  expect(falling.at(-1)).toBe(5);
  expect(falling).toEqual(falling.toSorted((a, b) => b - a));
  for (let i = 0; i < 100; i++) fill(5);
  expect(fill(5)).toBe(100);
});

/** Requests of an organization until one is refused: their places, and the refusal. */
function fillFor(bounds: RequestBounds, kind: "short" | "long", organization: string) {
  const places: RequestPlace[] = [];
  for (;;) {
    const place = bounds.begin(kind);
    try {
      place.give(organization);
    } catch (refusal) {
      place.leave();
      return { places, refusal };
    }
    places.push(place);
  }
}

test("no organization has all places of long requests, and one that has none is served", () => {
  const bounds = createRequestBounds(16, { random: () => 0, nowMs: () => 0 });
  const first = fillFor(bounds, "long", "first");
  expect(first.places).toHaveLength(12);
  expect(first.refusal).toMatchObject({
    code: "rate_limited",
    message: expect.stringContaining("12 long requests") as string,
    options: { retryAfterSeconds: 1 },
  });
  expect(fillFor(bounds, "long", "second").places).toHaveLength(3);
  bounds.begin("long").give("third");
  expect(() => bounds.begin("long")).toThrow("as many requests as it can serve in time");
  // One that is left can be taken again, and a request that is given twice counts once.
  first.places[0]?.leave();
  const again = bounds.begin("long");
  again.give("fourth");
  again.give("fourth");
  again.leave();
  bounds.begin("long").give("fifth");
});

test("an organization has a share of the short requests only while the bound has fallen", () => {
  let now = 0;
  const bounds = createRequestBounds(20, { random: () => 0, nowMs: () => now });
  const all = Array.from({ length: 20 }, () => bounds.begin("short"));
  for (const place of all) place.give("busy");
  now += 2_000;
  for (const place of all) place.leave();
  // The bound is 14 by now.
  const busy = fillFor(bounds, "short", "busy");
  expect(busy.places).toHaveLength(10);
  expect(busy.refusal).toMatchObject({ code: "service_unavailable" });
  for (let i = 0; i < 3; i++) bounds.begin("short").give("quiet");
});

const KEYS = 10;

test("an organization with many keys leaves places for the waiting reads of another", async () => {
  const service = smallService;
  const [busy, quiet] = [await service.newOrganization(), await service.newOrganization()];
  const left = new AbortController();
  const statuses: number[] = [];
  for (let n = 0; n < KEYS; n++) {
    const { body } = await busy.api<CreatedApiKey>("POST", `/v1/organizations/${busy.organizationId}/api-keys`, {
      body: { name: `Key ${n}` },
    });
    const headers = { Authorization: `Bearer ${body.key}` };
    statuses.push((await fetch(`${service.url}/v1/events/stream`, { headers, signal: left.signal })).status);
  }
  expect(statuses).toEqual([...Array<number>(7).fill(200), ...Array<number>(3).fill(429)]);
  // Waited for until it is known that there is no such run: the request has its place.
  expect((await quiet.api("GET", UNKNOWN_RUN_WAIT)).status).toBe(404);
  left.abort();
});

test("at the bound a request gets 503 with Retry-After; probes and what is under way go on, and room is used again", async () => {
  const service = smallService;
  const { api } = await service.newOrganization();
  const other = new Client({ connectionString: service.settings["ROWMILL_DATABASE_URL"] });
  await other.connect();
  await other.query("begin; lock table datasets");
  const underWay = Array.from({ length: MOST }, () => api("GET", "/v1/datasets"));
  const waiting = async (): Promise<number> => {
    const { rows } = await other.query<{ count: number }>(
      "select count(*)::int from pg_locks where relation = 'datasets'::regclass and not granted and database = (select oid from pg_database where datname = current_database())",
    );
    return rows[0]?.count ?? 0;
  };
  await waitFor(async () => (await waiting()) === MOST, { what: "as many requests wait as may" });
  const refused = await api("GET", "/v1/me");
  expect([refused.status, refused.body.error.code, refused.body.error.retryable]).toEqual([
    503,
    "service_unavailable",
    true,
  ]);
  expect(["1", "2", "3"]).toContain(refused.headers["retry-after"]);
  for (const path of ["/healthz", "/readyz"]) expect((await fetch(service.url + path)).status).toBe(200);
  // A waiting read is a long request, of which there may be more.
  expect((await api("GET", UNKNOWN_RUN_WAIT)).status).toBe(404);
  await other.query("commit");
  await other.end();
  for (const response of await Promise.all(underWay)) expect(response.status).toBe(200);
  expect((await api("GET", "/v1/me")).status).toBe(200);
});
