/** Times are read as `pg` reads them, whatever PostgreSQL writes. */
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase } from "../../testing/test-database.ts";
import type { TestDatabase } from "../../testing/test-database.ts";
import { readTime } from "./read-time.ts";

let database: TestDatabase;
let client: Client;
beforeAll(async () => {
  database = await createTestDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

/** What PostgreSQL writes of times, and the whole milliseconds that it counts of them. */
const written = async (times: string): Promise<{ text: string; ms: number }[]> =>
  (
    await client.query<{ text: string; ms: number }>(
      `select t::text as text, floor(extract(epoch from t) * 1000)::float8 as ms from (${times}) as times (t)`,
    )
  ).rows;

test.each(["UTC", "Asia/Kolkata", "America/St_Johns", "Europe/Berlin", "Africa/Monrovia"])(
  "in the time zone %s",
  async (zone) => {
    await client.query(`set timezone = '${zone}'`);
    const times = [
      ...(await written(
        "select '2026-11-26 22:56:04+00'::timestamptz + n * interval '1.001 ms' from generate_series(0, 1999) n",
      )),
      ...(await written(
        "select '0098-12-30 00:00+00'::timestamptz + n * interval '1 day' from generate_series(0, 999) n",
      )),
      ...(await written(
        "values ('0044-03-15 12:00:00.5 BC'::timestamptz), ('0001-01-01'), ('10001-01-01'), ('275760-01-01')",
      )),
      ...(await written(
        "values ('1900-01-01 00:00+00'::timestamptz), ('2024-02-29 23:59:59.999999+00'), ('9999-12-31')",
      )),
    ];
    expect(times).toHaveLength(3007);
    for (const { text, ms } of times) expect([text, Number(readTime(text))]).toEqual([text, ms]);
  },
);

test("without an end", () => {
  expect([readTime("infinity"), readTime("-infinity")]).toEqual([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]);
});
