import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { pino } from "pino";
import type { CreatedApiKey } from "@rowmill/contract/api-keys";
import { readConfig } from "./config.ts";
import { openDatabase } from "./platform/database/database.ts";
import { createSealer } from "./platform/secrets/sealing.ts";
import { createMetrics } from "./metrics.ts";
import { createReseal, holders } from "./reseal.ts";
import { startService } from "./start-service.ts";
import { expectStatus } from "./testing/api.ts";
import { receiverSettings, startReceiver } from "./testing/receiver.ts";
import { startTestService } from "./testing/service.ts";
import type { TestService } from "./testing/service.ts";
import { waitFor } from "./testing/wait.ts";

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)].map((key) => key.toString("base64")) as [string, string]; // as many
const receiver = await startReceiver();

/** Everything of the database that is sealed, by the fingerprint of its key. */
async function sealedWith(service: TestService): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { table, column } of holders)
    for (const { sealed } of await service.query<{ sealed: string | null }>(
      `select ${column}::text as sealed from ${table}`,
    ))
      for (const [, fingerprint = ""] of sealed?.matchAll(/\bv1\.([0-9a-f]{16})\./g) ?? [])
        counts[fingerprint] = (counts[fingerprint] ?? 0) + 1;
  return counts;
}

const fingerprintOf = (key: string): string => createSealer(Buffer.from(key, "base64")).fingerprint;
const startWith = async (settings: Record<string, string>): Promise<void> => {
  const service = await startService(readConfig(settings), pino({ level: "silent" }), () => undefined);
  await service.stop();
};

test("the key is rotated: all that was sealed opens, is sealed again, and the old key can go", async () => {
  const first = await startTestService({ ...receiverSettings(receiver), ROWMILL_ENCRYPTION_KEY: oldKey });
  const { api, apiKey, organizationId } = await first.newOrganization();
  const keysPath = `/v1/organizations/${organizationId}/api-keys`;
  const connection = { type: "http", name: "C", baseUrl: "https://api.example.com", secret: "a secret of theirs" };
  expectStatus(await api("POST", "/v1/connections", { body: connection }), 201);
  const endpoint = { url: `${receiver.url}/0123456789`, eventTypes: ["*"] };
  const made = await api("POST", "/v1/webhook-endpoints", { body: endpoint });
  expectStatus(await api("POST", `/v1/webhook-endpoints/${made.body.id}/rotate-secret`), 200);
  const destination = { type: "slack", url: `${receiver.url}/abcdefghij` };
  const rule = { name: "R", eventType: "run.failed", destination };
  const { body: madeRule } = await api("POST", "/v1/alert-rules", { body: rule });
  const keyRequest = { body: { name: "K", scopes: ["runs:read"] }, idempotencyKey: "once" };
  const key = await api<CreatedApiKey>("POST", keysPath, keyRequest);
  expectStatus(key, 201);
  const [oldPrint, newPrint] = [fingerprintOf(oldKey), fingerprintOf(newKey)];
  expect(Object.keys(await sealedWith(first))).toEqual([oldPrint]);
  const { ROWMILL_ENCRYPTION_KEY: _old, ...settings } = first.settings;
  await first.stop();

  await expect(startWith({ ...settings, ROWMILL_ENCRYPTION_KEY: newKey })).rejects.toThrow("another encryption key");
  await expect(startWith({ ...settings, ROWMILL_ENCRYPTION_KEYS: newKey })).rejects.toThrow("another encryption key");

  const second = await startTestService({ ...settings, ROWMILL_ENCRYPTION_KEYS: `${newKey},${oldKey}` });
  await waitFor(async () => !Object.hasOwn(await sealedWith(second), oldPrint), { what: "all is sealed again" });
  expect((await sealedWith(second))[newPrint]).toBeGreaterThanOrEqual(6);
  const replayed = await second.api<CreatedApiKey>("POST", keysPath, { key: apiKey, ...keyRequest });
  expect([replayed.text, replayed.headers["idempotent-replayed"]]).toEqual([key.text, "true"]);
  for (const path of [`/v1/webhook-endpoints/${made.body.id}/test`, `/v1/alert-rules/${madeRule.id}/test`])
    expect(
      (await second.api("POST", path, { key: apiKey, body: path.includes("webhook") ? {} : undefined })).body,
    ).toMatchObject({ status: "succeeded" });
  expect(receiver.requests.map(({ path }) => path)).toEqual(["/hook/0123456789", "/hook/abcdefghij"]);
  await second.stop();

  // The pass that finds nothing more reports it; until then both keys are needed.
  const database = openDatabase(settings["ROWMILL_DATABASE_URL"] ?? "", { max: 2, onError: () => undefined });
  const sealer = createSealer(Buffer.from(newKey, "base64"), Buffer.from(oldKey, "base64"));
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const metrics = createMetrics(database);
  await createReseal({ database, sealer, log, metrics })();
  expect(
    await database.db
      .selectFrom("installation")
      .select("value")
      .where("name", "=", "encryption_key_fingerprint")
      .execute(),
  ).toEqual([{ value: newPrint }]);
  await database.close();
  const third = await startTestService({ ...settings, ROWMILL_ENCRYPTION_KEY: newKey });
  expectStatus(await third.api("GET", "/v1/connections", { key: apiKey }), 200);
  await third.stop();
  await expect(startWith({ ...settings, ROWMILL_ENCRYPTION_KEY: oldKey })).rejects.toThrow("another encryption key");
});

test("what is sealed, and what a customer has made look like it, are distinguished; what cannot be opened hinders nobody", async () => {
  const service = await startTestService();
  const { api } = await service.newOrganization();
  const looks = "v1.0123456789abcdef.a.b.c";
  expectStatus(await api("POST", "/v1/job-specs", { body: { name: looks, processor: { type: "mock" } } }), 201);
  const upload = { name: "U", source: { type: "upload", filename: `${looks} https://example.com/` } };
  expectStatus(await api("POST", "/v1/dataset-uploads", { body: upload }), 201);
  const connection = { type: "http", name: "C", baseUrl: "https://api.example.com", secret: "a secret of theirs" };
  for (let n = 0; n < 2; n++) expectStatus(await api("POST", "/v1/connections", { body: connection }), 201);
  await service.query(
    `update connections set secret = 'v1.0123456789abcdef.a.b.c' where id = (select min(id::text)::uuid from connections)`,
  );
  const before = await sealedWith(service);
  const database = openDatabase(service.settings["ROWMILL_DATABASE_URL"] ?? "", { max: 2, onError: () => undefined });
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const key = Buffer.from(service.settings["ROWMILL_ENCRYPTION_KEY"] ?? "", "base64");
  const metrics = createMetrics(database);
  await createReseal({ database, sealer: createSealer(randomBytes(32), key), log, metrics })();
  expect(await metrics.text()).toMatch(/^rowmill_resealed_values_total [1-9].*\n(.*\n)*rowmill_unopened_values 1$/m);
  await database.close();
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { table: "connections", count: 1, msg: "sealed with the first key" },
    { table: "connections", count: 1, msg: "cannot be opened with any of the keys" },
    // The response to the maker of the organization's key.
    { table: "idempotency_keys", count: 1, msg: "sealed with the first key" },
  ]);
  expect(before["0123456789abcdef"]).toBe(3);
  expect((await sealedWith(service))["0123456789abcdef"]).toBe(3);
});

test("no column with sealed values is forgotten", async () => {
  const service = await startTestService({ ROWMILL_SMTP_URL: "smtp://127.0.0.1:9" });
  const { api, organizationId } = await service.newOrganization();
  const invitation = { body: { email: "a@example.com", role: "viewer" } };
  expectStatus(await api("POST", `/v1/organizations/${organizationId}/invitations`, invitation), 201);
  const connection = { type: "http", name: "C", baseUrl: "https://api.example.com", secret: "a secret of theirs" };
  expectStatus(await api("POST", "/v1/connections", { body: connection }), 201);
  const { body: endpoint } = await api("POST", "/v1/webhook-endpoints", {
    body: { url: "https://hooks.example.com/0123456789", eventTypes: ["*"] },
  });
  expectStatus(await api("POST", `/v1/webhook-endpoints/${endpoint.id}/rotate-secret`), 200);
  const destination = { type: "webhook", url: "https://hooks.example.com/0123456789" };
  const { body: rule } = await api("POST", "/v1/alert-rules", {
    body: { name: "R", eventType: "run.failed", destination },
  });
  expectStatus(await api("POST", `/v1/alert-rules/${rule.id}/rotate-secret`), 200);
  const upload = { name: "U", source: { type: "url", url: "https://no-such-name.invalid/rows.csv" } };
  expectStatus(await api("POST", "/v1/dataset-uploads", { body: upload }), 201);

  const columns = await service.query<{ table: string; column: string }>(`
    select case table_schema when 'public' then '' else table_schema || '.' end || table_name as table, column_name as column
    from information_schema.columns where table_schema in ('public', 'pgboss') and data_type in ('text', 'jsonb', 'json', 'character varying')`);
  const sealed = new Set<string>();
  for (const { table, column } of columns) {
    const [found] = await service.query(
      `select 1 from ${table} where "${column}"::text ~ '\\mv1\\.[0-9a-f]{16}\\.[A-Za-z0-9_-]{16}\\.' limit 1`,
    );
    // A partition of the jobs has the mails.
    if (found !== undefined) sealed.add(`${table.replace(/^pgboss\.(?!job$).*/, "pgboss.job")} ${column}`);
  }
  expect([...sealed].toSorted()).toEqual(holders.map(({ table, column }) => `${table} ${column}`).toSorted());
});
