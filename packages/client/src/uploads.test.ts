import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { DatasetIntakeError, RowmillTimeoutError } from "./index.ts";
import type { DatasetInput, UploadProgress } from "./index.ts";
import { failure, json, startService } from "./testing/service.ts";
import type { Received } from "./testing/service.ts";
import { intake, pieces, upload } from "./testing/uploads.ts";

const content = (received: readonly Received[]): Received | undefined =>
  received.find(({ method }) => method === "PUT");
const description = (received: readonly Received[]): unknown => JSON.parse(received[0]?.body ?? "null");

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void; // what the flag makes

/** Bytes in buffers that somebody still holds. */
async function bytesInUse(): Promise<number> {
  for (let i = 0; i < 2; i++) {
    await setImmediate();
    collectGarbage();
  }
  return process.memoryUsage().arrayBuffers;
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "rowmill-client-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe("a dataset is made", () => {
  test.each<[string, () => DatasetInput, object]>([
    ["a string", () => ({ name: "a", content: "x\n1\n", filename: "a.csv" }), { sizeBytes: 4, filename: "a.csv" }],
    ["bytes", () => ({ name: "a", content: Buffer.from("x\n1\n") }), { sizeBytes: 4 }],
    ["a Blob", () => ({ name: "a", content: new Blob(["x\n1\n"]) }), { sizeBytes: 4 }],
    ["a File", () => ({ name: "a", content: new File(["x\n1\n"], "b.csv") }), { sizeBytes: 4, filename: "b.csv" }],
    ["an iterable", () => ({ name: "a", content: pieces("x\n", "1\n") }), {}],
    ["an iterable of known size", () => ({ name: "a", content: pieces("x\n", "1\n"), sizeBytes: 4 }), { sizeBytes: 4 }],
    ["a stream", () => ({ name: "a", content: new Blob(["x\n1\n"]).stream() }), {}],
  ])("of %s", async (_, input, source) => {
    const service = await startService(intake());
    expect(await service.client().datasets.upload(input())).toMatchObject({ id: "ds_1", state: "ready" });
    expect(description(service.received)).toEqual({ name: "a", source: { type: "upload", ...source } });
    expect(content(service.received)).toMatchObject({
      body: "x\n1\n",
      url: { pathname: "/v1/dataset-uploads/upl_1/content" },
    });
    expect(content(service.received)?.headers["content-length"]).toBe("sizeBytes" in source ? "4" : undefined);
  });

  test.each<[string, Iterable<object> | AsyncIterable<object>]>([
    ["an array", [{ a: 1 }, { a: "ä" }]],
    ["an iterable", new Set([{ a: 1 }, { a: "ä" }])],
  ])("of rows in %s, as JSON lines", async (_, rows) => {
    const service = await startService(intake());
    await service.client().datasets.upload({ name: "a", rows, metadata: { by: "me" } });
    expect(description(service.received)).toEqual({
      name: "a",
      format: "jsonl",
      metadata: { by: "me" },
      source: { type: "upload" },
    });
    expect(content(service.received)?.body).toBe('{"a":1}\n{"a":"ä"}\n');
  });

  test("of a file, streamed with its size and reported in steps", async () => {
    const path = join(await temporaryFolder(), "rows.jsonl");
    await writeFile(path, '{"a":1}\n'.repeat(200_000));
    const service = await startService(intake());
    const progress: UploadProgress[] = [];
    await service.client().datasets.upload({ name: "a", file: path, onProgress: (step) => progress.push(step) });
    expect(description(service.received)).toMatchObject({ source: { filename: "rows.jsonl", sizeBytes: 1_600_000 } });
    expect(content(service.received)?.body.length).toBe(1_600_000);
    expect(progress[0]).toEqual({ bytesSent: 0, bytesTotal: 1_600_000, upload: null });
    expect(progress.at(-1)).toMatchObject({
      bytesSent: 1_600_000,
      bytesTotal: 1_600_000,
      upload: { state: "completed" },
    });
  });

  test("of a URL, which the service fetches", async () => {
    const service = await startService(intake());
    await service.client().datasets.upload({ name: "a", url: "https://example.com/a.csv" });
    expect(description(service.received)).toEqual({
      name: "a",
      source: { type: "url", url: "https://example.com/a.csv" },
    });
    expect(content(service.received)).toBeUndefined();
  });

  test("or an error says which lines are wrong", async () => {
    const errors = [{ line: 3, code: "invalid_json_line", message: "not JSON" }];
    const service = await startService(intake({ state: "failed", errors }));
    const thrown = await service
      .client()
      .datasets.upload({ name: "a", content: "x" })
      .then(
        () => undefined,
        (error: unknown) => error,
      );
    expect(thrown).toBeInstanceOf(DatasetIntakeError);
    expect(thrown).toMatchObject({
      errors,
      upload: { state: "failed" },
      message: expect.stringContaining("line 3: not JSON") as string,
    });
  });

  test("of a missing file: an error before anything is asked of the service", async () => {
    const service = await startService(intake());
    await expect(service.client().datasets.upload({ name: "a", file: "/nowhere/rows.csv" })).rejects.toThrow("ENOENT");
    expect(service.received).toHaveLength(0);
  });
});

describe("a large upload", () => {
  test("never holds more than a few chunks", async () => {
    const CHUNK_BYTES = 1024 * 1024;
    const CHUNKS = 48;
    const sent = createHash("sha256");
    const arrived = createHash("sha256");
    const before = await bytesInUse();
    async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
      for (let i = 0; i < CHUNKS; i++) {
        const chunk = new Uint8Array(CHUNK_BYTES).fill(i);
        sent.update(chunk);
        yield chunk;
      }
      expect((await bytesInUse()) - before).toBeLessThan((CHUNKS / 3) * CHUNK_BYTES);
    }
    const onChunk = (chunk: Buffer): void => void arrived.update(chunk);
    const service = await startService((response) => json(response, 200, upload), { onChunk });
    await service.client().datasetUploads.uploadContent("upl_1", chunks());
    expect(arrived.digest("hex")).toBe(sent.digest("hex"));
  });

  test("may take far longer than timeoutMs as long as something moves, and a slow source is not a timeout", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const timeoutMs = 4_000;
    async function* slow(): AsyncGenerator<Uint8Array, void, undefined> {
      for (let i = 0; i < 4; i++) {
        vi.advanceTimersByTime(2 * timeoutMs);
        yield new Uint8Array(10);
      }
    }
    const service = await startService((response) => json(response, 200, upload));
    await service.client({ timeoutMs }).datasetUploads.uploadContent("upl_1", slow());
    expect(service.received[0]?.body).toHaveLength(40);
  });

  test("that the service stops taking is a timeout", async () => {
    const service = await startService(() => undefined, { readsBodies: false });
    const rowmill = service.client({ timeoutMs: 40, maxRetries: 0 });
    await expect(
      rowmill.datasetUploads.uploadContent("upl_1", new Uint8Array(64 * 1024 * 1024)),
    ).rejects.toBeInstanceOf(RowmillTimeoutError);
  });

  test("ends at a signal, and releases its source", async () => {
    const controller = new AbortController();
    const { chunks, released } = endless((made) => {
      if (made === 20) controller.abort(new Error("enough"));
    });
    const service = await startService((response) => json(response, 200, upload));
    const sending = service.client().datasetUploads.uploadContent("upl_1", chunks, { signal: controller.signal });
    await expect(sending).rejects.toThrow("enough");
    await released;
  });

  test("that is refused while it is under way ends at once, and releases its source", async () => {
    const service = await startService((response) => failure(response, 413, "payload_too_large"), {
      readsBodies: false,
    });
    const { chunks, released } = endless(() => undefined);
    await expect(service.client().datasetUploads.uploadContent("upl_1", chunks)).rejects.toMatchObject({ status: 413 });
    await released;
  });
});

/** Content without an end, and a promise that its reader has released it. */
function endless(onChunk: (made: number) => void): { chunks: AsyncIterable<Uint8Array>; released: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  async function* make(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (let made = 0; ; made++) {
        onChunk(made);
        yield new Uint8Array(100_000);
      }
    } finally {
      resolve();
    }
  }
  return { chunks: make(), released: promise };
}
