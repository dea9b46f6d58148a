/** What a stop of the service does with streams and uploads: they end at once, and their clients go on with another process. */
import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { expectStatus } from "@rowmill/server/testing/api";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestService } from "@rowmill/server/testing/service";
import { newUploadSession } from "@rowmill/server/testing/uploads";

/** As each request of the tus protocol has. */
const TUS = { "Tus-Resumable": "1.0.0" };

/** A connection through which a request has come that does not end by itself. Returns all that is received. */
async function openRequest(service: TestService, head: string[], body = ""): Promise<{ received: () => string }> {
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
  let received = "";
  socket.on("data", (part) => (received += part.toString()));
  socket.on("error", () => undefined); // broken off by the service
  socket.write(`${[...head, "Host: test"].join("\r\n")}\r\n\r\n${body}`);
  await once(socket, "connect");
  return { received: () => received };
}

const expectNoneCutOff = (service: TestService): void =>
  expect(service.logs().filter((line) => line.includes("connections did not end within"))).toEqual([]);

test("a stream of events ends whole, with its connection", async () => {
  const service = await startTestService();
  const { apiKey } = await service.newOrganization();
  const head = ["GET /v1/events/stream HTTP/1.1", `Authorization: Bearer ${apiKey}`];
  const { received } = await openRequest(service, head);
  await expect.poll(received, { timeout: 60_000 }).toContain("still here");
  await service.stop();
  expect(received()).toMatch(/\r\n0\r\n\r\n$/);
  expectNoneCutOff(service);
});

test("content that comes in pieces is broken off, and another process takes the rest", async () => {
  const service = await startTestService();
  const other = await startTestService(service.settings);
  const { api, apiKey } = await service.newOrganization();
  const upload = await newUploadSession(api);
  const path = `/v1/dataset-uploads/${upload.id}/content/resumable`;
  const length = { "Upload-Length": "6" };
  expectStatus(await api("POST", path, { headers: { ...TUS, ...length } }), 201);
  const head = [
    `PATCH ${path} HTTP/1.1`,
    `Authorization: Bearer ${apiKey}`,
    "Tus-Resumable: 1.0.0",
    "Upload-Offset: 0",
    "Content-Type: application/offset+octet-stream",
    "Content-Length: 6",
  ];
  await openRequest(service, head, "n\n1\n");
  const offset = async () => (await other.api("HEAD", path, { key: apiKey, headers: TUS })).headers["upload-offset"];
  await expect.poll(offset, { timeout: 60_000 }).toBe("4");
  await service.stop();
  expectNoneCutOff(service);
  const rest = { ...TUS, "Upload-Offset": "4", "Content-Type": "application/offset+octet-stream" };
  expectStatus(await other.api("PATCH", path, { key: apiKey, headers: rest, body: "2\n" }), 204);
});
