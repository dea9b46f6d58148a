/** The machine is lost: what a backup of the running service has goes on elsewhere. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Export } from "@rowmill/client";
import { expectStatus } from "@rowmill/server/testing/api";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "@rowmill/server/testing/factories";
import { killEmbeddedDatabase, newDataDirectory, startServiceProcess } from "@rowmill/server/testing/service-process";
import { waitFor } from "@rowmill/server/testing/wait";
import { newPlace, runCommand } from "../testing/command-process.ts";

const ROWS = 60;
const USE_TIMEOUT_MS = 600_000;

test(
  "a backup of a running service becomes a service elsewhere, in which runs go on",
  { timeout: USE_TIMEOUT_MS },
  async () => {
    const service = await startServiceProcess({ ROWMILL_CHUNK_ROWS: "5" });
    const { api, apiKey, organizationId } = await service.newOrganization();
    const dataset = await newDataset(api, numberedRows(ROWS));
    const quick = await newJobSpec(api, { type: "mock" });
    const done = await newRun(api, { datasetId: dataset.id, jobSpecId: quick.id });
    await finishedRun(api, done.id);
    const made = await api<Export>("POST", `/v1/runs/${done.id}/exports`, { body: { type: "outputs", format: "csv" } });
    const exported = await waitFor(async () => {
      const { body } = await api<Export>("GET", `/v1/exports/${made.body.id}`);
      return body.status === "ready" && body;
    });
    const before = (await api("GET", `/v1/exports/${exported.id}/download`)).bytes;
    await api("POST", "/v1/connections", {
      body: { name: "A secret", type: "openai_compatible", baseUrl: "https://models.example.com", secret: "sk-secret" },
    });
    const slow = await newJobSpec(api, { type: "mock", delayMs: 3_000 }, { concurrency: 1 });
    const running = await newRun(api, { datasetId: dataset.id, jobSpecId: slow.id });
    await waitFor(async () => (await api("GET", `/v1/runs/${running.id}/outputs`)).body.data.length > 0, {
      what: "the first rows have results",
    });

    const { ROWMILL_DATA_DIR: dataDirectory = "", ...others } = service.settings;
    const key = readFileSync(join(dataDirectory, "encryption-key"));
    const place = newPlace({ ROWMILL_DATA_DIR: dataDirectory });
    const file = join(place.folder, "backups", "monday.tar");
    const backup = await runCommand(place, "backup", file, "--json");
    expect(backup).toMatchObject({ code: 0, stderr: expect.stringContaining("keep it elsewhere") as string });
    expect(JSON.parse(backup.stdout)).toMatchObject({ objects: 1, missingObjects: [], hasEncryptionKey: false });
    // Its rows take three minutes, one after the other.
    expect((await api("GET", `/v1/runs/${running.id}`)).body["state"]).toBe("running");
    expect(await runCommand(place, "backup", file)).toMatchObject({
      code: 2,
      stderr: `rowmill: ${file} exists.\n  Name a path where nothing is yet.\n`,
    });
    expect(await runCommand(place, "restore", join(place.folder, "absent.tar"))).toMatchObject({
      code: 2,
      stderr: `rowmill: There is nothing at ${join(place.folder, "absent.tar")}.\n  Check the path.\n`,
    });
    writeFileSync(join(place.folder, "other.tar"), "no backup".repeat(100));
    expect(await runCommand(place, "restore", join(place.folder, "other.tar"))).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^rowmill: The file is damaged, .*\n {2}Name another backup\.\n$/) as string,
    });

    service.kill("SIGKILL");
    await service.exited;
    await killEmbeddedDatabase(dataDirectory);
    rmSync(dataDirectory, { recursive: true });

    const elsewhere = join(await newDataDirectory(), "data");
    const there = { ...place, environment: { ...place.environment, ROWMILL_DATA_DIR: elsewhere } };
    expect(await runCommand(there, "restore", file)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /sealed with the encryption key [0-9a-f]{16}, which the backup does not have/,
      ) as string,
    });
    expect(existsSync(elsewhere)).toBe(false);
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, "encryption-key"), key, { mode: 0o600 });
    expect(await runCommand(there, "restore", file)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Restored: \d+ database rows of \d+ tables and 1 file,/) as string,
    });
    expect(await runCommand(there, "restore", file)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("has a database") as string,
    });

    const restored = await startServiceProcess({ ...others, ROWMILL_DATA_DIR: elsewhere });
    const ask: typeof api = (method, path, request) => restored.api(method, path, { key: apiKey, ...request });
    expect((await ask("GET", `/v1/organizations/${organizationId}`)).status).toBe(200);
    expect((await ask("GET", `/v1/exports/${exported.id}/download`)).bytes).toEqual(before);
    expectStatus(await ask("PATCH", `/v1/runs/${running.id}`, { body: { concurrency: ROWS } }), 200);
    const finished = await finishedRun(ask, running.id, 300_000);
    expect(finished).toMatchObject({ state: "succeeded", rows: { total: ROWS, succeeded: ROWS } });
    const outputs = await ask<{ data: { index: number }[] }>("GET", `/v1/runs/${running.id}/outputs?limit=1000`);
    expect(outputs.body.data.map(({ index }) => index)).toEqual(Array.from({ length: ROWS }, (_, n) => n));
    const connections = await ask("GET", "/v1/connections");
    expect(connections.body.data).toMatchObject([{ name: "A secret" }]);
    // Without the service, the database is started for the backup alone.
    await restored.stop();
    expect((await runCommand(there, "backup", join(there.folder, "folder"))).code).toBe(0);
  },
);
