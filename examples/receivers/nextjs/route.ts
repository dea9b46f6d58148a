// app/hooks/rowmill/route.ts
import { verifyWebhook, WebhookVerificationError, type WebhookEvent } from "@rowmill/client/webhooks";

export async function POST(request: Request): Promise<Response> {
  let event: WebhookEvent;
  try {
    // The text, not request.json(): the signature is over the bytes as they came.
    const payload = await request.text();
    event = await verifyWebhook({ payload, headers: request.headers, secret: process.env["SIGNING_SECRET"] ?? "" });
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return new Response(error.reason, { status: 400 });
  }
  await accept(event);
  return new Response(null, { status: 204 });
}

/** Stores the event, once for each `event.id`; the work on it comes later. Throws if it cannot: then it comes again. */
async function accept(event: WebhookEvent): Promise<void> {
  console.log("accepted", event.id, event.type);
}
