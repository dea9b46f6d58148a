/** A start that is refused makes no encryption key: a restore would take it for the key of this place, and be refused itself. */
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { cleanUpLater } from "@rowmill/server/testing/cleanup";
import { newDataDirectory, runMain, startServiceProcess } from "@rowmill/server/testing/service-process";
import { createTestDatabase } from "@rowmill/server/testing/test-database";

let databaseUrl: string;
beforeAll(async () => {
  const database = await createTestDatabase();
  cleanUpLater(() => database.drop());
  databaseUrl = database.url;
});

const newSettings = async (): Promise<Record<string, string>> => ({
  ROWMILL_DATA_DIR: await newDataDirectory(),
  ROWMILL_PORT: "0",
  ROWMILL_METRICS_PORT: "off",
});

const hasKey = async (settings: Record<string, string>): Promise<boolean> =>
  (await readdir(settings["ROWMILL_DATA_DIR"] ?? "")).includes("encryption-key");

test("where the database is away", async () => {
  const away = { ROWMILL_DATABASE_URL: "postgres://x:y@127.0.0.1:1/x", ROWMILL_DATABASE_WAIT_SECONDS: "0" };
  const settings = { ...(await newSettings()), ...away };
  expect((await runMain(settings)).code).toBe(1);
  expect(await hasKey(settings)).toBe(false);
});

test("where a restore did not end here", async () => {
  const settings = await newSettings();
  const note = { backup: "0", source: "monday.tar", database: null };
  await writeFile(join(settings["ROWMILL_DATA_DIR"] ?? "", "restore-in-progress.json"), JSON.stringify(note));
  const { code, output } = await runMain(settings);
  expect([code, output]).toEqual([1, expect.stringContaining("a restore of monday.tar did not end here")]);
  expect(await hasKey(settings)).toBe(false);
});

test("where the database was written with another key; the first start on it makes one", async () => {
  const first = { ...(await newSettings()), ROWMILL_DATABASE_URL: databaseUrl };
  const service = await startServiceProcess(first);
  expect(await hasKey(first)).toBe(true);
  await service.stop();
  const second = { ...(await newSettings()), ROWMILL_DATABASE_URL: databaseUrl };
  const { code, output } = await runMain(second);
  expect([code, output]).toEqual([1, expect.stringContaining("was written with another encryption key")]);
  expect(await hasKey(second)).toBe(false);
});
