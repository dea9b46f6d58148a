/** Traces as a collector gets them. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { parseId } from "./platform/ids.ts";
import { spanOfRun } from "./platform/tracing.ts";
import { cleanUpLater } from "./testing/cleanup.ts";
import { finishedRun, newDataset, newJobSpec, newRun } from "./testing/factories.ts";
import { receiverSettings, startReceiver } from "./testing/receiver.ts";
import { startTestService } from "./testing/service.ts";
import { newEndpoint } from "./testing/webhooks.ts";
import { waitFor } from "./testing/wait.ts";

interface Span {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  links: { traceId: string; spanId: string }[];
  status: { code: number };
}

/** A collector: OTLP over HTTP, as JSON. */
async function startCollector() {
  const spans: Span[] = [];
  let isAway = false;
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      bodies.push(body);
      const { resourceSpans } = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
      if (!isAway) spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
      response.writeHead(isAway ? 400 : 200, { "content-type": "application/json" }).end("{}");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanUpLater(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    bodies,
    named: (name: string) => spans.filter((span) => span.name === name),
    goAway: () => (isAway = true),
  };
}

const attributesOf = ({ attributes }: Span) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

test("a request leads to its run, the run to its rows, a delivery back to it; no contents of rows", async () => {
  const collector = await startCollector();
  const receiver = await startReceiver();
  const service = await startTestService({
    ...receiverSettings(receiver),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    ROWMILL_TRACE_ROWS: "1",
  });
  const { api } = await service.newOrganization();
  await newEndpoint(api, receiver.url, { eventTypes: ["run.finished"] });
  const dataset = await newDataset(api, [{ secret: "SECRET-ROW" }, { secret: "SECRET-ROW" }]);
  const spec = await newJobSpec(api, { type: "mock", failEvery: 2, code: "refused" });
  const run = await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id });
  await finishedRun(api, run.id);
  await waitFor(async () => {
    const { body } = await api("GET", "/v1/webhook-deliveries?status=succeeded");
    return body.data.length > 0;
  });
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  await api("GET", `/v1/runs/${run.id}`, { headers: { traceparent } });
  await service.stop();

  const ids = spanOfRun(parseId("run", run.id) ?? "");
  const [span] = collector.named("run");
  expect(span).toMatchObject({ traceId: ids.traceId, spanId: ids.spanId });
  expect(Number(span?.endTimeUnixNano)).toBeGreaterThan(Number(span?.startTimeUnixNano));
  const rows = collector.named("row");
  expect(rows.map(({ traceId, parentSpanId }) => [traceId, parentSpanId])).toEqual([
    [ids.traceId, ids.spanId],
    [ids.traceId, ids.spanId],
  ]);
  expect(rows.map(attributesOf)).toMatchObject([
    { "rowmill.run.id": run.id, "rowmill.row.attempts": 1 },
    { "rowmill.run.id": run.id, "error.type": "refused" },
  ]);
  const link = [expect.objectContaining({ traceId: ids.traceId, spanId: ids.spanId }) as object];
  expect(collector.named("POST /v1/runs")).toMatchObject([{ links: link }]);
  expect(collector.named("deliver run.finished")).toMatchObject([{ links: link }]);
  const asked = collector
    .named("GET /v1/runs/:runId")
    .filter(({ parentSpanId }) => parentSpanId === "b7ad6b7169203331");
  expect(asked).toMatchObject([{ traceId: "0af7651916cd43dd8448eb211c80319c" }]);
  expect(collector.bodies.join("")).not.toContain("SECRET-ROW");
});

test("a collector that refuses costs nothing but its spans, and without one there are none", async () => {
  const collector = await startCollector();
  collector.goAway();
  const service = await startTestService({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const { api } = await service.newOrganization();
  expect((await api("GET", "/v1/runs")).status).toBe(200);
  await service.stop();
  expect(collector.bodies.length).toBeGreaterThan(0);
  expect(collector.spans).toEqual([]);
});
