import { describe, expect, test } from "vitest";
import { RowmillTimeoutError, isTerminal } from "./index.ts";
import { failure, json, startService } from "./testing/service.ts";

const waitSeconds = ({ url }: { url: URL }): string | null => url.searchParams.get("waitSeconds");

describe("waiting for a run", () => {
  test("reads until it has ended, and reports every reading", async () => {
    const states = ["queued", "running", "paused", "canceling", "partially_succeeded"];
    const service = await startService((response, _, number) =>
      json(response, 200, { id: "run_1", state: states[number] }),
    );
    const seen: string[] = [];
    const run = await service.client().runs.waitFor("run_1", { onProgress: ({ state }) => seen.push(state) });
    expect(run.state).toBe("partially_succeeded");
    expect(seen).toEqual(states);
    expect(service.received.map(waitSeconds)).toEqual(["1", "1", "1", "1", "1"]);
  });

  test.each([
    [undefined, "20"],
    [5, "5"],
    [100, "30"],
    [0.2, null],
  ])("with pollSeconds %j lets the service wait %j seconds", async (pollSeconds, expected) => {
    const service = await startService((response) => json(response, 200, { id: "run_1", state: "succeeded" }));
    await service.client().runs.waitFor("run_1", { pollSeconds });
    expect(service.received.map(waitSeconds)).toEqual([expected]);
  });

  test("does not ask in a tight loop when the service responds at once", async () => {
    const service = await startService((response, _, number) =>
      json(response, 200, { id: "run_1", state: number < 20 ? "running" : "failed" }),
    );
    await service.client().runs.waitFor("run_1", { pollSeconds: 2 });
    expect(service.waits).toHaveLength(20);
    // They grow to two seconds, less the time of a response, which a busy machine makes long now and then.
    expect(Math.max(...service.waits)).toBeGreaterThan(1500);
  });

  test("outlives a service that is away for longer than a single request is tried", async () => {
    const service = await startService((response, _, number) => {
      if (number < 10) failure(response, 503, "service_unavailable");
      else json(response, 200, { id: "run_1", state: "succeeded" });
    });
    expect(await service.client().runs.waitFor("run_1")).toMatchObject({ state: "succeeded" });
  });

  test("ends with a timeout, even while the service holds the response back", async () => {
    const service = await startService(() => undefined);
    const waiting = service.client().runs.waitFor("run_1", { timeoutMs: 40 });
    await expect(waiting).rejects.toBeInstanceOf(RowmillTimeoutError);
    await expect(waiting).rejects.toThrow("run run_1 did not end within 40 ms");
  });

  test("ends at a signal", async () => {
    const controller = new AbortController();
    const service = await startService(() => controller.abort(new Error("enough")));
    await expect(service.client().runs.waitFor("run_1", { signal: controller.signal })).rejects.toThrow("enough");
  });

  test("outlives a service that is away for a minute", async () => {
    const service = await startService((response, _, number) => {
      if (number < 24) response.destroy();
      else json(response, 200, { id: "run_1", state: "succeeded" });
    });
    expect(await service.client().runs.waitFor("run_1")).toMatchObject({ state: "succeeded" });
    expect(service.waits).toHaveLength(24);
  });

  test("knows which states are ends", () => {
    expect(isTerminal({ state: "expired" })).toBe(true);
    expect(isTerminal({ state: "paused" })).toBe(false);
  });
});

describe("waiting for an upload", () => {
  test("lets each request wait in the service", async () => {
    const states = ["awaiting_content", "processing", "completed"];
    const service = await startService((response, _, number) =>
      json(response, 200, { id: "upl_1", state: states[number] }),
    );
    expect(await service.client().datasetUploads.waitFor("upl_1")).toMatchObject({ state: "completed" });
    expect(service.received.map(waitSeconds)).toEqual(["1", "1", "1"]);
    expect(service.waits).toHaveLength(2);
  });

  test("reads in the old way where the service is of a version in which requests cannot wait", async () => {
    const states = ["processing", "processing", "failed"];
    const service = await startService((response, { url }, number) => {
      if (url.searchParams.has("waitSeconds"))
        json(response, 400, { error: { code: "invalid_parameter", param: "waitSeconds", message: "It takes none." } });
      else json(response, 200, { id: "upl_1", state: states[number - 1] });
    });
    expect(await service.client().datasetUploads.waitFor("upl_1")).toMatchObject({ state: "failed" });
    expect(service.received.map(waitSeconds)).toEqual(["1", null, null, null]);
  });

  test("passes any other refusal on", async () => {
    const service = await startService((response) =>
      json(response, 400, { error: { code: "invalid_parameter", param: "datasetUploadId", message: "No id." } }),
    );
    await expect(service.client().datasetUploads.waitFor("upl_1")).rejects.toMatchObject({ param: "datasetUploadId" });
    expect(service.received).toHaveLength(1);
  });
});

test.each([
  ["ready", 3],
  ["failed", 1],
])("waiting for an export ends when it is %s", async (status, readings) => {
  const service = await startService((response, _, number) =>
    json(response, 200, { id: "exp_1", status: number + 1 < readings ? "running" : status }),
  );
  expect(await service.client().exports.waitFor("exp_1")).toMatchObject({ status });
  expect(service.received.map(waitSeconds)).toEqual(Array.from({ length: readings }, () => "1"));
});

test("waiting for a bulk action ends when it has finished", async () => {
  const service = await startService((response, _, number) =>
    json(response, 200, { id: "bulk_1", finishedAt: number < 2 ? null : "2026-11-27T09:00:00.000Z" }),
  );
  const { finishedAt } = await service.client().bulkActions.waitFor("bulk_1");
  expect(finishedAt).not.toBeNull();
  expect(service.received.map(waitSeconds)).toEqual(["1", "1", "1"]);
});
