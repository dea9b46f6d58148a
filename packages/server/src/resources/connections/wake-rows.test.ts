/** Rows that rest are due when their connection has another secret: after its commit, which waits for none of them. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Connection } from "@rowmill/contract/connections";
import type { Run } from "@rowmill/contract/runs";
import { openDatabase } from "../../platform/database/database.ts";
import type { Database } from "../../platform/database/database.ts";
import { parseId } from "../../platform/ids.ts";
import { runWithoutLanes } from "../../platform/queue/queue-testing.ts";
import { expectStatus } from "../../testing/api.ts";
import type { Api } from "../../testing/api.ts";
import { newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import { WAKE_QUEUE } from "./wake-rows.ts";

/** More than two statements wake. */
const CHUNKS = 2_500;

let service: TestService;
let database: Database;
beforeAll(async () => {
  service = await startTestService();
  database = openDatabase(service.settings["ROWMILL_DATABASE_URL"] ?? "", { max: 1, onError: () => {} });
});
afterAll(() => database.close());

/** A run that is paused, of which all but the first chunk rests for an hour. */
async function startRestingRun(api: Api): Promise<{ connection: Connection; runId: string | undefined }> {
  const connection = await api<Connection>("POST", "/v1/connections", {
    body: { name: "Model", type: "openai_compatible", baseUrl: "https://api.example.com/v1", secret: "sk-old" },
  });
  expectStatus(connection, 201);
  const spec = await newJobSpec(api, {
    type: "llm",
    connection: connection.body.id,
    model: "small",
    messages: [{ role: "user", content: "{{row.n}}" }],
  });
  const dataset = await newDataset(api, numberedRows(1));
  const run = await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id });
  const paused = await api<Run>("POST", `/v1/runs/${run.id}/pause`);
  expectStatus(paused, 200);
  // Its first row may have begun, and a call leaves something at the limiter.
  await runWithoutLanes(service, run.id);
  const runId = parseId("run", run.id);
  await service.query(
    `insert into run_chunks (organization_id, run_id, chunk_no, first_row, last_row, row_count, state, booked, not_before)
     select organization_id, id, n, n, n, 1, 'pending', '{}', now() + interval '1 hour' from runs, generate_series(1, ${CHUNKS}) n where id = $1`,
    [runId],
  );
  return { connection: connection.body, runId };
}

const stateOfSecondWakes = async ({ id }: Connection): Promise<string[]> => {
  const jobs = await service.query<{ state: string }>(
    "select state::text as state from pgboss.job where name = $1 and data->>'connectionId' = $2 and data ? 'isSecond'",
    [WAKE_QUEUE, parseId("connection", id)],
  );
  return jobs.map(({ state }) => state);
};

/** Of those that were added: where the pause comes late, the first row of the run may have been called, and wait for another attempt. */
const countResting = async (runId: string | undefined): Promise<number> =>
  (await service.query("select from run_chunks where run_id = $1 and chunk_no > 0 and not_before > now()", [runId]))
    .length;

test("another secret wakes all rows that rest, and its request does not wait for a chunk that is being written", async () => {
  const { api } = await service.newOrganization();
  const { connection, runId } = await startRestingRun(api);
  expect(await countResting(runId)).toBe(CHUNKS);
  await database.transaction(async (tx) => {
    await tx
      .selectFrom("runChunks")
      .select("chunkNo")
      .where("runId", "=", String(runId))
      .where("chunkNo", "=", CHUNKS)
      .forUpdate()
      .execute();
    const replaced = await api("PATCH", `/v1/connections/${connection.id}`, { body: { secret: "sk-new" } });
    expectStatus(replaced, 200);
  });
  await waitFor(async () => (await countResting(runId)) === 0);
});

test("the same secret and the same address, sent again, wake nothing, and what is known of their limits stays", async () => {
  const { api, organizationId } = await service.newOrganization();
  const { connection } = await startRestingRun(api);
  const id = parseId("connection", connection.id);
  await service.query("insert into limiters (organization_id, connection_id, model) values ($1, $2, 'other')", [
    parseId("organization", organizationId),
    id,
  ]);
  const patch = async (body: object): Promise<[limiters: number, wakes: number]> => {
    expectStatus(await api("PATCH", `/v1/connections/${connection.id}`, { body }), 200);
    const limiters = await service.query("select from limiters where connection_id = $1 and model = 'other'", [id]);
    const wakes = await service.query(
      "select from pgboss.job where name = $1 and data->>'connectionId' = $2 and not data ? 'isSecond'",
      [WAKE_QUEUE, id],
    );
    return [limiters.length, wakes.length];
  };
  expect(await patch({ secret: "sk-old", baseUrl: connection.baseUrl })).toEqual([1, 0]);
  expect(await patch({ secret: "sk-new" })).toEqual([0, 1]);
});

test("rows that are being worked on are woken by each new secret, however soon one follows the other", async () => {
  const { api } = await service.newOrganization();
  const { connection, runId } = await startRestingRun(api);
  await service.query("update run_chunks set state = 'running' where run_id = $1 and chunk_no = 1", [runId]);
  const wakeOf = async (chunkNo: number): Promise<number | undefined> => {
    const [chunk] = await service.query<{ wake: number }>(
      "select extract(epoch from not_before)::float8 as wake from run_chunks where run_id = $1 and chunk_no = $2 and not_before < now()",
      [runId, chunkNo],
    );
    return chunk?.wake;
  };
  const replace = async (secret: string) =>
    expectStatus(await api("PATCH", `/v1/connections/${connection.id}`, { body: { secret } }), 200);
  await replace("sk-second");
  const first = await waitFor(() => wakeOf(1));
  const resting = await waitFor(() => wakeOf(CHUNKS));
  await replace("sk-third");
  await waitFor(async () => (await wakeOf(1)) !== first);
  // Nobody has claimed it since: the lane that does so will have the last secret.
  expect(await wakeOf(CHUNKS)).toBe(resting);
});

test("lanes that were to come later begin at once, and so does one that was leaving its place meanwhile", async () => {
  const { api, organizationId } = await service.newOrganization();
  const { connection, runId } = await startRestingRun(api);
  const stranger = await startRestingRun(api);
  const sendLane = (id: string | undefined): Promise<unknown> =>
    service.query(
      `insert into pgboss.job (name, data, start_after)
       select 'run-lane-waiting', jsonb_build_object('organizationId', organization_id, 'runId', id, 'generation', 0, 'lane', 0), now() + interval '1 hour'
       from runs where id = $1`,
      [id],
    );
  const countLater = async (id: string | undefined): Promise<number> =>
    (
      await service.query(
        "select from pgboss.job where data->>'runId' = $1 and start_after > now() + interval '1 minute'",
        [id],
      )
    ).length;
  await sendLane(runId);
  await sendLane(stranger.runId);
  expectStatus(await api("PATCH", `/v1/connections/${connection.id}`, { body: { secret: "sk-second" } }), 200);
  await waitFor(async () => (await countLater(runId)) === 0);

  // By the service's own worker, with the rights that it has.
  await waitFor(async () => (await stateOfSecondWakes(connection)).join() === "completed");
  await sendLane(runId);
  const ids = [parseId("organization", organizationId), parseId("connection", connection.id)];
  // What came of a call with the old secret reached the limiter after it was forgotten.
  await service.query("insert into limiters (organization_id, connection_id, model) values ($1, $2, 'small')", ids);
  await service.query(
    `insert into pgboss.job (name, data)
     values ($1, jsonb_build_object('organizationId', $2::text, 'connectionId', $3::text, 'isSecond', true))`,
    [WAKE_QUEUE, ...ids],
  );
  await waitFor(async () => (await stateOfSecondWakes(connection)).join() === "completed,completed");
  expect(await service.query("select from limiters where organization_id = $1 and connection_id = $2", ids)).toEqual(
    [],
  );
  expect(await countLater(runId)).toBe(0);
  expect(await countLater(stranger.runId)).toBe(1);
});
