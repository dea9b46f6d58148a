/** What a provider says of a secret ends with it: a connection whose secret is replaced goes on at once. */
import { beforeAll, expect, test } from "vitest";
import type { Connection } from "@rowmill/contract/connections";
import { expectStatus } from "../../testing/api.ts";
import type { Api } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startModelServer } from "../../testing/model-server.ts";
import type { ModelServer } from "../../testing/model-server.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";

const ROWS = 6;
/** Longer than any test waits. */
const RETRY_AFTER = { "retry-after": "800" };

let service: TestService;
let model: ModelServer;
beforeAll(async () => {
  model = await startModelServer();
  service = await startTestService({ ROWMILL_CONNECTION_ALLOWED_ORIGINS: model.origin });
});

async function newConnection(api: Api): Promise<Connection> {
  const created = await api<Connection>("POST", "/v1/connections", {
    body: { name: "Model", type: "openai_compatible", baseUrl: model.baseUrl, secret: "sk-old" },
  });
  expectStatus(created, 201);
  return created.body;
}

test("a new secret does not wait for the pause of the old one: not in the line of the limiter, and not for `Retry-After`", async () => {
  model.respond = ({ headers }) =>
    headers.authorization === "Bearer sk-new"
      ? {}
      : { status: 429, headers: RETRY_AFTER, body: { error: { message: "Too many requests" } } };
  const { api } = await service.newOrganization();
  const connection = await newConnection(api);
  const spec = await newJobSpec(api, {
    type: "llm",
    connection: connection.id,
    model: "small",
    messages: [{ role: "user", content: "{{row.n}}" }],
  });
  const dataset = await newDataset(api, numberedRows(ROWS));
  const runs = [
    // One row at a time: the others wait in the line. All at once: they wait for their next attempt.
    await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id, concurrency: 1 }),
    await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id }),
  ];
  await waitFor(async () => {
    const { body } = await api<{ models: { pausedSeconds: number }[] }>(
      "GET",
      `/v1/connections/${connection.id}/limits`,
    );
    return (body.models[0]?.pausedSeconds ?? 0) > 60;
  });
  const replaced = await api("PATCH", `/v1/connections/${connection.id}`, { body: { secret: "sk-new" } });
  expectStatus(replaced, 200);
  for (const { id } of runs)
    expect(await finishedRun(api, id, 180_000)).toMatchObject({ state: "succeeded", rows: { succeeded: ROWS } });
});
