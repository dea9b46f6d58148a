import { Stripe } from "stripe";

/** The event of a genuine delivery; throws for every other. `body` is the raw one, `headers` have lower-case names. */
export function readEvent(body: string, headers: Record<string, string>, secret: string): { id: string; type: string } {
  // Stripe puts into one header what we send in two.
  const signature = `t=${headers["service-webhook-timestamp"]},${headers["service-webhook-signature"]}`;
  return Stripe.webhooks.constructEvent(body, signature, secret);
}
