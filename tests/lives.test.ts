/** One of everything is changed, ended and deleted, and responds as its state allows. */
import { beforeAll, describe, expect, test } from "vitest";
import type { DatasetUpload } from "@rowmill/contract/dataset-uploads";
import type { Run } from "@rowmill/contract/runs";
import { formatRowId, parseId } from "@rowmill/server/platform/ids";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "@rowmill/server/testing/factories";
import { receiverSettings, startReceiver } from "@rowmill/server/testing/receiver";
import type { TestOrganization, TestService } from "@rowmill/server/testing/service";
import { startTestService } from "@rowmill/server/testing/service";
import { waitFor } from "@rowmill/server/testing/wait";

let service: TestService;
let tenant: TestOrganization;
let receiverUrl: string;
beforeAll(async () => {
  const receiver = await startReceiver();
  receiverUrl = receiver.url;
  service = await startTestService(receiverSettings(receiver));
  tenant = await service.newOrganization();
});

/** Status, and the code of an error. */
async function ask(method: string, path: string, body?: unknown, headers = {}): Promise<(number | string)[]> {
  const response = await tenant.api(method, path, { body, headers });
  return response.status < 400 ? [response.status] : [response.status, response.body.error.code];
}

describe("a dataset upload", () => {
  const newUpload = async (source: object = { type: "upload", filename: "rows.jsonl" }): Promise<DatasetUpload> =>
    (await tenant.api<DatasetUpload>("POST", "/v1/dataset-uploads", { body: { name: "Life", source } })).body;
  const contentOf = ({ id }: DatasetUpload) => `/v1/dataset-uploads/${id}/content`;

  test("that awaits its content can be canceled, once and for all", async () => {
    const upload = await newUpload();
    const path = `/v1/dataset-uploads/${upload.id}`;
    expect(upload.upload?.url).toMatch(new RegExp(`${contentOf(upload)}$`));
    expect(await ask("POST", `${path}/cancel`)).toEqual([200]);
    expect((await tenant.api<DatasetUpload>("GET", path)).body).toMatchObject({ state: "canceled", datasetId: null });
    expect(await ask("PUT", contentOf(upload), '{"a":1}\n')).toEqual([409, "invalid_state"]);
  });

  test("takes its content once", async () => {
    const upload = await newUpload();
    expect(await ask("PUT", contentOf(upload), '{"a":1}\n{"a":2}\n')).toEqual([200]);
    const read = await waitFor(async () => {
      const { body } = await tenant.api<DatasetUpload>("GET", `/v1/dataset-uploads/${upload.id}`);
      return body.finishedAt !== null && body;
    });
    expect(read).toMatchObject({ state: "completed", rowsAccepted: 2 });
    expect(await ask("PUT", contentOf(upload), '{"a":1}\n')).toEqual([409, "invalid_state"]);
    expect(await ask("POST", `/v1/dataset-uploads/${upload.id}/cancel`)).toEqual([409, "invalid_state"]);
  });

  test("that fails leaves a dataset whose rows cannot be read or run", async () => {
    const upload = await newUpload();
    await ask("PUT", contentOf(upload), '{"a":1}\nnonsense\n');
    const failed = await waitFor(async () => {
      const { body } = await tenant.api<DatasetUpload>("GET", `/v1/dataset-uploads/${upload.id}`);
      return body.finishedAt !== null && body;
    });
    expect(failed).toMatchObject({ state: "failed", errors: [{ line: 2, code: "invalid_json_line" }] });
    const datasetId = failed.datasetId ?? "";
    const rows = `/v1/datasets/${datasetId}/rows`;
    const row = formatRowId(parseId("dataset", datasetId) ?? "", 0);
    for (const path of [rows, `${rows}/${row}`, `/v1/datasets/${datasetId}/column-statistics`])
      expect(await ask("GET", path)).toEqual([409, "dataset_not_ready"]);
  });
});

describe("a dataset", () => {
  test("is changed, and deleted when no run needs it any more", async () => {
    const dataset = await newDataset(tenant.api, numberedRows(3));
    const path = `/v1/datasets/${dataset.id}`;
    const spec = await newJobSpec(tenant.api);
    const run = await newRun(tenant.api, { datasetId: dataset.id, jobSpecId: spec.id });
    await finishedRun(tenant.api, run.id);
    expect(await ask("PATCH", path, { name: "Renamed", description: "New", metadata: { a: "b" } })).toEqual([200]);
    expect((await tenant.api("GET", path)).body).toMatchObject({
      name: "Renamed",
      description: "New",
      metadata: { a: "b" },
      rowCount: 3,
    });
    expect(await ask("DELETE", path)).toEqual([409, "resource_in_use"]);
    expect(await ask("DELETE", `/v1/runs/${run.id}`)).toEqual([204]);
    expect(await ask("DELETE", path)).toEqual([204]);
    for (const gone of [path, `${path}/rows`]) expect(await ask("GET", gone)).toEqual([404, "not_found"]);
    expect(await ask("DELETE", path)).toEqual([404, "not_found"]);
  });
});

describe("a job spec", () => {
  test("is changed, gets versions that stay, and is archived", async () => {
    const spec = await newJobSpec(tenant.api);
    const path = `/v1/job-specs/${spec.id}`;
    expect(await ask("PATCH", path, { name: "Renamed", description: null, metadata: {} })).toEqual([200]);
    expect(await ask("POST", `${path}/versions`, { processor: { type: "mock", failEvery: 2 } })).toEqual([201]);
    expect((await tenant.api("GET", path)).body).toMatchObject({
      name: "Renamed",
      latestVersion: 2,
      processor: { failEvery: 2 },
    });
    expect((await tenant.api("GET", `${path}/versions/1`)).body["processor"]).toEqual({ type: "mock" });
    expect(await ask("DELETE", path)).toEqual([204]);
    expect((await tenant.api("GET", path)).body["archivedAt"]).not.toBeNull();
    expect(await ask("POST", `${path}/versions`, { processor: { type: "mock" } })).toEqual([409, "invalid_state"]);
    expect((await tenant.api("GET", "/v1/job-specs?limit=1000")).text).not.toContain(spec.id);
  });

  test("whose code or schema does not compile is not made", async () => {
    const { id } = await newJobSpec(tenant.api);
    const broken = { processor: { type: "transform", code: "export default (row) => {" } };
    const badSchema = { processor: { type: "mock" }, outputSchema: { type: "nonsense" } };
    for (const path of ["/v1/job-specs", `/v1/job-specs/${id}/versions`]) {
      const name = path.endsWith("versions") ? {} : { name: "Broken" };
      expect(await ask("POST", path, { ...name, ...broken })).toEqual([422, "job_spec_invalid"]);
      expect(await ask("POST", path, { ...name, ...badSchema })).toEqual([422, "schema_invalid"]);
    }
  });
});

describe("a run", () => {
  const ROWS = 40;
  const newSlowRun = async (): Promise<string> => {
    const dataset = await newDataset(tenant.api, numberedRows(ROWS));
    const spec = await newJobSpec(tenant.api, { type: "mock", delayMs: 60_000 });
    return `/v1/runs/${(await newRun(tenant.api, { datasetId: dataset.id, jobSpecId: spec.id })).id}`;
  };

  test("is paused, resumed, changed and canceled; when it has ended, none of this", async () => {
    const path = await newSlowRun();
    expect(await ask("POST", `${path}/pause`)).toEqual([200]);
    expect((await tenant.api<Run>("GET", path)).body.state).toBe("paused");
    expect(
      await ask("PATCH", path, {
        name: "Renamed",
        priority: 5,
        concurrency: 2,
        failurePolicy: { maxFailedRows: 3 },
        metadata: { a: "b" },
      }),
    ).toEqual([200]);
    expect(await ask("POST", `${path}/resume`)).toEqual([200]);
    expect(await ask("DELETE", path)).toEqual([409, "invalid_state"]);
    expect(await ask("POST", `${path}/cancel`)).toEqual([200]);
    const ended = await finishedRun(tenant.api, path.split("/")[3] ?? "");
    expect(ended).toMatchObject({
      state: "canceled",
      name: "Renamed",
      priority: 5,
      concurrency: 2,
      failurePolicy: { maxFailedRows: 3 },
      rows: { total: ROWS, pending: 0, running: 0 },
    });
    expect(await ask("PATCH", path, { name: "Once more", metadata: {} })).toEqual([200]);
    for (const body of [{ priority: 1 }, { concurrency: 1 }, { failurePolicy: null }])
      expect(await ask("PATCH", path, body)).toEqual([409, "invalid_state"]);
    for (const action of ["pause", "resume"])
      expect(await ask("POST", `${path}/${action}`)).toEqual([409, "invalid_state"]);
    expect(await ask("POST", `${path}/cancel`)).toEqual([200]);
    expect(await ask("DELETE", path)).toEqual([204]);
    expect(await ask("GET", path)).toEqual([404, "not_found"]);
  });

  test("over a dataset or a job spec that cannot be used is not made", async () => {
    const dataset = await newDataset(tenant.api, numberedRows(1));
    const spec = await newJobSpec(tenant.api);
    const body = { datasetId: dataset.id, jobSpecId: spec.id };
    expect(await ask("POST", "/v1/runs", { ...body, scope: { type: "range", from: 1, to: 2 } })).toEqual([
      422,
      "scope_invalid",
    ]);
    expect(await ask("POST", "/v1/runs", { ...body, jobSpecVersion: 2, scope: { type: "all" } })).toEqual([
      404,
      "not_found",
    ]);
    await ask("DELETE", `/v1/job-specs/${spec.id}`);
    expect(await ask("POST", "/v1/runs", { ...body, scope: { type: "all" } })).toEqual([409, "invalid_state"]);
  });
});

describe("a webhook endpoint", () => {
  const create = () =>
    tenant.api("POST", "/v1/webhook-endpoints", { body: { url: receiverUrl, eventTypes: ["run.*"] } });

  test("is changed and deleted, and takes no URL or type that is not allowed", async () => {
    const path = `/v1/webhook-endpoints/${(await create()).body.id}`;
    expect(await ask("PATCH", path, { description: "New", eventTypes: ["*"], enabled: false })).toEqual([200]);
    expect((await tenant.api("GET", path)).body).toMatchObject({
      enabled: false,
      disabledReason: "by_user",
      eventTypes: ["*"],
    });
    expect(await ask("PATCH", path, { url: "http://localhost/" })).toEqual([422, "webhook_url_not_allowed"]);
    expect(await ask("PATCH", path, { eventTypes: ["run.exploded"] })).toEqual([422, "event_type_unknown"]);
    expect(await ask("POST", `${path}/test`, { eventType: "run.exploded" })).toEqual([422, "event_type_unknown"]);
    expect(await ask("DELETE", path)).toEqual([204]);
    expect(await ask("GET", path)).toEqual([404, "not_found"]);
  });

  test("is not made above the limit of the organization", async () => {
    await service.api("PATCH", `/v1/organizations/${tenant.organizationId}`, {
      body: { limits: { webhookEndpoints: 1 } },
    });
    const responses = await Promise.all([create(), create(), create()]);
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(responses.filter(({ text }) => text.includes("limit_reached"))).toHaveLength(2);
  });
});
