import { setImmediate as immediate } from "node:timers/promises";
import { describe, expect, expectTypeOf, onTestFinished, test, vi } from "vitest";
import { RowmillConnectionError, RowmillTimeoutError } from "./index.ts";
import type { Run } from "./index.ts";
import { Page } from "./lists.ts";
import { failure, json, startService } from "./testing/service.ts";
import type { Received, Service } from "./testing/service.ts";

/** A list of the numbers below `total`, whose cursor is the number of the next. */
async function startCounting(total: number): Promise<Service> {
  return startService((response, { url }) => {
    const from = Number(url.searchParams.get("cursor") ?? 0);
    const to = Math.min(total, from + Number(url.searchParams.get("limit") ?? 50));
    const data = Array.from({ length: to - from }, (_, i) => ({ id: from + i }));
    json(response, 200, { data, nextCursor: to < total ? String(to) : null });
  });
}
const query = ({ url }: Received): Record<string, string> => Object.fromEntries(url.searchParams);

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe("a list", () => {
  test("awaited is its first page, and the pages after it on demand", async () => {
    const service = await startCounting(5);
    const page = await service.client().runs.list({ limit: 3, state: "failed" });
    expect(page).toMatchObject({ data: [{ id: 0 }, { id: 1 }, { id: 2 }], nextCursor: "3", hasNextPage: true });
    const last = await page.nextPage();
    expect(last).toMatchObject({ data: [{ id: 3 }, { id: 4 }], nextCursor: null, hasNextPage: false });
    await expect(last.nextPage()).rejects.toThrow("no next page");
    expect(service.received.map(query)).toEqual([
      { limit: "3", state: "failed" },
      { limit: "3", state: "failed", cursor: "3" },
    ]);
  });

  test("has the other methods of a promise, all of one request", async () => {
    const service = await startCounting(3);
    const list = service.client().runs.list();
    let isOver = false;
    const [caught, ended] = await Promise.all([list.catch(() => undefined), list.finally(() => (isOver = true))]);
    expect(caught).toBe(ended);
    expect([caught?.data.length, isOver, service.received.length]).toEqual([3, true, 1]);

    const missing = await startService((response) => failure(response, 404, "not_found"));
    const refused = missing.client().runs.outputs("run_1");
    expect(await refused.catch((error: unknown) => error)).toMatchObject({ code: "not_found" });
    await expect(refused.finally(() => undefined)).rejects.toMatchObject({ code: "not_found" });
    expect(missing.received).toHaveLength(1);
    // Where a promise is wanted, a list is one.
    const page: Promise<Page<Run>> = service.client().runs.list();
    expect(await page).toBeInstanceOf(Page);
  });

  test("of rows has the type that the caller gives to what is in them", async () => {
    const service = await startService((response, { url }) => {
      const data = { mood: "good" };
      const item = url.pathname.endsWith("resolved-results")
        ? { resultState: "succeeded", output: { data } }
        : { data };
      if (url.pathname.endsWith("/test")) json(response, 200, { outputs: [item], failures: [] });
      else if (url.pathname.endsWith("row_1")) json(response, 200, item);
      else json(response, 200, { data: [item], nextCursor: null });
    });
    const rowmill = service.client();
    const moods: (string | undefined)[] = [];
    for await (const { data } of rowmill.runs.outputs<{ mood: string }>("run_1")) moods.push(data.mood);
    for await (const { output } of rowmill.runs.resolvedResults<{ mood: string }>("run_1"))
      moods.push(output?.data.mood);
    for await (const { data } of rowmill.datasets.rows<{ mood: string }>("ds_1")) moods.push(data.mood);
    moods.push((await rowmill.datasets.row<{ mood: string }>("ds_1", "row_1")).data.mood);
    const { outputs } = await rowmill.jobSpecs.test<{ mood: string }>("spec_1", { rows: [{}] });
    moods.push(...outputs.map(({ data }) => data.mood));
    expect(moods).toEqual(Array.from({ length: 5 }, () => "good"));
    // Without one, nothing is known about an output, and a row is an object.
    for await (const one of rowmill.runs.outputs("run_1")) expectTypeOf(one.data).toBeUnknown();
    for await (const one of rowmill.datasets.rows("ds_1"))
      expectTypeOf(one.data).toEqualTypeOf<Record<string, unknown>>();
  });

  test("walked gives every item of every page once, in order", async () => {
    const service = await startCounting(7);
    const ids = await collect(service.client().datasets.list({ limit: 3 }));
    expect(ids.map(({ id }) => Number(id))).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(service.received).toHaveLength(3);
  });

  test("walked by pages asks for large ones, and no further than the caller goes", async () => {
    const service = await startCounting(1000);
    for await (const page of service.client().datasets.list().pages()) {
      expect(page.data).toHaveLength(200);
      break;
    }
    expect(service.received).toHaveLength(1);
  });

  test("of nothing is empty", async () => {
    expect(await collect((await startCounting(0)).client().runs.list())).toEqual([]);
  });

  test("is not asked for before somebody wants it", async () => {
    const service = await startCounting(1);
    service.client().runs.list();
    await service.client().runs.list();
    expect(service.received).toHaveLength(1);
  });

  test("goes on over a failure between two pages", async () => {
    const service = await startService((response, { url }, number) => {
      if (number === 1) failure(response, 503, "service_unavailable");
      else json(response, 200, { data: [{ id: number }], nextCursor: url.searchParams.has("cursor") ? null : "a" });
    });
    expect(await collect(service.client().runs.list())).toHaveLength(2);
  });

  test("does not go in circles with a service that repeats its cursor", async () => {
    const service = await startService((response) => json(response, 200, { data: [], nextCursor: "same" }));
    await expect(collect(service.client().runs.list())).rejects.toThrow("same cursor twice");
    expect(service.received).toHaveLength(2);
  });
});

describe("a stream", () => {
  test("gives every line, however the bytes are cut", async () => {
    const lines = ['{"index":0,"data":"ä€😀"}', '{"index":1,"data":"\\n"}', '{"index":2}'];
    const service = await startService(async (response) => {
      for (const byte of Buffer.from(`${lines.join("\n")}\n`)) {
        response.write(Buffer.of(byte));
        await new Promise(setImmediate);
      }
      response.end();
    });
    const outputs = await collect(service.client().runs.outputs("run_1", { datasetRowId: "row_1" }).stream());
    expect(outputs).toEqual(lines.map((line) => JSON.parse(line) as unknown));
    expect(service.received).toHaveLength(1);
    expect(service.received[0]?.headers.accept).toBe("application/x-ndjson");
    expect(service.received[0]?.url.searchParams.get("datasetRowId")).toBe("row_1");
  });

  test("and a page are read by the parser that is given, which may keep every digit", async () => {
    const row = '{"index":0,"data":{"id":12345678901234567890}}';
    const service = await startService(
      (response, request) =>
        void response.end(
          request.headers.accept === "application/x-ndjson" ? `${row}\n` : `{"data":[${row}],"nextCursor":null}`,
        ),
    );
    const parseJson = (text: string): unknown => JSON.parse(text.replaceAll(/:(\d{16,})/g, ':"$1"'));
    const list = service.client().datasets.rows("ds_1", undefined, { parseJson });
    const kept = [{ index: 0, data: { id: "12345678901234567890" } }];
    expect([await collect(list.stream()), await collect(list)]).toEqual([kept, kept]);
  });

  test.each([
    ["between two lines", '{"index":0}\n'],
    ["within a line", '{"index":0}\n{"ind'],
  ])("that breaks off %s is an error after what came whole", async (_, text) => {
    const service = await startService((response) => {
      response.write(text, () => setImmediate(() => response.destroy()));
    });
    const got: unknown[] = [];
    const reading = (async () => {
      for await (const row of service.client().datasets.rows("ds_1").stream()) got.push(row);
    })();
    await expect(reading).rejects.toBeInstanceOf(RowmillConnectionError);
    expect(got).toEqual([{ index: 0 }]);
  });

  test("that ends within a line is an error even if the connection ended well", async () => {
    const service = await startService((response) => void response.end('{"index":0}\n{"ind'));
    await expect(collect(service.client().runs.rows("run_1").stream())).rejects.toThrow("within a line");
  });

  test("is tried again only before its first byte", async () => {
    const service = await startService((response, _, number) => {
      if (number === 0) failure(response, 503, "service_unavailable");
      else response.end('{"index":0}\n');
    });
    expect(await collect(service.client().runs.rows("run_1").stream())).toEqual([{ index: 0 }]);
  });

  test("that stands still is a timeout; a slow reader is not", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const options = { timeoutMs: 4_000 };
    const service = await startService((response) => void response.write('{"index":0}\n'));
    const got: unknown[] = [];
    const reading = (async () => {
      for await (const row of service.client().runs.rows("run_1", {}, options).stream()) {
        got.push(row);
        vi.advanceTimersByTime(2 * options.timeoutMs);
      }
    })();
    const refused = reading.catch((error: unknown) => error);
    while (got.length === 0 || vi.getTimerCount() === 0) await immediate();
    vi.advanceTimersByTime(options.timeoutMs);
    expect(await refused).toBeInstanceOf(RowmillTimeoutError);
    expect(got).toEqual([{ index: 0 }]);
    const whole = await startService((response) => void response.end('{"index":0}\n{"index":1}\n'));
    let rows = 0;
    for await (const _ of whole.client().runs.rows("run_1", {}, options).stream()) {
      vi.advanceTimersByTime(2 * options.timeoutMs);
      rows++;
    }
    expect(rows).toBe(2);
  });

  test("left early closes the connection", async () => {
    let closed: (() => void) | undefined;
    const isClosed = new Promise<void>((resolve) => (closed = resolve));
    const service = await startService((response) => {
      response.on("close", () => closed?.());
      response.write('{"index":0}\n{"index":1}\n');
    });
    for await (const row of service.client().runs.rows("run_1").stream()) {
      expect(row.index).toBe(0);
      break;
    }
    await isClosed;
  });

  test("ends with the reason of a signal", async () => {
    const controller = new AbortController();
    const service = await startService((response) => void response.write('{"index":0}\n'));
    const reading = (async () => {
      for await (const _ of service.client().runs.rows("run_1", {}, { signal: controller.signal }).stream()) {
        controller.abort(new Error("enough"));
      }
    })();
    await expect(reading).rejects.toThrow("enough");
  });
});
