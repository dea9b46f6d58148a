/** Runs whose rows go in batches to a provider of the test file. */
import { expect } from "vitest";
import type { Output } from "@rowmill/contract/run-results";
import type { Run } from "@rowmill/contract/runs";
import { parseId } from "../../platform/ids.ts";
import type { Api } from "../../testing/api.ts";
import { startBatchProvider } from "../../testing/batch-provider.ts";
import { startTestService } from "../../testing/service.ts";
import { expectCountsToAddUp, readAll } from "../../resources/runs/runs-testing.ts";

/** Providers here end a batch at the first look. */
const POLL_SECONDS = 0.1;

/** A service and a provider with batches, and the origins of others; what the tests of a file look at. */
export async function startBatchService(otherOrigins: readonly string[] = []) {
  const provider = await startBatchProvider();
  const service = await startTestService(
    {
      ROWMILL_CHUNK_ROWS: "20",
      ROWMILL_CONNECTION_ALLOWED_ORIGINS: [provider.origin, ...otherOrigins].join(","),
    },
    { batchPollSeconds: POLL_SECONDS },
  );
  function expectNothingPaidTwice(): void {
    const { inBatches, inRealTime } = provider.paid;
    const twice = [...inBatches, ...inRealTime].filter(
      ([prompt, times]) => times > 1 || (inBatches.has(prompt) && inRealTime.has(prompt)),
    );
    expect(twice).toEqual([]);
  }

  const batchesOf = (run: Run) =>
    service.query<{ state: string; requests: number; reserved_usd: string; error: { code: string } | null }>(
      `select state, requests, reserved_usd, error from provider_batches
      where run_id = $1 order by created_at`,
      [uuidOf(run)],
    );
  const uuidOf = (run: Run): string => parseId("run", run.id) ?? "";
  return { service, provider, expectNothingPaidTwice, batchesOf, uuidOf };
}

/** Every row has its own completion, and none was paid twice. */
export async function expectOwnOutputs(api: Api, run: Run, count: number): Promise<Output[]> {
  expect(run.rows).toMatchObject({ total: count, succeeded: count });
  expectCountsToAddUp(run);
  const outputs = await readAll<Output>(api, `/v1/runs/${run.id}/outputs`);
  expect(outputs.filter(({ index, data }) => (data as { text: string }).text !== String(index))).toEqual([]);
  expect(outputs).toHaveLength(count);
  return outputs;
}
