import { writeFile, mkdtemp, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { failure, json, startService } from "./testing/service.ts";

const MEBIBYTE = 1 << 20;
const upload = { id: "upl_1", state: "awaiting_content", datasetId: null, errors: [] };

/** Zeros, without the disk that they would take. */
async function newFile(sizeBytes: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "rowmill-client-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, "rows.jsonl");
  await writeFile(path, "");
  await truncate(path, sizeBytes);
  return path;
}

test.each([
  ["above 64 MiB", 64 * MEBIBYTE + 1, "http://elsewhere", "PATCH"],
  ["of 64 MiB", 64 * MEBIBYTE, "http://elsewhere", "PUT"],
  ["above 64 MiB, to a service that cannot go on,", 64 * MEBIBYTE + 1, undefined, "PUT"],
])("a file %s is sent by the way that fits it", async (_what, sizeBytes, resumableUrl, method) => {
  let bytes = 0;
  const service = await startService(
    (response, { method: asked, url }) => {
      if (url.pathname.endsWith("/resumable") && asked === "GET") json(response, 200, { offsetBytes: 0, sizeBytes });
      else if (asked === "PATCH") response.writeHead(204).end();
      else if (url.pathname === "/v1/datasets/ds_1") json(response, 200, { id: "ds_1", state: "ready" });
      else if (asked === "POST") json(response, 201, { ...upload, upload: { method: "PUT", url: "", resumableUrl } });
      else json(response, 200, { ...upload, state: "completed", datasetId: "ds_1" });
    },
    { onChunk: (chunk) => (bytes += chunk.length) },
  );
  await service.client().datasets.upload({ name: "a", file: await newFile(sizeBytes) });
  const sending = service.received.find(({ headers }) => headers["content-length"] === String(sizeBytes));
  expect(sending?.method).toBe(method);
  expect(bytes).toBeGreaterThanOrEqual(sizeBytes);
});

test("only what is missing is sent, and trouble counts from the last byte that got through", async () => {
  let offset = 0;
  const service = await startService((response, { method, url }, number) => {
    if (method !== "PATCH") {
      // What has arrived is just being taken.
      if (number === 2) return failure(response, 423, "upload_in_progress");
      if (url.pathname.endsWith("/resumable")) json(response, 200, { offsetBytes: offset, sizeBytes: 10 });
      else json(response, 200, { ...upload, state: "processing" });
      return;
    }
    // One byte gets through each time, and its response does not.
    offset += 1;
    if (offset === 10) response.writeHead(204).end();
    else if (number % 4 === 1) response.destroy();
    else failure(response, 503, "service_unavailable");
  });
  const rowmill = service.client({ maxRetries: 2 });
  const sent = await rowmill.datasetUploads.uploadContent("upl_1", "0123456789", { resumable: true });
  expect(sent.state).toBe("processing");
  const parts = service.received.filter(({ method }) => method === "PATCH");
  const digits = Array.from({ length: 10 }, (_, n) => n);
  expect(parts.map(({ headers }) => headers["upload-offset"])).toEqual(digits.map(String));
  expect(parts.map(({ body }) => body)).toEqual(digits.map((n) => "0123456789".slice(n)));
});

test("a service that takes nothing more is abandoned after the retries, and a refusal at once", async () => {
  for (const [code, status, attempts] of [
    ["upload_in_progress", 423, 3],
    ["payload_too_large", 413, 1],
  ] as const) {
    const service = await startService((response, { method }) => {
      if (method === "PATCH") failure(response, status, code);
      else json(response, 200, { offsetBytes: 0, sizeBytes: 10 });
    });
    const sending = service.client({ maxRetries: 2 }).datasetUploads.uploadContent("upl_1", "0123456789", {
      resumable: true,
    });
    await expect(sending).rejects.toMatchObject({ code });
    expect(service.received.filter(({ method }) => method === "PATCH")).toHaveLength(attempts);
  }
});
