import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished, expect, test } from "vitest";
import { Rowmill, verifyWebhook } from "@rowmill/client";
import type { WebhookDelivery } from "@rowmill/contract/webhook-deliveries";
import type { WebhookEndpointWithSecret } from "@rowmill/contract/webhook-endpoints";
import { expectStatus } from "../../testing/api.ts";
import { startTestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";

const development = await startTestService({ ROWMILL_MODE: "development" });

interface Got {
  body: string;
  headers: Record<string, string | string[] | undefined>;
}

/** A receiver as a developer has it: plain HTTP on this machine. */
async function plainReceiver() {
  const got: Got[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      got.push({ body, headers: request.headers });
      response.end("ok");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return { got, port };
}

test("in development, webhooks and alerts go to plain HTTP on this machine, signed", async () => {
  const { api, apiKey } = await development.newOrganization();
  const { got, port } = await plainReceiver();
  const created = await api<WebhookEndpointWithSecret>("POST", "/v1/webhook-endpoints", {
    body: { url: `http://localhost:${port}/hooks`, eventTypes: ["dataset.*"] },
  });
  expectStatus(created, 201);
  const rowmill = new Rowmill({ apiKey, baseUrl: development.url });
  await rowmill.datasets.upload({ name: "Rows", rows: [{ a: 1 }] });
  const [first] = await waitFor(() => got.length > 0 && got);
  if (first === undefined) throw new Error("nothing came");
  const event = await verifyWebhook({
    payload: first.body,
    headers: first.headers as Record<string, string>,
    secret: created.body.signingSecret ?? "",
  });
  expect(event.type).toBe("dataset.ready");
  const alert = await api("POST", "/v1/alert-rules", {
    body: {
      name: "Here",
      eventType: "run.failed",
      destination: { type: "webhook", url: `http://127.0.0.1:${port}/alerts` },
    },
  });
  expectStatus(alert, 201);
  expectStatus(await api<WebhookDelivery>("POST", `/v1/alert-rules/${alert.body["id"]}/test`), 200);
  expect(got.length).toBeGreaterThan(1);
});

test("nothing else becomes possible in development", async () => {
  const { api } = await development.newOrganization();
  for (const [url, reason] of [
    ["http://10.0.0.5/hooks", "scheme"],
    ["http://example.com/hooks", "scheme"],
    ["https://127.0.0.1/hooks", "address"],
    ["https://localhost/hooks", "local_name"],
    ["http://localhost.example.com/", "scheme"],
    ["http://user@localhost/", "credentials"],
    ["http://localhost/#x", "fragment"],
  ]) {
    const reply = await api("POST", "/v1/webhook-endpoints", { body: { url, eventTypes: ["*"] } });
    expect([url, reply.status, reply.body.error?.["reason"]]).toEqual([url, 422, reason]);
  }
  const { port } = await plainReceiver();
  const upload = await api("POST", "/v1/dataset-uploads", {
    body: { name: "Here", source: { type: "url", url: `http://127.0.0.1:${port}/rows.csv` } },
  });
  const failed =
    upload.status !== 201 ||
    (await waitFor(async () => {
      const { body } = await api("GET", `/v1/dataset-uploads/${upload.body["id"]}`);
      return body["state"] === "failed";
    }));
  expect(failed).toBe(true);
});

test("in production, plain HTTP to this machine stays refused", async () => {
  const service = await startTestService();
  const { api } = await service.newOrganization();
  for (const url of ["http://127.0.0.1:3000/hooks", "http://localhost:3000/hooks", "http://[::1]:3000/hooks"]) {
    const reply = await api("POST", "/v1/webhook-endpoints", { body: { url, eventTypes: ["*"] } });
    expect([url, reply.status, reply.body.error?.["reason"]]).toEqual([url, 422, "scheme"]);
  }
});
