import { Webhook } from "standardwebhooks";

/** The event of a genuine delivery; throws for every other. `body` is the raw one, `headers` have lower-case names. */
export function readEvent(body: string, headers: Record<string, string>, secret: string): { id: string; type: string } {
  return new Webhook(secret).verify(body, headers) as { id: string; type: string };
}
