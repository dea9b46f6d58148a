import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { DatasetIntakeError, RowmillApiError, RowmillConnectionError, RowmillTimeoutError } from "./index.ts";
import type { Content, DatasetInput, UploadProgress } from "./index.ts";
import { failure, json, startService } from "./testing/service.ts";
import type { Received, Respond } from "./testing/service.ts";

const upload = { id: "upl_1", state: "awaiting_content", datasetId: null, errors: [] };

/** A service that takes what is sent and has read it at the second look. */
function intake(ended: object = { state: "completed", datasetId: "ds_1" }): Respond {
  let looks = 0;
  return (response, { method, url }) => {
    if (url.pathname === "/v1/datasets/ds_1") json(response, 200, { id: "ds_1", state: "ready" });
    else if (method === "GET") json(response, 200, { ...upload, state: "processing", ...(looks++ > 0 ? ended : {}) });
    else json(response, method === "PUT" ? 200 : 201, upload);
  };
}
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

async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array, void, undefined> {
  for (const text of texts) yield new TextEncoder().encode(text);
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

describe("content that did not arrive", () => {
  const broken: Respond = (response, _, number) => {
    if (number === 0) response.destroy();
    else json(response, 200, upload);
  };

  test.each<[string, Content]>([
    ["a string", "abc"],
    ["bytes", Buffer.from("abc")],
    ["a Blob", new Blob(["abc"])],
  ])("is sent again whole if it is %s", async (_, given) => {
    const service = await startService(broken);
    await service.client().datasetUploads.uploadContent("upl_1", given);
    expect(service.received.map(({ body }) => body)).toEqual(["abc", "abc"]);
  });

  test.each<[string, () => Content]>([
    ["an iterable", () => pieces("abc")],
    ["a stream", () => new Blob(["abc"]).stream()],
  ])("is not sent again if it is %s: nobody can read it twice", async (_, given) => {
    const service = await startService(broken);
    await expect(service.client().datasetUploads.uploadContent("upl_1", given())).rejects.toBeInstanceOf(
      RowmillConnectionError,
    );
    expect(service.received).toHaveLength(1);
  });

  test("but did after all is taken for sent", async () => {
    const service = await startService((response, { method }, number) => {
      if (number === 0) response.destroy();
      else if (method === "PUT") failure(response, 409, "invalid_state");
      else json(response, 200, { ...upload, state: "processing" });
    });
    expect(await service.client().datasetUploads.uploadContent("upl_1", "abc")).toMatchObject({ state: "processing" });
  });

  test("since the upload was canceled is an error", async () => {
    const service = await startService((response, { method }) => {
      if (method === "PUT") failure(response, 409, "invalid_state");
      else json(response, 200, { ...upload, state: "canceled" });
    });
    await expect(service.client().datasetUploads.uploadContent("upl_1", "abc")).rejects.toBeInstanceOf(RowmillApiError);
  });

  const canceledOf = (received: readonly Received[]): number =>
    received.filter(({ url }) => url.pathname.endsWith("/upl_1/cancel")).length;
  const deaf: Respond = (response, { method }) => {
    if (method !== "PUT") json(response, 201, upload);
  };

  test.each<[string, Respond, object, boolean]>([
    ["was refused", (response) => failure(response, 409, "limit_reached"), {}, true],
    [
      "was refused, by a key of the caller",
      (response) => failure(response, 409, "limit_reached"),
      { idempotencyKey: "mine" },
      false,
    ],
    ["has not arrived after an error of the service", (response) => failure(response, 500, "internal_error"), {}, true],
  ])("that %s: the upload is canceled only where nothing else needs it", async (_, refuse, options, isCanceled) => {
    const service = await startService((response, received, number) => {
      if (received.method === "PUT") void refuse(response, received, number);
      else json(response, 201, upload);
    });
    const made = service.client({ maxRetries: 0 }).datasets.upload({ name: "a", content: "x\n1\n" }, options);
    await expect(made).rejects.toBeInstanceOf(RowmillApiError);
    expect(canceledOf(service.received)).toBe(isCanceled ? 1 : 0);
  });

  test("of which the response was lost is not sent again where it is read once, and taken where it has arrived", async () => {
    const intakeAfter = intake();
    const service = await startService(async (response, received, number) => {
      if (received.method === "PUT") response.destroy();
      else if (number === 2) failure(response, 503, "service_unavailable");
      else await intakeAfter(response, received, number);
    });
    const made = await service.client().datasets.upload({ name: "a", content: pieces("x\n", "1\n") });
    expect(made).toMatchObject({ id: "ds_1" });
    expect(service.received.filter(({ method }) => method === "PUT")).toHaveLength(1);
    expect(canceledOf(service.received)).toBe(0);
  });

  test("and can be read once: the error has the reason, and the upload is canceled", async () => {
    const service = await startService((response, { method }) => {
      if (method === "PUT") response.destroy();
      else json(response, 201, upload);
    });
    const made = service.client().datasets.upload({ name: "a", content: pieces("x\n", "1\n") });
    await expect(made).rejects.toThrow(
      /^no response from .* can be read only once, and was not sent again: give a file,/,
    );
    expect(canceledOf(service.received)).toBe(1);
  });

  test("since its source failed: the upload is canceled", async () => {
    async function* failing(): AsyncGenerator<Uint8Array, void, undefined> {
      yield new Uint8Array(10);
      throw new Error("the disk is gone");
    }
    const service = await startService(deaf);
    await expect(service.client().datasets.upload({ name: "a", content: failing() })).rejects.toThrow(
      "the disk is gone",
    );
    expect(canceledOf(service.received)).toBe(1);
  });

  test("since the caller has aborted it: the upload is canceled", async () => {
    const service = await startService(deaf);
    const abort = new AbortController();
    const made = service.client().datasets.upload({ name: "a", content: "x\n1\n" }, { signal: abort.signal });
    await expect.poll(() => content(service.received)).toBeDefined();
    abort.abort(new Error("no longer needed"));
    await expect(made).rejects.toThrow("no longer needed");
    expect(canceledOf(service.received)).toBe(1);
  });

  test("since its source failed is the source's error, not tried again", async () => {
    async function* failing(): AsyncGenerator<Uint8Array, void, undefined> {
      yield new Uint8Array(10);
      throw new Error("the disk is gone");
    }
    const service = await startService((response) => json(response, 200, upload), { readsBodies: false });
    await expect(service.client().datasetUploads.uploadContent("upl_1", failing())).rejects.toThrow(
      /^the disk is gone$/,
    );
    expect(service.received.length).toBeLessThanOrEqual(1);
    const strings = ["text"] as unknown as AsyncIterable<Uint8Array>; // what JavaScript lets one do
    await expect(service.client().datasetUploads.uploadContent("upl_1", strings)).rejects.toThrow(
      /^content must yield Uint8Array/,
    );
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
