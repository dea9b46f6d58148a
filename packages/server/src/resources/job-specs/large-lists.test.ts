/** Lists of what is large: a page ends early, and its cursor goes on. */
import { expect, test, vi } from "vitest";
import type { JobSpec, JobSpecVersion } from "@rowmill/contract/job-specs";
import { expectStatus } from "../../testing/api.ts";
import { startTestService } from "../../testing/service.ts";

/** Together larger than one page. */
const COUNT = 36;
const CODE_CHARACTERS = 250_000;
const PAGE_CHARACTERS = 8_000_000;

const service = await startTestService();
const { api } = await service.newOrganization();
const processor = { type: "transform", code: `export default (row) => row; // ${"x".repeat(CODE_CHARACTERS)}` };

async function readAll<T>(path: string): Promise<{ items: T[]; pages: number }> {
  const items: T[] = [];
  let pages = 0;
  for (let cursor: string | null = ""; cursor !== null; pages++) {
    const query: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const response = await api<{ data: T[]; nextCursor: string | null }>(
      "GET",
      `${path}${path.includes("?") ? "&" : "?"}limit=1000${query}`,
    );
    expectStatus(response, 200);
    expect(response.text.length).toBeLessThan(PAGE_CHARACTERS + CODE_CHARACTERS);
    items.push(...response.body.data);
    cursor = response.body.nextCursor;
  }
  return { items, pages };
}

test("pages of large job specs, and of their versions, end early and are complete together", async () => {
  const ids: string[] = [];
  for (let n = 0; n < COUNT; n++) {
    const created = await api<JobSpec>("POST", "/v1/job-specs", { body: { name: `Large ${n}`, processor } });
    expectStatus(created, 201);
    ids.unshift(created.body.id);
  }
  const specs = await readAll<JobSpec>("/v1/job-specs");
  expect(specs.items.map(({ id }) => id)).toEqual(ids);
  expect(specs.pages).toBe(2);
  const named = await readAll<JobSpec>("/v1/job-specs?name=large");
  expect(named.items.map(({ id }) => id)).toEqual(ids);

  const path = `/v1/job-specs/${ids[0] ?? ""}/versions`;
  for (let n = 1; n < COUNT; n++) expectStatus(await api("POST", path, { body: { processor } }), 201);
  const versions = await readAll<JobSpecVersion>(path);
  expect(versions.items.map(({ version }) => version)).toEqual(Array.from({ length: COUNT }, (_, n) => COUNT - n));
  expect(versions.pages).toBe(2);
});

test("a page of job specs of a megabyte is passed on as it was stored, and not parsed by the thread that serves everybody", async () => {
  const other = await service.newOrganization();
  const body = { list: Array.from({ length: 125_000 }, (_, n) => [n % 10, "x"]) };
  const http = { type: "http", method: "POST", url: "https://example.com/", body };
  for (let n = 0; n < 9; n++)
    expectStatus(await other.api("POST", "/v1/job-specs", { body: { name: `Large ${n}`, processor: http } }), 201);
  let bytes = Buffer.alloc(0);
  const readPage = async (): Promise<void> => {
    // Not by `api`, which parses the response.
    const headers = { Authorization: `Bearer ${other.apiKey}` };
    bytes = Buffer.from(await (await fetch(`${service.url}/v1/job-specs`, { headers })).arrayBuffer());
  };
  await readPage();
  const page = bytes.toString();
  expect(page).toContain(`"processor":${JSON.stringify(http)}`);
  // The service is in this process: what it parses and prints is seen, whatever it takes.
  const sizes: number[] = [];
  const { parse, stringify } = JSON;
  vi.spyOn(JSON, "parse").mockImplementation((text: string, ...more: []) => {
    sizes.push(text.length);
    return parse(text, ...more) as unknown;
  });
  vi.spyOn(JSON, "stringify").mockImplementation((value: unknown, ...more: []) => {
    const text = stringify(value, ...more);
    sizes.push((text as string | undefined)?.length ?? 0);
    return text;
  });
  await readPage();
  expect(sizes.length).toBeGreaterThan(0);
  expect(Math.max(...sizes)).toBeLessThan(100_000);
});
