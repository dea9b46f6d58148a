import { verifyWebhook, WebhookVerificationError, type WebhookEvent } from "@rowmill/client/webhooks";
import fastify from "fastify";

const secret = process.env["SIGNING_SECRET"];
if (!secret) throw new Error("SIGNING_SECRET is not set");

const app = fastify({ bodyLimit: 64 * 1024 });

await app.register(async (hooks) => {
  // The signature is over the bytes as they came: within this plugin JSON is not parsed.
  hooks.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => done(null, body));

  hooks.post<{ Body: Buffer }>("/hooks/rowmill", async (request, reply) => {
    let event: WebhookEvent;
    try {
      event = await verifyWebhook({ payload: request.body, headers: request.headers, secret });
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      return reply.code(400).send(error.reason);
    }
    await accept(event);
    return reply.code(204).send();
  });
});

/** Stores the event, once for each `event.id`; the work on it comes later. Throws if it cannot: then it comes again. */
async function accept(event: WebhookEvent): Promise<void> {
  console.log("accepted", event.id, event.type);
}

console.log("listening on", await app.listen({ port: Number(process.env["PORT"] ?? 3000), host: "127.0.0.1" }));
