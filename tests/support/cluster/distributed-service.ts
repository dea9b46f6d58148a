/**
 * What a service does whose large tables are distributed: on a Citus cluster, and on one PostgreSQL that says it is one (decision 0025).
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Connection } from "@rowmill/contract/connections";
import type { Export } from "@rowmill/contract/exports";
import type { FailureGroup } from "@rowmill/contract/run-failure-groups";
import type { Failure, Output } from "@rowmill/contract/run-results";
import type { Run } from "@rowmill/contract/runs";
import { addOutcome, noResults } from "@rowmill/server/engine/chunks/chunk-results";
import { commitChunk } from "@rowmill/server/engine/chunks/commit-chunk";
import { statementsOf } from "@rowmill/server/platform/database/database";
import { parseId } from "@rowmill/server/platform/ids";
import { readChunksFrom } from "@rowmill/server/resources/datasets/chunk-store";
import { readSample } from "@rowmill/server/resources/runs/estimate-sample";
import { readFailureMessage } from "@rowmill/server/resources/runs/stored-results/failures";
import { readRowEnds, sampleUsages } from "@rowmill/server/resources/runs/stored-results/samples";
import { largeTableNames } from "@rowmill/server/platform/database/large-tables";
import { expectStatus } from "@rowmill/server/testing/api";
import type { Api } from "@rowmill/server/testing/api";
import { runOn } from "@rowmill/server/testing/citus";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "@rowmill/server/testing/factories";
import { startModelServer } from "@rowmill/server/testing/model-server";
import type { TestOrganization, TestService } from "@rowmill/server/testing/service";
import { uploadFile } from "@rowmill/server/testing/uploads";
import { waitFor } from "@rowmill/server/testing/wait";
import { openOwn, readTaskRole } from "./own-database.ts";

const ROWS = 40;
const FAIL_EVERY = 4;
const FAILED = ROWS / FAIL_EVERY;
const CHUNK_ROWS = 10;

/** `start` starts a service on the database at `urlOf()`. */
export function describeDistributedService(
  urlOf: () => string,
  start: (settings?: Record<string, string>) => Promise<TestService>,
): void {
  describe("a distributed database", () => {
    let service: TestService;
    let tenant: TestOrganization;
    let api: Api;
    let datasetId: string;
    let run: Run;
    const model = startModelServer();
    beforeAll(async () => {
      service = await start({
        ROWMILL_CHUNK_ROWS: String(CHUNK_ROWS),
        ROWMILL_CONNECTION_ALLOWED_ORIGINS: (await model).origin,
      });
      tenant = await service.newOrganization();
      api = tenant.api;
      datasetId = (await newDataset(api, numberedRows(ROWS))).id;
      const jobSpec = await newJobSpec(api, { type: "mock", failEvery: FAIL_EVERY }, { retry: { maxAttempts: 1 } });
      run = await finishedRun(api, (await newRun(api, { datasetId, jobSpecId: jobSpec.id })).id);
    });
    const rowIdsAt = async (...indexes: number[]): Promise<string[]> => {
      const { body } = await api<{ data: { id: string }[] }>("GET", `/v1/datasets/${datasetId}/rows?limit=1000`);
      return indexes.flatMap((index) => body.data[index]?.id ?? []);
    };
    // The next service has the database alone.
    afterAll(() => service.stop());

    test("a file is taken in, and a run records every row once", async () => {
      expect((await uploadFile(api, '{"n":1}\n{"n":2}\n')).state).toBe("completed");
      expect(run).toMatchObject({ state: "partially_succeeded", rows: { succeeded: ROWS - FAILED, failed: FAILED } });
      const outputs = (await api<{ data: Output[] }>("GET", `/v1/runs/${run.id}/outputs?limit=1000`)).body.data;
      const failures = (await api<{ data: Failure[] }>("GET", `/v1/runs/${run.id}/failures?limit=1000`)).body.data;
      expect(new Set([...outputs, ...failures].map(({ index }) => index)).size).toBe(ROWS);
      const groups = (await api<{ data: FailureGroup[] }>("GET", `/v1/runs/${run.id}/failure-groups`)).body.data;
      expect(groups.map(({ count }) => count)).toEqual([FAILED]);
      for (const path of [`runs/${run.id}/map`, `datasets/${datasetId}/column-statistics`])
        expectStatus(await api("GET", `/v1/${path}`), 200);
      for (const [filter, rows] of [
        ["retryable=true", FAILED],
        ["code=provider_overloaded", FAILED],
        ["code=refused", 0],
      ] as const)
        expect((await api<{ data: object[] }>("GET", `/v1/runs/${run.id}/failures?${filter}`)).body.data).toHaveLength(
          rows,
        );
    });

    test.each([
      [{ type: "unfinished" }, FAILED],
      [{ type: "failures" }, FAILED],
      [{ type: "retryable_failures" }, FAILED],
      [{ type: "codes", codes: ["provider_overloaded"] }, FAILED],
      [{ type: "all" }, ROWS],
      [{ type: "rows", rowIds: [] }, 2],
    ] as const)("a retry of %o, and its resolved results", async (chosen, total) => {
      const selection = chosen.type === "rows" ? { ...chosen, rowIds: await rowIdsAt(1, 2) } : chosen;
      const created = await api<Run>("POST", `/v1/runs/${run.id}/retry`, { body: { selection } });
      expectStatus(created, 201);
      expect((await finishedRun(api, created.body.id)).rows.total).toBe(total);
      const path = `/v1/runs/${created.body.id}/resolved-results?limit=1000`;
      const resolved = await api<{ data: { resultState: string }[] }>("GET", path);
      expect(resolved.body.data).toHaveLength(ROWS);
      const failed = await api<{ data: object[] }>("GET", `${path}&resultState=failed`);
      expect(failed.body.data).toEqual(resolved.body.data.filter(({ resultState }) => resultState === "failed"));
    });

    test.each([
      [{ type: "range", from: 5, to: 25 }, 20],
      [{ type: "sample", count: 7, seed: 1 }, 7],
      [{ type: "filter", where: "row.n < 12" }, 12],
    ] as const)("a run over the scope %o", async (scope, total) => {
      const jobSpec = await newJobSpec(api);
      const ended = await finishedRun(api, (await newRun(api, { datasetId, jobSpecId: jobSpec.id, scope })).id);
      expect(ended).toMatchObject({ state: "succeeded", rows: { succeeded: total } });
    });

    test("calls under way when a failure policy ends their run are in its usage", async () => {
      const server = await model;
      const created = await api<Connection>("POST", "/v1/connections", {
        body: { name: "Late", type: "openai_compatible", baseUrl: server.baseUrl },
      });
      expectStatus(created, 201);
      const hasEnded = Promise.withResolvers<object>();
      const before = server.respond;
      const allCalled = Promise.withResolvers<object>();
      let calls = 0;
      server.respond = () => {
        if (++calls === 4) allCalled.resolve({ text: "not json" });
        return calls === 1 ? allCalled.promise : hasEnded.promise;
      };
      const jobSpec = await newJobSpec(
        api,
        {
          type: "llm",
          connection: created.body.id,
          model: "late",
          messages: [{ role: "user", content: "{{row.n}}" }],
          outputSchema: { type: "object" },
          repairAttempts: 0,
        },
        { failurePolicy: { maxFailedRows: 0 } },
      );
      const { id } = await newRun(api, { datasetId, jobSpecId: jobSpec.id, scope: { type: "limit", count: 4 } });
      expect(await finishedRun(api, id)).toMatchObject({ state: "failed", rows: { failed: 1 } });
      hasEnded.resolve({});
      await waitFor(async () => (await api<Run>("GET", `/v1/runs/${id}`)).body.usage.requests === calls);
      const books = await api<{ data: object[] }>("GET", `/v1/usage?groupBy=run&runId=${id}`);
      expect(books.body.data).toMatchObject([{ rows: 1, requests: calls }]);
      server.respond = before;
    });

    test("duplicates are processed once, and a transform and a model with a budget work", async () => {
      const alike = await newDataset(
        api,
        Array.from({ length: ROWS }, (_unused, n) => ({ n: n % 5 })),
      );
      const once = await newJobSpec(api, { type: "mock" }, { dedupe: "exact" });
      const deduped = await finishedRun(api, (await newRun(api, { datasetId: alike.id, jobSpecId: once.id })).id);
      expect([deduped.rows.succeeded, deduped.usage.attempts]).toEqual([ROWS, 5]);
      const code = "export default (row) => ({ twice: row.n * 2 })";
      const transform = await newJobSpec(api, { type: "transform", language: "javascript", code });
      expect((await finishedRun(api, (await newRun(api, { datasetId, jobSpecId: transform.id })).id)).state).toBe(
        "succeeded",
      );
      const prices = { models: { m: { inputUsdPerMillionTokens: "1", outputUsdPerMillionTokens: "1" } } };
      const connection = await api<Connection>("POST", "/v1/connections", {
        body: { name: "Model", type: "openai_compatible", baseUrl: (await model).baseUrl, prices },
      });
      expectStatus(connection, 201);
      const llm = await newJobSpec(api, {
        type: "llm",
        connection: connection.body.id,
        model: "m",
        messages: [{ role: "user", content: "{{row.n}}" }],
        parameters: { maxOutputTokens: 10 },
      });
      const budget = { maxCostUsd: "1" };
      const server = await model;
      const secretIsThere = Promise.withResolvers<object>();
      server.respond = () => secretIsThere.promise;
      const { id } = await newRun(api, { datasetId, jobSpecId: llm.id, budget });
      await waitFor(() => server.underWay() > 0, { what: "the run has calls under way" });
      // Rows that wait for another attempt are woken.
      expectStatus(await api("PATCH", `/v1/connections/${connection.body.id}`, { body: { secret: "sk-test" } }), 200);
      secretIsThere.resolve({});
      server.respond = () => ({});
      const spent = await finishedRun(api, id);
      expect(spent).toMatchObject({ state: "succeeded", usage: { requests: ROWS } });
    });

    test.each(["outputs", "failures", "resolved_results"] as const)("an export of %s", async (type) => {
      const created = await api<Export>("POST", `/v1/runs/${run.id}/exports`, { body: { type, format: "jsonl" } });
      expectStatus(created, 201);
      const ended = await waitFor(async () => {
        const { body } = await api<Export>("GET", `/v1/exports/${created.body.id}`);
        return body.status === "ready" || body.status === "failed" ? body : undefined;
      });
      const rows = { outputs: ROWS - FAILED, failures: FAILED, resolved_results: ROWS }[type];
      expect(ended).toMatchObject({ status: "ready", rowCount: rows });
    });

    test("another organization sees none of it, whatever a statement forgets", async () => {
      const other = await service.newOrganization();
      for (const path of ["", "/outputs", "/rows", "/failures"])
        expect((await other.api("GET", `/v1/runs/${run.id}${path}`)).status).toBe(404);
      const role = await readTaskRole(urlOf());
      const stranger = "00000000-0000-7000-8000-000000000000";
      for (const table of largeTableNames) {
        const rows = await runOn(
          urlOf(),
          "begin",
          `set local role ${role}`,
          "set local citus.propagate_set_commands = 'local'",
          `set local app.organization_id = '${stranger}'`,
          `select count(*)::int as seen from ${table}`,
        );
        expect([table, rows[0]?.["seen"]]).toEqual([table, 0]);
      }
    });

    test("what a run or an estimate looks at is found", async () => {
      const { own, close } = await openOwn(urlOf(), tenant.organizationId);
      const runId = parseId("run", run.id) ?? "";
      const { statements } = own;
      expect(await sampleUsages(statements, runId, ROWS)).toEqual([]);
      expect(await readRowEnds(statements, runId, ROWS)).toHaveLength(ROWS);
      expect(await readFailureMessage(statements, runId, ["provider_overloaded"], 100)).toEqual(expect.any(String));
      const stored = parseId("dataset", datasetId) ?? "";
      const rows = await Array.fromAsync(readSample(own.db, stored, [1, ROWS - 1]));
      expect(rows.map(({ index }) => index)).toEqual([1, ROWS - 1]);
      const chunks = await Array.fromAsync(readChunksFrom(statements, stored, ROWS - 1));
      expect(chunks.flatMap(({ lines }) => lines)).toHaveLength(CHUNK_ROWS);
      await close();
    });

    test("a worker of the service that was taken for dead writes nothing", async () => {
      const { own, close } = await openOwn(urlOf(), tenant.organizationId);
      const paused = await newRun(api, {
        datasetId,
        jobSpecId: (await newJobSpec(api, { type: "mock", delayMs: 60_000 })).id,
      });
      const id = await waitFor(async () => {
        const { body } = await api<Run>("GET", `/v1/runs/${paused.id}`);
        return body.rows.running > 0 ? (parseId("run", body.id) ?? "") : undefined;
      });
      const target = { organizationId: parseId("organization", tenant.organizationId) ?? "", runId: id };
      const [claimed] = await runOn(
        urlOf(),
        `select chunk_no, claim_no, first_row, last_row, last_part from run_chunks where run_id = '${id}' and state = 'running' limit 1`,
      );
      const results = noResults();
      addOutcome(results, {
        index: Number(claimed?.["first_row"]),
        attempts: 1,
        durationMs: 0,
        outcome: { ok: true, output: "1" },
        usage: undefined,
      });
      const chunk = {
        chunkNo: Number(claimed?.["chunk_no"]),
        claimNo: Number(claimed?.["claim_no"]) - 1,
        firstRow: Number(claimed?.["first_row"]),
        lastRow: Number(claimed?.["last_row"]),
        lastPart: Number(claimed?.["last_part"]),
      };
      const commit = await own.transaction((tx) =>
        commitChunk(
          statementsOf(tx),
          { ...target, jobSpecId: target.runId, jobSpecVersion: 1, apiKeyId: null, familyLock: 1n },
          chunk,
          results,
          "done",
        ),
      );
      expect(commit).toBeUndefined();
      const written = await runOn(urlOf(), `select count(*)::int as segments from run_segments where run_id = '${id}'`);
      expect(written[0]?.["segments"]).toBe(0);
      await close();
      expectStatus(await api("POST", `/v1/runs/${paused.id}/cancel`), 200);
    });

    test("a run is canceled, and deleted with its rows", async () => {
      const slow = await newJobSpec(api, { type: "mock", delayMs: 60_000 });
      const { id } = await newRun(api, { datasetId, jobSpecId: slow.id });
      await waitFor(async () => (await api<Run>("GET", `/v1/runs/${id}`)).body.rows.running > 0);
      expectStatus(await api("POST", `/v1/runs/${id}/cancel`), 200);
      expect((await finishedRun(api, id)).state).toBe("canceled");
      expectStatus(await api("DELETE", `/v1/runs/${id}`), 204);
    });
  });
}
