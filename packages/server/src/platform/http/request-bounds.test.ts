/** More requests than the process may work on at once are refused before they cost anything. */
import { Client } from "pg";
import { expect, test } from "vitest";
import { startTestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import { ApiError } from "./errors.ts";
import { createRequestBounds } from "./request-bounds.ts";

const MOST = 10;

test("short requests and long ones have bounds of their own, and each end makes room for one", () => {
  const bounds = createRequestBounds(2);
  const ends = [bounds.begin("short"), bounds.begin("short")];
  expect(() => bounds.begin("short")).toThrow(ApiError);
  for (let i = 0; i < 2; i++) bounds.begin("long");
  expect(() => bounds.begin("long")).toThrow("as many requests as it can serve in time");
  ends[0]?.();
  // A response that ends twice frees one place only.
  ends[0]?.();
  bounds.begin("short");
  expect(() => bounds.begin("short")).toThrow(ApiError);
});

test("the bound falls while most requests are slow, to a twentieth at least, and grows again while they are quick", () => {
  let now = 0;
  const bounds = createRequestBounds(100, { random: () => 0.99, nowMs: () => now });
  /** How many may begin together; they take so long. */
  const fill = (ms: number): number => {
    const ends: (() => void)[] = [];
    let refusal: unknown;
    while (refusal === undefined)
      try {
        ends.push(bounds.begin("short"));
      } catch (error) {
        refusal = error;
      }
    expect(refusal).toMatchObject({ code: "service_unavailable", options: { retryAfterSeconds: 3 } });
    now += ms;
    for (const end of ends) end();
    return ends.length;
  };
  const falling = Array.from({ length: 20 }, () => fill(2_000));
  expect(falling[0]).toBe(100);
  expect(falling.at(-1)).toBe(5);
  expect(falling).toEqual(falling.toSorted((a, b) => b - a));
  for (let i = 0; i < 100; i++) fill(5);
  expect(fill(5)).toBe(100);
});

test("at the bound a request gets 503 with Retry-After; probes and what is under way go on, and room is used again", async () => {
  const service = await startTestService({
    ROWMILL_MAX_REQUESTS_AT_ONCE: String(MOST),
    ROWMILL_ROLE: "api",
    ROWMILL_DATABASE_CONNECTIONS: String(MOST * 2),
  });
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
  expect((await api("GET", "/v1/runs/run_01jd3v8m7qe6t9yb4c2xk5w0hz?waitSeconds=1")).status).toBe(404);
  await other.query("commit");
  await other.end();
  for (const response of await Promise.all(underWay)) expect(response.status).toBe(200);
  expect((await api("GET", "/v1/me")).status).toBe(200);
});
