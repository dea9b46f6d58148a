/** The encryption key is lost for good: what `docs/disaster.md` says about it. */
import { randomBytes } from "node:crypto";
import type { ServiceHealth } from "@rowmill/contract/service";
import { expect, test } from "vitest";
import { expectStatus } from "@rowmill/server/testing/api";
import { receiverSettings, startReceiver } from "@rowmill/server/testing/receiver";
import { startTestService } from "@rowmill/server/testing/service";
import { newEndpoint } from "@rowmill/server/testing/webhooks";

test("the service starts with a new key, and secrets that are set again work", async () => {
  const receiver = await startReceiver();
  const service = await startTestService(receiverSettings(receiver));
  const tenant = await service.newOrganization();
  const endpoint = await newEndpoint(tenant.api, receiver.url);
  const body = { name: "A", type: "http", baseUrl: "https://models.example.com", secret: "before" };
  const connection = await tenant.api("POST", "/v1/connections", { body });
  expectStatus(connection, 201);
  await service.stop();

  const settings = { ...service.settings, ROWMILL_ENCRYPTION_KEY: randomBytes(32).toString("base64") };
  await expect(startTestService(settings)).rejects.toThrow("this database was written with another encryption key");
  await service.query("delete from installation where name = 'encryption_key_fingerprint'");
  const restarted = await startTestService(settings);
  const api: typeof tenant.api = (method, path, request) =>
    restarted.api(method, path, { key: tenant.apiKey, ...request });

  expectStatus(await api("PATCH", `/v1/connections/${connection.body.id}`, { body: { secret: "after" } }), 200);
  expectStatus(await api("DELETE", `/v1/webhook-endpoints/${endpoint.id}`), 204);
  const made = await newEndpoint(api, receiver.url);
  const tried = await api("POST", `/v1/webhook-endpoints/${made.id}/test`, { body: {} });
  expect(tried.body).toMatchObject({ status: "succeeded" });

  // Another process of the same installation has begun to seal with a key that this one does not have.
  await service.query(
    "update installation set value = '0123456789abcdef,' || value where name = 'encryption_key_fingerprint'",
  );
  const { body: health } = await restarted.api<ServiceHealth>("GET", "/v1/service/health");
  expect(health).toMatchObject({ isHealthy: false });
  expect(health.checks.find(({ name }) => name === "encryption_key")).toMatchObject({
    ok: false,
    message: expect.stringContaining("(0123456789abcdef): add it to ROWMILL_ENCRYPTION_KEYS") as string,
  });
  // Nobody has asked before.
  const ready = await fetch(`${restarted.url}/readyz`);
  expect([ready.status, await ready.json()]).toMatchObject([200, { encryptionKey: "unavailable" }]);
});
