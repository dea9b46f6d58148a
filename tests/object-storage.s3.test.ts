/**
 * Processes that share a database and a bucket, and no disk: two that serve the API, one that works. Any of them may take a
 * request, and any may die: the others go on.
 */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { DatasetUpload } from "@rowmill/contract/dataset-uploads";
import type { Export } from "@rowmill/contract/exports";
import {
  listKeys,
  locationIn,
  newBucket,
  openStore,
  openUploads,
  putForeignObject,
  startFaultyNetwork,
  storageUrlOf,
} from "@rowmill/server/testing/s3";
import { expectStatus } from "@rowmill/server/testing/api";
import type { Api } from "@rowmill/server/testing/api";
import { finishedRun, newJobSpec, newRun } from "@rowmill/server/testing/factories";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestOrganization, TestService } from "@rowmill/server/testing/service";
import { newDataDirectory, runMain, startServiceProcess } from "@rowmill/server/testing/service-process";
import { endedUpload, newUploadSession, putContent, rowsOf } from "@rowmill/server/testing/uploads";
import { waitFor } from "@rowmill/server/testing/wait";

const MIB = 1 << 20;
const csv = Buffer.from(`n\n${Array.from({ length: 2_000 }, (_, n) => `${n}\n`).join("")}`);
const bucket = await newBucket();
const location = locationIn(bucket, "rowmill/");

let first: TestService;
let second: TestService;
let tenant: TestOrganization;
const of =
  (service: TestService, key = tenant.apiKey): Api =>
  (method, path, options) =>
    service.api(method, path, { ...options, key });

/** Another process of the installation, with a data directory of its own. */
async function startBeside(more: Record<string, string>): Promise<TestService> {
  const { ROWMILL_DATA_DIR: _own, ...shared } = first.settings;
  return startTestService({ ...shared, ...more });
}

beforeAll(async () => {
  first = await startTestService({ ROWMILL_STORAGE_URL: storageUrlOf(location), ROWMILL_ROLE: "api" });
  second = await startBeside({});
  await startBeside({ ROWMILL_ROLE: "worker" });
  tenant = await first.newOrganization();
});

async function exportOf(api: Api, runId: string, body: object): Promise<Export> {
  const created = await api<Export>("POST", `/v1/runs/${runId}/exports`, { body });
  expectStatus(created, 201);
  return waitFor(async () => {
    const { body: found } = await api<Export>("GET", `/v1/exports/${created.body.id}`);
    return found.finishedAt === null ? undefined : found;
  });
}

test("a file goes in through one process, is worked on by another, and comes out through a third", async () => {
  const upload = await newUploadSession(of(first), {}, { filename: "n.csv" });
  await putContent(of(first), upload, csv);
  const ended = await endedUpload(of(second), upload.id);
  expect(ended).toMatchObject({ state: "completed", rowsAccepted: 2_000 });
  const spec = await newJobSpec(of(first));
  const run = await newRun(of(second), { datasetId: ended.datasetId ?? "", jobSpecId: spec.id });
  await finishedRun(of(first), run.id);

  for (const format of ["jsonl", "parquet"]) {
    const made = await exportOf(of(first), run.id, { type: "outputs", format });
    expect(made).toMatchObject({ status: "ready", rowCount: 2_000 });
    const path = `/v1/exports/${made.id}/download`;
    const whole = await fetch(second.url + path, { headers: { authorization: `Bearer ${tenant.apiKey}` } });
    const bytes = Buffer.from(await whole.arrayBuffer());
    expect([whole.status, bytes.length]).toEqual([200, made.sizeBytes]);
    const etag = whole.headers.get("etag") ?? "";
    const part = await fetch(first.url + path, {
      headers: { authorization: `Bearer ${tenant.apiKey}`, range: "bytes=-100", "if-range": etag },
    });
    expect(part.status).toBe(206);
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(-100))).toBe(true);
    const known = await fetch(first.url + path, {
      headers: { authorization: `Bearer ${tenant.apiKey}`, "if-none-match": etag },
    });
    expect(known.status).toBe(304);

    const redirecting = await startBeside({ ROWMILL_ROLE: "api", ROWMILL_DOWNLOADS: "redirect" });
    const redirected = await fetch(redirecting.url + path, {
      headers: { authorization: `Bearer ${tenant.apiKey}` },
      redirect: "manual",
    });
    expect([redirected.status, redirected.headers.get("cache-control")]).toEqual([307, "no-store"]);
    const direct = await fetch(redirected.headers.get("location") ?? "");
    expect(Buffer.from(await direct.arrayBuffer()).equals(bytes)).toBe(true);
    expect(direct.headers.get("content-disposition")).toBe(whole.headers.get("content-disposition"));
    expect(direct.headers.get("content-type")).toBe(whole.headers.get("content-type"));
    await redirecting.stop();
  }
  for (const { settings } of [first, second])
    expect(existsSync(join(settings["ROWMILL_DATA_DIR"] ?? "", "files"))).toBe(false);
});

test("pieces that are sent to different processes become one dataset", async () => {
  const upload = await newUploadSession(of(first), {}, { filename: "n.csv", sizeBytes: csv.length });
  const path = `/v1/dataset-uploads/${upload.id}/content/resumable`;
  let offset = 0;
  for (const [service, end] of [
    [first, 10],
    [second, 3_000],
    [first, csv.length],
  ] as const) {
    const headers = {
      "Tus-Resumable": "1.0.0",
      "Content-Type": "application/offset+octet-stream",
      "Upload-Offset": String(offset),
    };
    const part = await of(service)("PATCH", path, { body: csv.subarray(offset, end), headers });
    expectStatus(part, 204);
    expect(part.headers["upload-offset"]).toBe(String(end));
    offset = end;
  }
  const ended = await endedUpload(of(first), upload.id);
  expect(ended).toMatchObject({ state: "completed", rowsAccepted: 2_000 });
  expect((await rowsOf(of(first), ended))[999]).toEqual({ n: 999 });
  await waitFor(async () => (await listKeys(location)).every((key) => !/^(partials|dataset-uploads)\//.test(key)), {
    what: "the contents are deleted",
  });
});

test("a process that is killed in the middle of a transfer leaves no object, and what it had stored of a resumable one", async () => {
  const { ROWMILL_DATA_DIR: _own, ...shared } = first.settings;
  const api = await startServiceProcess({ ...shared, ROWMILL_ROLE: "api" });
  const begin = async (kind: "plain" | "resumable") => {
    const upload = await newUploadSession(of(first), {}, { sizeBytes: 40 * MIB });
    const path = `/v1/dataset-uploads/${upload.id}/content${kind === "plain" ? "" : "/resumable"}`;
    const request = httpRequest(api.url + path, {
      method: kind === "plain" ? "PUT" : "PATCH",
      headers: {
        authorization: `Bearer ${tenant.apiKey}`,
        "content-length": 40 * MIB,
        ...(kind === "plain"
          ? { "content-type": "application/octet-stream" }
          : {
              "content-type": "application/offset+octet-stream",
              "tus-resumable": "1.0.0",
              "upload-offset": "0",
            }),
      },
      agent: false,
    });
    request.on("error", () => undefined); // cut by the kill
    const line = Buffer.from(`{"text":"${"x".repeat(1012)}"}\n`);
    const bytes = Buffer.alloc(20 * MIB, line);
    request.write(bytes);
    return { upload, path, line };
  };
  const [plain, resumable] = [await begin("plain"), await begin("resumable")];
  const offset = async (): Promise<number> => {
    const head = await of(second)("HEAD", resumable.path, { headers: { "Tus-Resumable": "1.0.0" } });
    return Number(head.headers["upload-offset"]);
  };
  await waitFor(async () => (await offset()) >= 16 * MIB, { what: "two parts are stored" });
  await waitFor(async () => (await openUploads(bucket)).length === 2, { what: "both transfers are under way" });
  api.kill("SIGKILL");
  await api.exited;

  const { body } = await of(second)<DatasetUpload>("GET", `/v1/dataset-uploads/${plain.upload.id}`);
  expect(body.state).toBe("awaiting_content");
  expect((await listKeys(location)).filter((key) => key.startsWith("dataset-uploads/"))).toEqual([]);
  const from = await offset();
  expect(from).toBe(16 * MIB);
  const rest = Buffer.alloc(40 * MIB - from, resumable.line);
  // The lock of the dead process goes with its connection.
  await waitFor(async () => {
    const headers = {
      "Tus-Resumable": "1.0.0",
      "Content-Type": "application/offset+octet-stream",
      "Upload-Offset": String(from),
    };
    return (await of(second)("PATCH", resumable.path, { body: rest, headers })).status === 204;
  });
  const ended = await endedUpload(of(first), resumable.upload.id);
  expect(ended).toMatchObject({ state: "completed", rowsAccepted: (40 * MIB) / 1024 });
});

test("a content that somebody else has deleted ends its upload with a reason", async () => {
  const own = locationIn(bucket, "emptied/");
  const api = await startTestService({ ROWMILL_STORAGE_URL: storageUrlOf(own), ROWMILL_ROLE: "api" });
  const organization = await api.newOrganization();
  const upload = await newUploadSession(organization.api, {}, { filename: "n.csv" });
  await putContent(organization.api, upload, csv);
  await openStore(own).deleteAll("dataset-uploads/");
  const { ROWMILL_DATA_DIR: _own, ...shared } = api.settings;
  await startTestService({ ...shared, ROWMILL_ROLE: "worker" });
  const ended = await endedUpload(organization.api, upload.id);
  expect([ended.state, ended.errors[0]?.message]).toEqual(["failed", expect.stringMatching(/stored content is gone/)]);
});

test("a store that goes away is reported, refuses contents, and is used again when it is back", async () => {
  const network = await startFaultyNetwork();
  const away = await startBeside({
    ROWMILL_ROLE: "api",
    ROWMILL_STORAGE_URL: storageUrlOf({ ...location, endpoint: network.endpoint }),
  });
  const ready = async () => (await fetch(`${away.url}/readyz`)).json();
  expect(await ready()).toMatchObject({ status: "ready", store: "available" });
  network.fault = (_request, response) => {
    response.writeHead(403, { "content-type": "application/xml" });
    response.end("<Error><Code>AccessDenied</Code><Message>The key has lost its rights.</Message></Error>");
    return true;
  };
  const upload = await newUploadSession(of(first), {}, { filename: "n.csv" });
  const refused = await of(away)("PUT", `/v1/dataset-uploads/${upload.id}/content`, {
    body: csv,
    headers: { "Content-Type": "application/octet-stream" },
  });
  expect([refused.status, refused.body.error.code]).toEqual([503, "service_unavailable"]);
  expect(away.logs().join("\n")).toMatch(/AccessDenied/);
  await waitFor(async () => expect(await ready()).toMatchObject({ status: "ready", store: "unavailable" }));
  network.fault = undefined;
  await waitFor(async () => expect(await ready()).toMatchObject({ status: "ready", store: "available" }));
  await putContent(of(away), upload, csv);
  expect((await endedUpload(of(first), upload.id)).state).toBe("completed");
});

test("a start is refused with a sentence where the store cannot be used, or belongs to another installation", async () => {
  const foreign = locationIn(await newBucket(), "shared/");
  await putForeignObject(foreign.bucket, "shared/installation", "somebody-else");
  const { ROWMILL_DATA_DIR: _own, ...shared } = first.settings;
  for (const [settings, sentence] of [
    [
      { ROWMILL_STORAGE_URL: storageUrlOf(locationIn(`gone-${randomBytes(6).toString("hex")}`)) },
      /bucket does not exist/,
    ],
    [{ AWS_SECRET_ACCESS_KEY: "wrong" }, /does not accept the keys/],
    [{ AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "", AWS_EC2_METADATA_DISABLED: "true" }, /There are no keys/],
    [{ ROWMILL_STORAGE_URL: storageUrlOf(foreign) }, /belongs to another installation/],
    [{ ROWMILL_STORAGE_URL: "s3://Bad_Bucket" }, /ROWMILL_STORAGE_URL names no bucket/],
  ] as const) {
    const { code, output } = await runMain({ ...shared, ROWMILL_DATA_DIR: await newDataDirectory(), ...settings });
    expect([code, output]).toEqual([1, expect.stringMatching(sentence)]);
  }
});
