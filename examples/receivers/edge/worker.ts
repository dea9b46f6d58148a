// No package at all: WebCrypto, as in Cloudflare Workers, Deno, Bun, Vercel Edge and Node.

/** The clocks of both sides may differ so much, in seconds. */
const TOLERANCE = 300;

export default {
  async fetch(request: Request, env: { SIGNING_SECRET: string }): Promise<Response> {
    if (request.method !== "POST") return new Response(null, { status: 405 });
    const body = await request.arrayBuffer();
    if (!(await isGenuine(request.headers, body, env.SIGNING_SECRET))) return new Response("forged", { status: 400 });
    await accept(JSON.parse(new TextDecoder().decode(body)) as { id: string; type: string });
    return new Response(null, { status: 204 });
  },
};

async function isGenuine(headers: Headers, body: ArrayBuffer, secret: string): Promise<boolean> {
  const timestamp = headers.get("webhook-timestamp") ?? "";
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE)) return false;
  const signed = await new Blob([`${headers.get("webhook-id")}.${timestamp}.`, body]).arrayBuffer();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", decode(secret.replace("whsec_", "")), algorithm, false, ["verify"]);
  // Several while a rotation is under way; one that matches is enough.
  for (const entry of headers.get("webhook-signature")?.split(" ") ?? []) {
    const signature = /^v1,([A-Za-z0-9+/]{43}=)$/.exec(entry)?.[1];
    if (signature !== undefined && (await crypto.subtle.verify("HMAC", key, decode(signature), signed))) return true;
  }
  return false;
}

const decode = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/** Stores the event, once for each `event.id`; the work on it comes later. Throws if it cannot: then it comes again. */
async function accept(event: { id: string; type: string }): Promise<void> {
  console.log("accepted", event.id, event.type);
}
