/** The signing secret of an endpoint: its rotation, and what each request has of it. */
import { describe, expect, test } from "vitest";
import type { WebhookEndpointWithSecret } from "@rowmill/contract/webhook-endpoints";
import { parseId } from "../../platform/ids.ts";
import { expectStatus } from "../../testing/api.ts";
import { deliveryWith, newEndpoint, recordTestEvent, verify } from "../../testing/webhooks.ts";
import { PATH, startEndpointService } from "./endpoints-testing.ts";

const { service, receiver, organization } = await startEndpointService();

describe("the signing secret", () => {
  test("signs at once after a rotation, and the old one is in the list of signatures for a day", async () => {
    const { api, organizationId } = await service.newOrganization();
    const endpoint = await newEndpoint(api, `${receiver.url}/rotation`);
    const secrets = [endpoint.signingSecret];
    for (let i = 0; i < 2; i += 1) {
      const rotated = await api<WebhookEndpointWithSecret>("POST", `${PATH}/${endpoint.id}/rotate-secret`);
      expectStatus(rotated, 200);
      secrets.unshift(rotated.body.signingSecret);
    }
    expect(new Set(secrets).size).toBe(3);
    const eventId = await recordTestEvent(service, { organizationId });
    await deliveryWith(api, endpoint.id, eventId, "succeeded");
    const [request] = receiver.requests.filter(({ headers }) => headers["webhook-id"] === eventId);
    expect(request!.headers["service-webhook-signature"]).toMatch(/^v1=[0-9a-f]{64}$/);
    expect(request!.headers["webhook-signature"]!.split(" ")).toHaveLength(3);
    await verify(request!, secrets[0]!);
    // An older secret verifies by the list alone: our own header stays single-valued.
    for (const old of secrets.slice(1)) await expect(verify(request!, old)).rejects.toThrow(/signature/);

    // A day later the first one is gone.
    await service.query(
      `update webhook_endpoints set previous_secrets = jsonb_set(previous_secrets, '{1,expiresAt}', '"2026-01-01T00:00:00.000Z"') where id = $1`,
      [parseId("webhookEndpoint", endpoint.id)],
    );
    const later = await recordTestEvent(service, { organizationId });
    await deliveryWith(api, endpoint.id, later, "succeeded");
    const [laterRequest] = receiver.requests.filter(({ headers }) => headers["webhook-id"] === later);
    expect(laterRequest!.headers["webhook-signature"]!.split(" ")).toHaveLength(2);
  });

  test("is kept at most five times back", async () => {
    const { api } = organization;
    const endpoint = await newEndpoint(api, "https://hooks.example.com/");
    for (let i = 0; i < 7; i += 1) await api("POST", `${PATH}/${endpoint.id}/rotate-secret`);
    const [row] = await service.query(
      "select jsonb_array_length(previous_secrets) as n from webhook_endpoints where id = $1",
      [parseId("webhookEndpoint", endpoint.id)],
    );
    expect(row).toEqual({ n: 5 });
    await api("DELETE", `${PATH}/${endpoint.id}`);
  });

  test("of a repeated create or rotation is the first one's", async () => {
    const { api } = organization;
    const body = { url: "https://hooks.example.com/", eventTypes: ["*"] };
    const [first, second] = [
      await api<WebhookEndpointWithSecret>("POST", PATH, { body, idempotencyKey: "same-create" }),
      await api<WebhookEndpointWithSecret>("POST", PATH, { body, idempotencyKey: "same-create" }),
    ];
    expect(second.body).toEqual(first.body);
    expect(second.headers["idempotent-replayed"]).toBe("true");
    const path = `${PATH}/${first.body.id}/rotate-secret`;
    const rotated = await api<WebhookEndpointWithSecret>("POST", path, { idempotencyKey: "same-rotation" });
    const again = await api<WebhookEndpointWithSecret>("POST", path, { idempotencyKey: "same-rotation" });
    expect(again.body.signingSecret).toBe(rotated.body.signingSecret);
    expect(again.body.signingSecret).not.toBe(first.body.signingSecret);
    await api("DELETE", `${PATH}/${first.body.id}`);
  });

  test("appears nowhere but in the responses of create and rotate", async () => {
    const { api, organizationId } = await service.newOrganization();
    receiver.respond(({ path }) => (path.endsWith("/broken") ? { status: 500, body: "oh" } : { status: 200 }));
    const well = await newEndpoint(api, `${receiver.url}/0123456789-secret-path`);
    const broken = await newEndpoint(api, `${receiver.url}/broken`);
    const rotated = await api<WebhookEndpointWithSecret>("POST", `${PATH}/${well.id}/rotate-secret`);
    const eventId = await recordTestEvent(service, { organizationId });
    const delivery = await deliveryWith(api, well.id, eventId, "succeeded");
    await deliveryWith(api, broken.id, eventId, "pending");
    const responses = [
      await api("GET", PATH),
      await api("GET", `${PATH}/${well.id}`),
      await api("PATCH", `${PATH}/${well.id}`, { body: { description: "x" } }),
      await api("POST", `${PATH}/${well.id}/test`),
      await api("POST", `${PATH}/${broken.id}/test`),
      await api("GET", "/v1/webhook-deliveries"),
      await api("GET", `/v1/webhook-deliveries/${delivery.id}`),
      await api("POST", `/v1/webhook-deliveries/${delivery.id}/redeliver`),
    ];
    for (const response of responses) expectStatus(response, 200);
    const secrets = ["0123456789-secret", well.signingSecret, broken.signingSecret, rotated.body.signingSecret];
    const tables = await service.query<{ name: string }>(
      "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
    );
    const dump: string[] = [];
    for (const { name } of tables)
      dump.push(
        ...(await service.query<{ text: string }>(`select t::text as text from ${name} t`)).map(({ text }) => text),
      );
    const places = {
      responses: responses.map(({ text }) => text).join("\n"),
      database: dump.join("\n"),
      logs: service.logs().join("\n"),
      deliveries: receiver.requests.map(({ headers, body }) => JSON.stringify(headers) + body.toString()).join("\n"),
    };
    const traces = ["whsec_", ...secrets.map((secret) => secret.slice("whsec_".length, -1))];
    for (const [place, text] of Object.entries(places)) {
      expect([place, text.length]).not.toEqual([place, 0]);
      expect([place, traces.filter((trace) => text.includes(trace))]).toEqual([place, []]);
    }
    receiver.respond({ status: 200 });
  });
});
