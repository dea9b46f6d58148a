import { expect, test } from "vitest";
import { failure, startService } from "./testing/service.ts";

const message = (id: number): string => `id: ${id}\nevent: run.created\ndata: {"n":${id}}\n\n`;

test("follows on after the last event, at once after a stream that has said something", async () => {
  const service = await startService((response, { headers }) => {
    const after = Number(headers["last-event-id"] ?? 0);
    response.writeHead(200, { "content-type": "text/event-stream" }).end(message(after + 1));
  });
  const connections: string[] = [];
  const seen: unknown[] = [];
  for await (const { data } of service.client().events.follow({ onConnected: () => connections.push("connected") })) {
    seen.push(data);
    if (seen.length === 3) break;
  }
  expect(seen).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  expect(service.waits).toEqual([0, 0]);
  expect(connections.length).toBe(2);
});

test("waits longer and longer where streams end before anything has come", async () => {
  const leaving = new AbortController();
  const service = await startService((response, _, number) => {
    if (number === 12) leaving.abort(new Error("enough"));
    if (number % 2 === 0) response.writeHead(200, { "content-type": "text/html" }).end();
    else failure(response, 503, "service_unavailable");
  });
  const following = Array.fromAsync(service.client().events.follow({ signal: leaving.signal, maxRetries: 0 }));
  await expect(following).rejects.toThrow("enough");
  expect(service.waits).toHaveLength(12);
  expect(service.waits.every((ms) => ms > 0)).toBe(true);
  expect(Math.max(...service.waits)).toBeGreaterThan(500);
});
