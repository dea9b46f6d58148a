/** A lane whose worker was lost and which finds no free place: another one leaves its own. */
import { expect, test } from "vitest";
import { parseId } from "../../platform/ids.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startHttpService } from "../../testing/http-service.ts";
import { startTestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";

/** Together they take longer than the test waits: where nobody wants its place, a turn of such a lane has an hour. */
const ROWS = 2_000;
const CALL_MS = 200;

test("a lane whose rows wait for others ends its turn early for one that was lost and waits for a place", async () => {
  const http = await startHttpService();
  http.respond((_request, response) => void setTimeout(() => response.end("1"), CALL_MS));
  const service = await startTestService({ ROWMILL_CONNECTION_ALLOWED_ORIGINS: http.origin, ROWMILL_ROLE: "api" });
  const { api } = await service.newOrganization();
  const jobSpec = await newJobSpec(api, { type: "http", method: "GET", url: `${http.origin}/{{ row.n }}` });
  const start = async (rows: number): Promise<{ shownId: string; id: string }> => {
    const dataset = await newDataset(api, numberedRows(rows));
    const { id } = await newRun(api, { datasetId: dataset.id, jobSpecId: jobSpec.id, concurrency: 1 });
    return { shownId: id, id: parseId("run", id) ?? "" };
  };
  const [going, lost] = [await start(ROWS), await start(1)];
  // A blocked job is given to nobody: it waits beside a free place, and no other lane wants that of the first one.
  await service.query(
    `update pgboss.job set state = 'active', started_on = now(), heartbeat_on = now() - interval '1 minute',
       heartbeat_seconds = 3600, blocked = true
     where data->>'runId' = $1`,
    [lost.id],
  );
  await startTestService({ ...service.settings, ROWMILL_ROLE: "worker", ROWMILL_WAITING_LANES: "2" });
  const ended = "select 1 from pgboss.job where data->>'runId' = $1 and state = 'completed'";
  await waitFor(async () => (await service.query(ended, [going.id])).length > 0, { what: "a turn has ended" });
  expect(http.requests.length).toBeLessThan(ROWS);

  await service.query("update pgboss.job set blocked = false where data->>'runId' = $1", [lost.id]);
  expect(await finishedRun(api, lost.shownId)).toMatchObject({ state: "succeeded" });
  expect((await api("POST", `/v1/runs/${going.shownId}/cancel`)).status).toBe(200);
  expect(await finishedRun(api, going.shownId)).toMatchObject({ state: "canceled" });
});
