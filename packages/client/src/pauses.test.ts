import { setImmediate } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { rowsSource } from "./content.ts";
import { json, startService } from "./testing/service.ts";

const upload = { id: "upl_1", state: "processing" };

describe("a source that pauses", () => {
  test("for its first chunk: the connection begins with it", async () => {
    const service = await startService((response) => json(response, 200, upload));
    const sent: string[] = [];
    async function* late(): AsyncGenerator<Uint8Array, void, undefined> {
      for (let i = 0; i < 10; i++) await setImmediate();
      sent.push("first chunk");
      yield new Uint8Array(10);
    }
    const client = service.client({
      fetch: (url, init) => {
        sent.push(init.method ?? "");
        return fetch(url, init);
      },
    });
    await client.datasetUploads.uploadContent("upl_1", late());
    expect(sent).toEqual(["first chunk", "PUT"]);
    expect(service.received[0]?.body).toHaveLength(10);
  });

  test("for its first chunk, until the caller aborts it: nothing is sent", async () => {
    const service = await startService((response) => json(response, 200, upload));
    const abort = new AbortController();
    const silent: AsyncIterableIterator<Uint8Array> = {
      [Symbol.asyncIterator]: () => silent,
      next() {
        setTimeout(() => abort.abort(new Error("no longer needed")));
        return new Promise(() => undefined);
      },
    };
    const sending = service.client().datasetUploads.uploadContent("upl_1", silent, { signal: abort.signal });
    await expect(sending).rejects.toThrow("no longer needed");
    expect(service.received).toHaveLength(0);
  });

  test("between rows: what is there is sent, or a space, so that the connection is kept", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const gates = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
    let asked = 0;
    async function* slow(): AsyncGenerator<object, void, undefined> {
      for (const { promise } of gates) {
        asked++;
        await promise;
        yield { a: asked };
      }
    }
    const chunks = rowsSource(slow()).open()[Symbol.asyncIterator]();
    const text = async () => new TextDecoder().decode((await chunks.next()).value as Uint8Array);
    const first = text();
    vi.advanceTimersByTime(15_000);
    expect(await first).toBe(" ");
    gates[0]?.resolve();
    const second = text();
    await expect.poll(() => asked).toBe(2);
    vi.advanceTimersByTime(15_000);
    expect(await second).toBe('{"a":1}\n');
    const third = text();
    vi.advanceTimersByTime(15_000);
    expect(await third).toBe(" ");
    gates[1]?.resolve();
    gates[2]?.resolve();
    expect(await text()).toBe('{"a":2}\n{"a":3}\n');
    expect(await chunks.next()).toEqual({ done: true, value: undefined });
    expect(vi.getTimerCount()).toBe(0);
  });

  test("between rows, and whose reader leaves: it is closed", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const gate = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    async function* slow(): AsyncGenerator<object, void, undefined> {
      try {
        await gate.promise;
        yield {};
      } finally {
        closed.resolve();
      }
    }
    const source = rowsSource(slow());
    const chunks = source.open()[Symbol.asyncIterator]();
    const first = chunks.next();
    vi.advanceTimersByTime(15_000);
    await first;
    await chunks.return?.();
    source.close?.();
    await setImmediate();
    expect(vi.getTimerCount()).toBe(0);
    gate.resolve();
    await closed.promise;
  });

  test("between rows may be an iterator whose methods give no promises, as `for await` takes it", async () => {
    const rows = [{ a: 1 }, { a: 2 }];
    const iterator = {
      [Symbol.asyncIterator]: () => iterator,
      next: () => ({ done: rows.length === 0, value: rows.shift() }),
    };
    let text = "";
    const source = iterator as unknown as AsyncIterable<object>; // what no type allows
    for await (const chunk of rowsSource(source).open()) text += new TextDecoder().decode(chunk);
    expect(text).toBe('{"a":1}\n{"a":2}\n');
  });
});
