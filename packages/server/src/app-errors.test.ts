import { connect } from "node:net";
import { expect, test } from "vitest";
import { startTestService } from "./testing/service.ts";

const service = await startTestService();

/** What comes back until the service closes the connection. */
function exchange(request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(service.url).port), "127.0.0.1", () => void socket.write(request));
    let text = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    // It may close before all of the request was read.
    socket.on("error", (error) => (text === "" ? reject(error) : resolve(text))).on("close", () => resolve(text));
  });
}

test.each([
  ["is not HTTP", "\u0016\u0003\u0001 hello\r\n\r\n", 400, "The request is not valid HTTP/1.1."],
  [
    "has two lengths",
    "POST /v1/runs HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
    400,
    "The request is not valid HTTP/1.1.",
  ],
  [
    "has 20 KiB of headers",
    `GET /v1/me HTTP/1.1\r\nHost: x\r\nX: ${"y".repeat(20_480)}\r\n\r\n`,
    431,
    "The address and the headers of a request have 16 KiB at most.",
  ],
])("a request that %s gets an error of the contract", async (_what, request, status, message) => {
  const [head = "", body = ""] = (await exchange(request)).split("\r\n\r\n");
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  const { error } = JSON.parse(body) as { error: { requestId: string } }; // the envelope of every error
  expect(error).toMatchObject({ code: "invalid_request", message, retryable: false });
  expect(head).toContain(`Request-Id: ${error.requestId}`);
});

test("a request whose headers do not come has ten seconds", async () => {
  const begunAt = performance.now();
  const response = await exchange("GET /v1/me HTTP/1.1\r\nHost: x\r\n");
  expect(response).toMatch(/^HTTP\/1\.1 408 /);
  expect(response).toContain("The headers of the request did not arrive in time.");
  const seconds = (performance.now() - begunAt) / 1_000;
  // Node would look every thirty seconds.
  expect([seconds > 9, seconds < 28]).toEqual([true, true]);
});

test.each([
  ["/v1/job-specs", 1],
  ["/v1/dataset-uploads", 16],
])("a body that is too large for %s gets the limit", async (path, mebibytes) => {
  const body = JSON.stringify({ name: "x".repeat(mebibytes * 1_048_576) });
  const { apiKey } = await service.newOrganization();
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json", "idempotency-key": "large" };
  const response = await fetch(`${service.url}${path}`, { method: "POST", headers, body });
  expect([response.status, await response.text()]).toEqual([
    413,
    expect.stringContaining(`larger than the ${mebibytes} MiB that this route takes`),
  ]);
});
