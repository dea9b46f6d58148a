import { verifyWebhook, WebhookVerificationError } from "@rowmill/client/webhooks";
import express from "express";

const secret = process.env.SIGNING_SECRET;
if (!secret) throw new Error("SIGNING_SECRET is not set");

const app = express();

// The signature is over the bytes as they came: no express.json() may have read this route's body before.
app.post("/hooks/rowmill", express.raw({ type: "application/json", limit: "64kb" }), async (request, response) => {
  let event;
  try {
    event = await verifyWebhook({ payload: request.body, headers: request.headers, secret });
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    response.status(400).send(error.reason);
    return;
  }
  await accept(event);
  response.status(204).end();
});

/** Stores the event, once for each `event.id`; the work on it comes later. Throws if it cannot: then it comes again. */
async function accept(event) {
  console.log("accepted", event.id, event.type);
}

const server = app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  console.log(`listening on 127.0.0.1:${server.address().port}`);
});
