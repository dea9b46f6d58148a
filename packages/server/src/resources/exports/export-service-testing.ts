/** Exports of a run whose results are known. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Export } from "@rowmill/contract/exports";
import { expectStatus } from "../../testing/api.ts";
import type { ApiResponse } from "../../testing/api.ts";
import { startTestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import { insertRun } from "./exports-testing.ts";
import type { InsertedRun, Query } from "./exports-testing.ts";

export const rows = Array.from(
  { length: 1_203 },
  (_, n) => `{"n":${n},"city":"Ulm ${n}","exact":1.${"0".repeat(1 + (n % 5))}}`,
);

export const outputIndexes = rows.map((_, index) => index).filter((index) => index % 100 !== 99);

/** A service with one ended run over these rows, and its exports. */
export async function startExportService() {
  const service = await startTestService();
  const owner = await service.newOrganization();
  const query: Query = (text, values) => service.query(text, values);
  const run = await insertRun(query, owner.organizationId, {
    rows,
    results: rows.map((_, index) =>
      index % 100 === 99
        ? { index, failure: { code: "provider_overloaded", message: "busy", details: { status: 503 } } }
        : { index, output: { label: `=${index}`, tags: [index] } },
    ),
  });

  async function createExport(
    body: Record<string, unknown>,
    from: Pick<InsertedRun, "runId"> = run,
    of = owner,
  ): Promise<Export> {
    const created = await of.api<Export>("POST", `/v1/runs/${from.runId}/exports`, { body });
    expectStatus(created, 201);
    expect(created.headers["location"]).toBe(`/v1/exports/${created.body.id}`);
    expect(created.body).toMatchObject({ status: "queued", rowCount: null, downloadUrl: null, expiresAt: null });
    return created.body;
  }

  async function endedExport(id: string, of = owner): Promise<Export> {
    return waitFor(
      async () => {
        const { body } = await of.api<Export>("GET", `/v1/exports/${id}`);
        return body.finishedAt === null ? undefined : body;
      },
      { what: `the export ${id} has ended`, timeoutMs: 240_000 },
    );
  }

  async function readyExport(body: Record<string, unknown>, from: Pick<InsertedRun, "runId"> = run): Promise<Export> {
    const ended = await endedExport((await createExport(body, from)).id);
    expect(ended).toMatchObject({ status: "ready", error: null });
    return ended;
  }

  const download = (id: string, headers: Record<string, string> = {}, method = "GET"): Promise<ApiResponse<unknown>> =>
    owner.api(method, `/v1/exports/${id}/download`, { headers });

  const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

  /** Files in the store below the exports of one organization. */
  function filesOf(exportId: string, of = owner): string[] {
    const folder = join(service.settings["ROWMILL_DATA_DIR"] ?? "", "files", "exports", of.organizationId, exportId);
    return existsSync(folder) ? readdirSync(folder) : [];
  }
  return { service, owner, run, query, createExport, endedExport, readyExport, download, sha256, filesOf };
}
