import { createHash } from "node:crypto";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { ExportFailedError, RowmillConnectionError, RowmillIntegrityError } from "./index.ts";
import { failure, json, startService } from "./testing/service.ts";
import type { Received, Respond } from "./testing/service.ts";

const bytes = Buffer.from("0123456789".repeat(100_000));
const sha256 = createHash("sha256").update(bytes).digest("hex");
const ready = { id: "exp_1", status: "ready", sizeBytes: bytes.length, sha256 };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "rowmill-client-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

/** Serves the file, but each response but the last breaks off after `breakAfter` bytes. */
function serving(file: Buffer, { breaks = 0, breakAfter = 300_000, knowsRanges = true } = {}): Respond {
  let downloads = 0;
  return (response, { url, headers }) => {
    if (!url.pathname.endsWith("/download")) return json(response, 200, ready);
    const from = knowsRanges ? Number(/^bytes=(\d+)-$/.exec(headers.range ?? "")?.[1] ?? 0) : 0;
    const rest = file.subarray(from);
    response.writeHead(from > 0 ? 206 : 200, {
      "content-length": rest.length,
      etag: `"${sha256}"`,
      "content-type": "text/csv",
    });
    if (downloads++ < breaks)
      response.write(rest.subarray(0, breakAfter), () => setImmediate(() => response.destroy()));
    else response.end(rest);
  };
}
const ranges = (received: readonly Received[]): (string | undefined)[] =>
  received.filter(({ url }) => url.pathname.endsWith("/download")).map(({ headers }) => headers.range);

describe("a download", () => {
  test("is a stream that knows its size and checksum", async () => {
    const service = await startService(serving(bytes));
    const download = await service.client().exports.download("exp_1");
    expect(download).toMatchObject({ sizeBytes: bytes.length, sha256, contentType: "text/csv" });
    expect(Buffer.from(await new Response(download.stream).arrayBuffer()).equals(bytes)).toBe(true);
    expect(service.received[0]?.headers["accept-encoding"]).toBe("identity");
  });

  test("that breaks off is an error of the stream", async () => {
    const service = await startService(serving(bytes, { breaks: 1 }));
    const { stream } = await service.client().exports.download("exp_1");
    await expect(new Response(stream).arrayBuffer()).rejects.toBeInstanceOf(RowmillConnectionError);
  });

  test("of an expired export is the service's error", async () => {
    const service = await startService((response) => failure(response, 410, "export_expired"));
    await expect(service.client().exports.download("exp_1")).rejects.toMatchObject({ code: "export_expired" });
  });
});

describe("a download to a file", () => {
  test("writes exactly the file and reports how far it is", async () => {
    const service = await startService(serving(bytes));
    const steps: number[] = [];
    const path = join(folder, "out.csv");
    const onProgress = (step: { bytesReceived: number }): number => steps.push(step.bytesReceived);
    expect(await service.client().exports.downloadToFile("exp_1", path, { onProgress })).toMatchObject({ sha256 });
    expect((await readFile(path)).equals(bytes)).toBe(true);
    expect(steps.at(-1)).toBe(bytes.length);
    expect(await readdir(folder)).toEqual(["out.csv"]);
  });

  test("goes on where the connection broke", async () => {
    const service = await startService(serving(bytes, { breaks: 2 }));
    const path = join(folder, "out.csv");
    await service.client({ maxRetries: 1 }).exports.downloadToFile("exp_1", path);
    expect((await readFile(path)).equals(bytes)).toBe(true);
    const asked = ranges(service.received);
    expect(asked).toHaveLength(3);
    expect(asked[0]).toBeUndefined();
    expect(asked[2]).toMatch(/^bytes=[1-9]\d*-$/);
  });

  test("begins again when the service knows no ranges, and stops when it never comes further", async () => {
    const path = join(folder, "out.csv");
    const once = await startService(serving(bytes, { breaks: 1, knowsRanges: false }));
    await once.client().exports.downloadToFile("exp_1", path);
    expect((await readFile(path)).equals(bytes)).toBe(true);
    const never = await startService(serving(bytes, { breaks: Infinity, knowsRanges: false, breakAfter: 10 }));
    const other = join(folder, "other.csv");
    await expect(never.client().exports.downloadToFile("exp_1", other)).rejects.toBeInstanceOf(RowmillConnectionError);
    expect(await readdir(folder)).toEqual(["out.csv"]);
  });

  test("leaves no file when the bytes are not the export's", async () => {
    const wrong = Buffer.from(bytes);
    wrong[500_000] = 0;
    const service = await startService(serving(wrong));
    const path = join(folder, "out.csv");
    await expect(service.client().exports.downloadToFile("exp_1", path)).rejects.toBeInstanceOf(RowmillIntegrityError);
    expect(await readdir(folder)).toEqual([]);
  });

  test("leaves an older file alone until the new one is whole", async () => {
    const path = join(folder, "out.csv");
    const good = await startService(serving(bytes));
    await good.client().exports.downloadToFile("exp_1", path);
    const bad = await startService(serving(bytes, { breaks: Infinity, breakAfter: 10 }));
    await expect(bad.client({ maxRetries: 0 }).exports.downloadToFile("exp_1", path)).rejects.toBeInstanceOf(
      RowmillConnectionError,
    );
    expect((await readFile(path)).equals(bytes)).toBe(true);
  });
});

describe("saving the table of a run", () => {
  const responding =
    (ended: object): Respond =>
    (response, received, number) => {
      if (received.url.pathname.endsWith("/download")) return serving(bytes)(response, received, number);
      return json(response, received.method === "POST" ? 201 : 200, { id: "exp_1", finishedAt: null, ...ended });
    };

  test.for([
    ["out.csv", "csv"],
    ["out.parquet", "parquet"],
    ["out.jsonl", "jsonl"],
    ["out", "csv"],
  ])("as %s makes a flat export as %s, waits for it and downloads it", async ([name = "", format]) => {
    const service = await startService(responding(ready));
    const path = join(folder, name);
    await service.client().exports.saveTable("run_1", path, { columns: ["city", "row_state"], idempotencyKey: "k" });
    expect((await readFile(path)).equals(bytes)).toBe(true);
    const [create] = service.received;
    expect(create).toMatchObject({ method: "POST", headers: { "idempotency-key": "k" } });
    expect(create?.url.pathname).toBe("/v1/runs/run_1/exports");
    expect(JSON.parse(String(create?.body))).toEqual({
      type: "resolved_results",
      layout: "flat",
      format,
      columns: ["city", "row_state"],
    });
  });

  test("fails with the reason of an export that failed", async () => {
    const error = { code: "unknown_column", message: "There is no column `lable`." };
    const service = await startService(responding({ status: "failed", error }));
    const saving = service.client().exports.saveTable("run_1", join(folder, "out.csv"));
    await expect(saving).rejects.toThrow("export exp_1 is failed: There is no column `lable`. (unknown_column)");
    await expect(saving).rejects.toBeInstanceOf(ExportFailedError);
    expect(await readdir(folder)).toEqual([]);
  });
});
