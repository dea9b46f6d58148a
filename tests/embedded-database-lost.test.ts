/** The embedded database is lost in the middle of work: the service takes it back by itself, and nothing that it acknowledged is gone. */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { expect, test } from "vitest";
import type { DatasetUpload } from "@rowmill/contract/dataset-uploads";
import type { Run } from "@rowmill/contract/runs";
import { findRunningDatabase } from "@rowmill/server/platform/database/embedded/embedded-database";
import { readPostmasterFile } from "@rowmill/server/platform/database/embedded/postmaster-pid";
import { expectStatus } from "@rowmill/server/testing/api";
import type { Api } from "@rowmill/server/testing/api";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "@rowmill/server/testing/factories";
import { startServiceProcess } from "@rowmill/server/testing/service-process";
import { waitFor } from "@rowmill/server/testing/wait";

const ROWS = 400;
/** Of a chunk; the run takes some seconds without a fault. */
const CHUNK_MS = 200;
const BOUND_MS = 240_000;

const pidWhere =
  (condition: string) =>
  async (url: string): Promise<number | undefined> => {
    const client = new Client({ connectionString: url });
    client.on("error", () => undefined);
    await client.connect();
    const { rows } = await client.query<{ pid: number }>(
      `select pid from pg_stat_activity where ${condition} and pid <> pg_backend_pid() limit 1`,
    );
    await client.end();
    return rows[0]?.pid;
  };

async function postmasterPid(_url: string, dataDirectory: string): Promise<number | undefined> {
  const file = await readPostmasterFile(join(dataDirectory, "cluster", "pgdata"));
  return file?.pid;
}

/** What follows from the last kill may not be over when the run has ended: a read that gets a 503 is repeated, as clients do. */
const readWhenServed = <Body extends object>(api: Api, path: string): Promise<Body> =>
  waitFor(
    async () => {
      const response = await api<Body>("GET", path);
      if (response.status === 503) return undefined;
      expectStatus(response, 200);
      return response.body;
    },
    { what: `${path} is served`, timeoutMs: BOUND_MS },
  );

test.each([
  ["a backend of the service", pidWhere("application_name = 'rowmill'")],
  ["the backend that holds the directory", pidWhere("application_name = 'rowmill owner'")],
  ["the postmaster", postmasterPid],
])(
  "kill -9 of %s, twice, during an intake and a run: requests are served or refused with 503, and nothing is lost",
  { timeout: 6 * BOUND_MS },
  async (_whose, findVictim) => {
    // One for each, so that it is lost no more than twice.
    const service = await startServiceProcess({ ROWMILL_CHUNK_ROWS: "20" });
    const dataDirectory = join(service.settings["ROWMILL_DATA_DIR"] ?? "", "postgres");
    const { api } = await service.newOrganization();
    const dataset = await newDataset(api, numberedRows(ROWS));
    const jobSpec = await newJobSpec(api, { type: "mock", delayMs: CHUNK_MS });
    const { id: runId } = await newRun(api, { datasetId: dataset.id, jobSpecId: jobSpec.id });

    const following = new AbortController();
    const responses: { status: number; retryAfter: string | undefined }[] = [];
    const follow = async (): Promise<void> => {
      while (!following.signal.aborted) {
        const { status, headers } = await api("GET", `/v1/runs/${runId}`);
        responses.push({ status, retryAfter: headers["retry-after"] });
        await pause(20);
      }
    };
    const uploads: string[] = [];
    const upload = async (): Promise<void> => {
      for (let n = 0; !following.signal.aborted; n++) {
        // Repeated with its key, as clients do, until it is acknowledged.
        const idempotencyKey = `upload-${runId}-${n}`;
        const body = { name: "Meanwhile", source: { type: "inline", rows: numberedRows(10) } };
        const created = await waitFor(
          async () => {
            const {
              status,
              headers,
              body: made,
            } = await api<DatasetUpload>("POST", "/v1/dataset-uploads", {
              body,
              headers: { "Idempotency-Key": idempotencyKey },
            });
            responses.push({ status, retryAfter: headers["retry-after"] });
            return status === 201 ? made : undefined;
          },
          { what: "an upload is acknowledged", timeoutMs: BOUND_MS },
        );
        uploads.push(created.id);
        await pause(100);
      }
    };
    const work = Promise.all([follow(), upload()]);

    for (let time = 1; time <= 2; time++) {
      const acknowledged = uploads.length;
      const kill = async (): Promise<boolean> => {
        const url = await findRunningDatabase(dataDirectory);
        const victim = url === undefined ? undefined : await findVictim(url, dataDirectory);
        return victim !== undefined && process.kill(victim, "SIGKILL");
      };
      await waitFor(kill, { what: "there is one to kill", timeoutMs: BOUND_MS });
      // It serves again, twice over: what was acknowledged before the next kill was so after this one.
      await waitFor(() => uploads.length >= acknowledged + 2, { what: "it serves again", timeoutMs: BOUND_MS });
    }
    const ended = await finishedRun(api, runId, BOUND_MS);
    following.abort();
    await work;

    expect(ended.rows).toMatchObject({ total: ROWS, succeeded: ROWS, failed: 0 });
    const outputs = await readWhenServed<{ data: { index: number }[] }>(api, `/v1/runs/${runId}/outputs?limit=1000`);
    expect(outputs.data.map(({ index }) => index)).toEqual(numberedRows(ROWS).map(({ n }) => n));
    for (const id of uploads) {
      const { state } = await waitFor(
        async () => {
          const read = await readWhenServed<DatasetUpload>(api, `/v1/dataset-uploads/${id}`);
          return read.finishedAt === null ? undefined : read;
        },
        { what: "the upload ends", timeoutMs: BOUND_MS },
      );
      expect(state).toBe("completed");
    }
    expect(responses.filter(({ status }) => ![200, 201, 409, 503].includes(status))).toEqual([]);
    const refused = responses.filter(({ status }) => status === 503);
    expect(refused.filter(({ retryAfter }) => !(Number(retryAfter) > 0))).toEqual([]);
    // The same process, which has never ended.
    expect(service.logs().filter((line) => line.includes('"msg":"stopping'))).toEqual([]);
    expect((await readWhenServed<Run>(api, `/v1/runs/${runId}`)).state).toBe("succeeded");
    await service.stop();
  },
);
