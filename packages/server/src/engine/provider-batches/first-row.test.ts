/** The row that is sent in real time before the first file. */
import { expect, test } from "vitest";
import type { Output } from "@rowmill/contract/run-results";
import { finishedRun } from "../../testing/factories.ts";
import { readAll } from "../../resources/runs/runs-testing.ts";
import { newBatchRun } from "./batches-testing.ts";
import { startBatchService } from "./batch-service-testing.ts";

const styles = ["openai", "anthropic"] as const;

const { service, provider } = await startBatchService();
const { api } = await service.newOrganization();

test.each(styles)(
  "a run in the style of %s counts what its first row has called for in real time, also where it is tried again with the others",
  async (style) => {
    let inRealTime = 0;
    provider.intercept = ({ path }) =>
      /\/(chat\/completions|messages)$/.test(path) && ++inRealTime === 1
        ? { status: 200, body: { choices: "none" } }
        : undefined;
    const { run } = await newBatchRun(api, provider, { rows: 10, style });
    const ended = await finishedRun(api, run.id);
    expect(ended).toMatchObject({ rows: { succeeded: 10 }, usage: { requests: 11, attempts: 11 } });
    const outputs = await readAll<Output>(api, `/v1/runs/${run.id}/outputs`);
    // Nobody knows what the response cost that could not be read.
    const calls = [{ code: "provider_error", costAssumed: true }, { inputTokens: 10 }];
    expect(outputs[0]).toMatchObject({ index: 0, attempts: 2, usage: { requests: 2, calls } });
    const books = await api<{ data: object[] }>("GET", `/v1/usage?groupBy=run&runId=${run.id}`);
    expect(books.body.data).toMatchObject([{ requests: 11, costUsd: ended.usage.costUsd }]);
  },
);
