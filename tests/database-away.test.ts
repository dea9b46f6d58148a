/** The database goes away and comes back: requests get responses meanwhile, and nobody has to start the service again. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { EmbeddedDatabase } from "@rowmill/server/platform/database/embedded/embedded-database";
import { startEmbeddedDatabase } from "@rowmill/server/platform/database/embedded/embedded-database";
import { cleanUpLater } from "@rowmill/server/testing/cleanup";
import type { TestOrganization, TestService } from "@rowmill/server/testing/service";
import { startTestService } from "@rowmill/server/testing/service";
import { waitFor } from "@rowmill/server/testing/wait";

/** Above the time for which a request waits for a connection, also on a busy machine; the patience of a client is as long. */
const RESPONSE_MS = 60_000;

let folder: string;
let database: EmbeddedDatabase;
let service: TestService;
let tenant: TestOrganization;
const start = () => startEmbeddedDatabase({ dataDirectory: folder });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rowmill-away-"));
  cleanUpLater(() => rm(folder, { recursive: true, force: true }));
  database = await start();
  cleanUpLater(() => database.stop());
  service = await startTestService({ ROWMILL_DATABASE_URL: database.connectionString });
  tenant = await service.newOrganization();
});

test("requests get a 503 with Retry-After while it is away, and are served when it is back", async () => {
  expect((await tenant.api("GET", "/v1/datasets")).status).toBe(200);
  await database.stop();
  for (const ask of [
    () => tenant.api("GET", "/v1/datasets"),
    () => tenant.api("POST", "/v1/job-specs", { body: { name: "x", processor: { type: "mock" } } }),
  ]) {
    const startedAt = Date.now();
    const response = await ask();
    expect([response.status, response.body.error.code]).toEqual([503, "service_unavailable"]);
    expect(Number(response.headers["retry-after"])).toBeGreaterThan(0);
    expect(response.text).not.toMatch(/ECONN|127\.0\.0\.1:\d+ |postgres/);
    expect(Date.now() - startedAt).toBeLessThan(RESPONSE_MS);
  }
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  expect((await fetch(`${service.url}/readyz`)).status).toBe(503);
  expect((await fetch(`${service.url}/v1/error-codes`)).status).toBe(200);

  database = await start();
  expect(database.connectionString).toBe(service.settings["ROWMILL_DATABASE_URL"]);
  await waitFor(async () => (await tenant.api("GET", "/v1/datasets")).status === 200, { what: "it is served again" });
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
});

test("the queue says once that it was away and once that it is back, however often it has looked meanwhile", async () => {
  const said = () =>
    service
      .logs()
      .map((line) => JSON.parse(line) as { level: number; msg: string; errors?: number })
      // At the first start on a database, rights are set on the tables of the queue while it looks at them.
      .filter(({ msg }) => /queue/.test(msg) && !msg.startsWith("a statement of the queue met another one"));
  const back = await waitFor(() => said().find(({ errors }) => errors !== undefined), {
    what: "it is said to be back",
  });
  expect(back.errors).toBeGreaterThan(1);
  expect(said().map(({ msg }) => msg)).toEqual([
    expect.stringMatching(/^the queue's database is away/),
    "the queue's database is back",
  ]);
});
