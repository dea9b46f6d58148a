/** What the store took before it went away is worked on when it is back, however long that takes; requests name the part that is away. */
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Dataset } from "@rowmill/contract/datasets";
import type { DatasetUpload } from "@rowmill/contract/dataset-uploads";
import type { Export } from "@rowmill/contract/exports";
import type { Run } from "@rowmill/contract/runs";
import { expectStatus } from "@rowmill/server/testing/api";
import { finishedRun, newJobSpec, newRun } from "@rowmill/server/testing/factories";
import { locationIn, newBucket, slowDown, startFaultyNetwork, storageUrlOf } from "@rowmill/server/testing/s3";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestOrganization, TestService } from "@rowmill/server/testing/service";
import { endedUpload, newUploadSession, putContent } from "@rowmill/server/testing/uploads";
import { waitFor } from "@rowmill/server/testing/wait";

const csv = Buffer.from(`n\n${Array.from({ length: 2_000 }, (_, n) => `${n}\n`).join("")}`);
const bucket = await newBucket();
const [networkOfApi, networkOfWorker] = [await startFaultyNetwork(), await startFaultyNetwork()];

let service: TestService;
let tenant: TestOrganization;
let run: Run;

const urlThrough = ({ endpoint }: { endpoint: string }): string =>
  storageUrlOf(locationIn(bucket, "rowmill/", endpoint));
type Fault = NonNullable<typeof networkOfApi.fault>;
const cut: Fault = (request) => {
  request.destroy();
  return true;
};
const slow: Fault = (_request, response) => slowDown(response);

beforeAll(async () => {
  service = await startTestService({ ROWMILL_ROLE: "api", ROWMILL_STORAGE_URL: urlThrough(networkOfApi) });
  const { ROWMILL_DATA_DIR: _own, ...shared } = service.settings;
  await startTestService({ ...shared, ROWMILL_ROLE: "worker", ROWMILL_STORAGE_URL: urlThrough(networkOfWorker) });
  tenant = await service.newOrganization();
  const upload = await newUploadSession(tenant.api, {}, { filename: "n.csv" });
  await putContent(tenant.api, upload, csv);
  const { datasetId } = await endedUpload(tenant.api, upload.id);
  const dataset = await tenant.api<Dataset>("GET", `/v1/datasets/${datasetId}`);
  const spec = await newJobSpec(tenant.api);
  run = await newRun(tenant.api, { datasetId: dataset.body.id, jobSpecId: spec.id });
  await finishedRun(tenant.api, run.id);
});

interface WaitingJob {
  failures?: number;
  storeWaits?: number;
}

/** The job that waits for the store, in place of the one that has found it away. */
async function waitingJob(queue: string): Promise<WaitingJob> {
  return waitFor(
    async () => {
      const [job, ...others] = await service.query<{ data: WaitingJob }>(
        "select data from pgboss.job where name = $1 and state in ('created', 'retry', 'active')",
        [queue],
      );
      return others.length === 0 && job?.data.storeWaits !== undefined ? job.data : undefined;
    },
    { what: `a job of ${queue} waits for the store` },
  );
}

/** Nobody has the patience for its pause. */
const hurry = (queue: string) =>
  service.query("update pgboss.job set start_after = now() where name = $1 and state in ('created', 'retry')", [queue]);

async function newExport(): Promise<Export> {
  const created = await tenant.api<Export>("POST", `/v1/runs/${run.id}/exports`, {
    body: { type: "outputs", format: "csv" },
  });
  expectStatus(created, 201);
  return created.body;
}

const endedExport = (id: string): Promise<Export> =>
  waitFor(async () => {
    const { body } = await tenant.api<Export>("GET", `/v1/exports/${id}`);
    return body.finishedAt === null ? undefined : body;
  });

describe.each([
  ["closes connections", cut],
  ["only responds SlowDown", slow],
])("a store that %s", (_what, fault) => {
  beforeEach(() => {
    networkOfApi.fault = undefined;
    networkOfWorker.fault = undefined;
  });

  test("is no failure of an intake", async () => {
    networkOfWorker.fault = fault;
    const upload = await newUploadSession(tenant.api, {}, { filename: "n.csv" });
    await putContent(tenant.api, upload, csv);
    expect(await waitingJob("dataset-intake")).toMatchObject({ failures: 0 });
    const waiting = await tenant.api<DatasetUpload>("GET", `/v1/dataset-uploads/${upload.id}`);
    expect(waiting.body.state).toBe("processing");
    networkOfWorker.fault = undefined;
    await hurry("dataset-intake");
    expect(await endedUpload(tenant.api, upload.id)).toMatchObject({ state: "completed", rowsAccepted: 2_000 });
  });

  test("is no failure of an export, and its next attempt comes after the pause", async () => {
    networkOfWorker.fault = fault;
    const made = await newExport();
    await waitingJob("export-lane");
    // Between two attempts: on a busy machine the next one may have begun by now.
    await waitFor(
      async () => {
        const [row] = await service.query<{ status: string; attempts: number }>(
          "select status, attempts from exports where status not in ('ready', 'expired')",
        );
        return row?.status === "queued" && row.attempts === 0;
      },
      { what: "the export waits without an attempt" },
    );
    networkOfWorker.fault = undefined;
    await hurry("export-lane");
    expect(await endedExport(made.id)).toMatchObject({ status: "ready", rowCount: 2_000 });
  });

  test("is what requests name, and not the database", async () => {
    const upload = await newUploadSession(tenant.api, {}, { filename: "n.csv" });
    const { id } = await endedExport((await newExport()).id);
    networkOfApi.fault = fault;
    for (const path of [`/v1/exports/${id}/download`, `/v1/dataset-uploads/${upload.id}/content/resumable`]) {
      const response = await tenant.api("GET", path);
      expect([response.status, response.body.error]).toEqual([
        503,
        expect.objectContaining({
          code: "service_unavailable",
          message: "The store of files cannot be used at the moment.",
        }),
      ]);
      expect(response.headers["retry-after"]).toBeDefined();
    }
    networkOfApi.fault = undefined;
    const [download, offset] = [
      await tenant.api("GET", `/v1/exports/${id}/download`),
      await tenant.api("GET", `/v1/dataset-uploads/${upload.id}/content/resumable`),
    ];
    expect([download.status, offset.status]).toEqual([200, 200]);
  });
});
