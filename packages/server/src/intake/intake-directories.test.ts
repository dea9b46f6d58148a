import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import type { DatasetUpload } from "@rowmill/contract/dataset-uploads";
import { readConfig } from "../config.ts";
import { openDatabase } from "../platform/database/database.ts";
import { parseId } from "../platform/ids.ts";
import { expectStatus } from "../testing/api.ts";
import { cleanUpLater } from "../testing/cleanup.ts";
import { startTestService } from "../testing/service.ts";
import { makeIntakeDirectory, sweepIntakeDirectories } from "./intake-directories.ts";

test("a directory stays from the first byte of a content until its attempt is over", async () => {
  const service = await startTestService({ ROWMILL_ROLE: "api" });
  const { api, organizationId } = await service.newOrganization();
  const created = await api<DatasetUpload>("POST", "/v1/dataset-uploads", {
    body: { name: "Rows", source: { type: "upload", filename: "rows.jsonl" } },
  });
  expectStatus(created, 201);
  const uploadId = parseId("datasetUpload", created.body.id) ?? "";
  const config = readConfig(service.settings);
  const database = openDatabase(service.settings["ROWMILL_DATABASE_URL"] ?? "", { max: 1, onError: () => {} });
  cleanUpLater(() => database.close());
  const claim = { organizationId: parseId("organization", organizationId) ?? "", uploadId, claimNo: 1 };
  const directory = await makeIntakeDirectory(config.ROWMILL_DATA_DIR, claim);
  const staysWhere = async (state: string, claimNo: number): Promise<boolean> => {
    await service.query("update dataset_uploads set state = $2, claim_no = $3 where id = $1", [
      uploadId,
      state,
      claimNo,
    ]);
    await sweepIntakeDirectories({ config, database });
    return existsSync(directory);
  };
  expect(await staysWhere("awaiting_content", 0)).toBe(true);
  // All of the content has come, and no worker has the job yet.
  expect(await staysWhere("processing", 0)).toBe(true);
  expect(await staysWhere("processing", 1)).toBe(true);
  expect(await staysWhere("processing", 2)).toBe(false);
});
