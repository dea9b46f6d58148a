/** The file of an export: its download, and its end. */
import { Client } from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import type { Export } from "@rowmill/contract/exports";
import { startTestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import { parseId } from "../../platform/ids.ts";
import { insertManyOutputs, insertRun } from "./exports-testing.ts";
import { startExportService } from "./export-service-testing.ts";

const { service, owner, query, createExport, readyExport, download, filesOf } = await startExportService();

describe("a download", () => {
  let ready: Export;
  let whole: Buffer;
  beforeAll(async () => {
    ready = await readyExport({ type: "outputs", format: "jsonl" });
    whole = (await download(ready.id)).bytes;
  });

  test("gives one range", async () => {
    const response = await download(ready.id, { Range: "bytes=100-199" });
    expect(response.status).toBe(206);
    expect(response.bytes.equals(whole.subarray(100, 200))).toBe(true);
    expect(response.headers).toMatchObject({
      "content-range": `bytes 100-199/${whole.length}`,
      "content-length": "100",
      etag: `"${ready.sha256}"`,
    });
    expect((await download(ready.id, { Range: "bytes=-50" })).bytes.equals(whole.subarray(-50))).toBe(true);
    expect((await download(ready.id, { Range: `bytes=${whole.length - 1}-` })).bytes).toHaveLength(1);
  });

  test("of a range behind the end says how long the file is", async () => {
    const response = await download(ready.id, { Range: `bytes=${whole.length}-` });
    expect(response.status).toBe(416);
    expect(response.body).toMatchObject({ error: { code: "range_not_satisfiable" } });
    expect(response.headers["content-range"]).toBe(`bytes */${whole.length}`);
  });

  test("with If-Range gives the range of this file only", async () => {
    const range = { Range: "bytes=0-9" };
    expect((await download(ready.id, { ...range, "If-Range": `"${ready.sha256}"` })).status).toBe(206);
    for (const other of ['"another"', `W/"${ready.sha256}"`, "Fri, 20 Nov 2026 09:30:00 GMT"]) {
      const response = await download(ready.id, { ...range, "If-Range": other });
      expect(response.status).toBe(200);
      expect(response.bytes).toHaveLength(whole.length);
    }
  });

  test("of several ranges at once gives the whole file", async () => {
    const response = await download(ready.id, { Range: "bytes=0-1,4-5" });
    expect([response.status, response.bytes.length]).toEqual([200, whole.length]);
  });

  test("of a file the client has is 304", async () => {
    const response = await download(ready.id, { "If-None-Match": `"x", W/"${ready.sha256}"` });
    expect([response.status, response.bytes.length]).toEqual([304, 0]);
  });

  test("by HEAD has the headers alone", async () => {
    const response = await download(ready.id, { Range: "bytes=0-9" }, "HEAD");
    expect(response.status).toBe(200);
    expect(response.bytes).toHaveLength(0);
    expect(response.headers).toMatchObject({ "content-length": String(whole.length), etag: `"${ready.sha256}"` });
  });

  test("needs results:read beside exports:read", async () => {
    const { body: key } = await owner.api<{ key: string }>(
      "POST",
      `/v1/organizations/${owner.organizationId}/api-keys`,
      {
        body: { name: "No contents", scopes: ["exports:read"] },
      },
    );
    expect((await owner.api("GET", `/v1/exports/${ready.id}`, { key: key.key })).status).toBe(200);
    const refused = await owner.api("GET", `/v1/exports/${ready.id}/download`, { key: key.key });
    expect(refused.status).toBe(403);
    expect(refused.body.error.code).toBe("insufficient_scope");
  });
});

describe("the end of a file", () => {
  test("an export under way that is canceled stops, and leaves no file", async () => {
    const large = await insertRun(query, owner.organizationId, { rows: ["{}"], results: [] });
    await insertManyOutputs(query, large.runUuid, 20_000);
    const other = new Client({ connectionString: service.settings["ROWMILL_DATABASE_URL"] });
    await other.connect();
    // An export ends with this lock: it is under way until it is canceled, on any machine.
    await other.query("begin");
    await other.query("select from runs where id = $1 for update", [large.runUuid]);
    const { id } = await createExport({ type: "outputs", format: "csv", compression: "gzip" }, large);
    await waitFor(async () => (await owner.api("GET", `/v1/exports/${id}`)).body["status"] === "running");
    expect((await download(id)).status).toBe(409);
    const late = await owner.api<Export>("GET", `/v1/exports/${id}?waitSeconds=1`);
    expect(late.body.status).toBe("running");
    const waiting = Array.from({ length: 5 }, () => owner.api<Export>("GET", `/v1/exports/${id}?waitSeconds=30`));
    const canceled = await owner.api<Export>("POST", `/v1/exports/${id}/cancel`);
    for (const { body } of await Promise.all(waiting)) expect(body).toEqual(canceled.body);
    expect(canceled.body).toMatchObject({ status: "canceled", downloadUrl: null, rowCount: null });
    await other.end();
    // The worker has seen it: its claim leaves the row when the files are gone.
    await waitFor(async () => {
      const [row] = await service.query<{ storage_key: string | null }>(
        "select storage_key from exports where id = $1",
        [parseId("export", id)],
      );
      return row?.storage_key === null;
    });
    expect(filesOf(id)).toEqual([]);
    expect((await owner.api<Export>("POST", `/v1/exports/${id}/cancel`)).body).toEqual(canceled.body);
    expect((await owner.api<Export>("GET", `/v1/exports/${id}`)).body).toEqual(canceled.body);
    const gone = await download(id);
    expect(gone.status).toBe(409);
  });

  test("an export that is ready cannot be canceled", async () => {
    const ready = await readyExport({ type: "failures", format: "jsonl" });
    const response = await owner.api("POST", `/v1/exports/${ready.id}/cancel`);
    expect([response.status, response.body.error.code]).toEqual([409, "invalid_state"]);
    expect((await download(ready.id)).status).toBe(200);
  });

  test("past its time, or with its run deleted, the file is gone", async () => {
    const doomed = await insertRun(query, owner.organizationId, {
      rows: ["{}"],
      results: [{ index: 0, output: 1 }],
    });
    const kept = await readyExport({ type: "outputs", format: "jsonl" });
    const old = await readyExport({ type: "outputs", format: "jsonl" });
    const orphan = await readyExport({ type: "outputs", format: "jsonl" }, doomed);
    expect([kept, old, orphan].map(({ id }) => filesOf(id).length)).toEqual([1, 1, 1]);
    await service.query("update exports set expires_at = now() where id = $1", [parseId("export", old.id)]);
    await service.query("update runs set deleted_at = now() where id = $1", [doomed.runUuid]);
    for (const { id } of [old, orphan]) {
      const response = await download(id);
      expect([response.status, (response.body as { error: { code: string } }).error.code]).toEqual([
        410,
        "export_expired",
      ]);
    }
    // A process that starts runs its periodic tasks at once.
    const second = await startTestService(service.settings);
    const expired = await waitFor(async () => {
      const { body } = await owner.api("GET", `/v1/exports?status=expired`);
      return filesOf(old.id).length + filesOf(orphan.id).length === 0 && body.data.length === 2 ? body.data : undefined;
    });
    expect(expired.map(({ id }) => id).toSorted()).toEqual([old.id, orphan.id].toSorted());
    expect(expired[1]).toMatchObject({ downloadUrl: null, sha256: old.sha256 });
    expect(filesOf(kept.id)).toHaveLength(1);
    expect((await download(old.id)).status).toBe(410);
    expect((await download(kept.id)).status).toBe(200);
    await second.stop();
  });
});
