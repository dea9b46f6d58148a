import { beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../../config.ts";
import { createLog } from "../../platform/log.ts";
import { startService } from "../../start-service.ts";
import type { Service } from "../../start-service.ts";
import { cleanUpLater } from "../../testing/cleanup.ts";
import { createApi } from "../../testing/api.ts";
import { newDataDirectory } from "../../testing/service-process.ts";
import { startTestService } from "../../testing/service.ts";
import { createMigratedDatabase } from "../../testing/test-database.ts";

describe("without a setting", () => {
  let settings: Record<string, string>;
  let first: Service;
  beforeAll(async () => {
    const service = await startTestService();
    const { ROWMILL_ADMIN_KEY: _own, ...rest } = service.settings;
    // Where no start has had a key before.
    const database = await createMigratedDatabase();
    cleanUpLater(() => database.drop());
    settings = { ...rest, ROWMILL_DATABASE_URL: database.url, ROWMILL_DATA_DIR: await newDataDirectory() };
    first = await start();
  });

  async function start(): Promise<Service> {
    const service = await startService(readConfig(settings), createLog("silent"), (error) => {
      throw error;
    });
    cleanUpLater(() => service.stop());
    return service;
  }
  const statusWith = async (url: string, key: string) =>
    (await createApi(url, key, String)("GET", "/v1/organizations")).status;

  test("the first start makes the key and shows it; later ones know it and show nothing", async () => {
    expect(first.madeAdminKey).toMatch(/^rma_[0-9A-Za-z]{38}$/);
    const second = await start();
    expect(second.madeAdminKey).toBeUndefined();
    const key = first.madeAdminKey ?? "";
    expect(await statusWith(first.url, key)).toBe(200);
    expect(await statusWith(second.url, key)).toBe(200);
    expect(await statusWith(second.url, `${key.slice(0, -1)}${key.endsWith("x") ? "y" : "x"}`)).toBe(401);
  });
});

test("the setting is the key: another one, such as that of another process, is unknown", async () => {
  const service = await startTestService();
  expect((await service.api("GET", "/v1/me")).body["kind"]).toBe("admin");
  const response = await service.api("GET", "/v1/me", { key: `${service.adminKey}0` });
  expect(response.body.error.code).toBe("invalid_api_key");
  expect(service.logs().join("")).not.toContain(service.adminKey);
});
