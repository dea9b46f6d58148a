/** How far an export has come, as its reader sees it. */
import { afterAll, expect, test } from "vitest";
import type { Export } from "@rowmill/contract/exports";
import { openDatabase } from "../../platform/database/database.ts";
import { createTasks } from "../../platform/database/tenants.ts";
import { parseId } from "../../platform/ids.ts";
import { startTestService } from "../../testing/service.ts";
import { claimExport, failExport, touchClaim } from "./export-claims.ts";
import { insertRun } from "./exports-testing.ts";

/** Nobody writes exports but the test. */
const service = await startTestService({ ROWMILL_ROLE: "api" });
const database = openDatabase(service.settings["ROWMILL_DATABASE_URL"] ?? "", { max: 2, onError: () => undefined });
afterAll(() => database.close());

test("shows the rows of the file while it is written, and none of a file that does not come", async () => {
  const { api, organizationId } = await service.newOrganization();
  const query = (text: string, values?: unknown[]) => service.query(text, values);
  const run = await insertRun(query, organizationId, { rows: ["{}"], results: [{ index: 0, output: {} }] });
  const created = await api<Export>("POST", `/v1/runs/${run.runId}/exports`, {
    body: { type: "outputs", format: "jsonl" },
  });
  expect(created).toMatchObject({ status: 201, body: { rowCount: null } });
  const own = createTasks(database, undefined).of(parseId("organization", organizationId) ?? "");
  const job = {
    organizationId: parseId("organization", organizationId) ?? "",
    exportId: parseId("export", created.body.id) ?? "",
  };
  const claim = await claimExport(own, job);
  if (claim === undefined) throw new Error("the export could not be claimed");
  const shown = async () => (await api<Export>("GET", `/v1/exports/${created.body.id}`)).body;
  for (const rowCount of [0, 250_000]) {
    expect(await touchClaim(own, claim, { rowCount })).toBe(true);
    expect(await shown()).toMatchObject({ status: "running", rowCount });
  }
  await failExport(own, claim, { code: "internal_error", message: "The file could not be written." });
  expect(await shown()).toMatchObject({ status: "failed", rowCount: null });
});
