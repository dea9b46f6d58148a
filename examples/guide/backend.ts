// #region server
// #region client
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { Rowmill } from "@rowmill/client";
import { verifyWebhook, WebhookVerificationError } from "@rowmill/client/webhooks";

const rowmill = new Rowmill();
// #endregion

// #region receiver
const seen = new Set<string>();
let secret = "";
const { promise: finished, resolve } = Promise.withResolvers<string>();

async function receive(request: IncomingMessage): Promise<number> {
  try {
    const event = await verifyWebhook({ payload: await buffer(request), headers: request.headers, secret });
    const isNew = !seen.has(event.id);
    seen.add(event.id);
    if (isNew && event.type === "run.finished") resolve(event.data.id);
    return 204;
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return 400;
  }
}

const server = createServer((request, response) => {
  void receive(request).then((status) => response.writeHead(status).end());
});
await new Promise<void>((listening) => server.listen(3055, "127.0.0.1", listening));
// #endregion
// #endregion

// #region endpoint
const endpoint = await rowmill.webhookEndpoints.create({
  url: "http://127.0.0.1:3055/hooks/rowmill",
  eventTypes: ["run.finished"],
});
secret = endpoint.signingSecret ?? ""; // absent when the request was a repeat
// #endregion

// #region run
const dataset = await rowmill.datasets.upload({
  name: "Orders",
  rows: [
    { order: "A-1", net: 100 },
    { order: "A-2", net: 250 },
    { order: "A-3", net: null },
  ],
});
const jobSpec = await rowmill.jobSpecs.create({
  name: "Gross",
  processor: {
    type: "transform",
    code: "export default ({ net }) => ({ gross: Math.round(net.toFixed(2) * 119) / 100 })",
  },
});
const run = await rowmill.runs.create({ datasetId: dataset.id, jobSpecId: jobSpec.id, scope: { type: "all" } });
// #endregion

// #region results
const runId = await finished;
console.log("webhook:", runId === run.id ? "this run has finished" : runId);
for await (const { index, resultState, output, failure } of rowmill.runs.resolvedResults(runId))
  console.log(index, resultState, JSON.stringify(output?.data ?? failure?.code));

// Without this, the next start of this program would leave an endpoint whose secret nobody has.
await rowmill.webhookEndpoints.delete(endpoint.id);
server.close();
server.closeAllConnections();
// #endregion
