/** A connection egress for one test, and calls through it. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { request } from "undici";
import { undo } from "../../testing/cleanup.ts";
import { authority, listen, outsideAt } from "../../testing/tls-receivers.ts";
import { parseAllowedOrigins } from "./allowed-origins.ts";
import { createConnectionEgress, type ConnectionEgress, type ConnectionEgressOptions } from "./connection-egress.ts";

export function open({
  origins = [],
  ...options
}: Partial<ConnectionEgressOptions> & { origins?: string[] }): ConnectionEgress {
  const egress = createConnectionEgress({
    extraCa: authority.cert,
    allowedOrigins: parseAllowedOrigins(origins),
    ...options,
  });
  undo.push(() => egress.close());
  return egress;
}

/** With HOST on this machine as if it were out on the internet. */
export const openTo = (port: number, options: Partial<ConnectionEgressOptions> = {}) =>
  open({ ...outsideAt(port), ...options });

/** One GET, as a processor makes it: the status and the body, or how it failed. */
export async function get(egress: ConnectionEgress, url: string): Promise<[number, string] | string> {
  const { dispatcher, ...refusal } = egress.dispatcherFor(new URL(url));
  if (dispatcher === undefined) return "message" in refusal ? `refused: ${refusal.message}` : "refused";
  try {
    const reply = await request(url, { dispatcher });
    return [reply.statusCode, await reply.body.text()];
  } catch (error) {
    return error instanceof Error && "reason" in error ? String(error.reason) : String(error);
  }
}

/** A server without TLS; returns its origin and the ports that it was connected from. */
export async function plainServer(reply: (request: IncomingMessage, response: ServerResponse) => void) {
  const peers: Socket[] = [];
  const server = createServer(reply).on("connection", (socket: Socket) => peers.push(socket));
  return { origin: `http://127.0.0.1:${await listen(server)}`, peers };
}
export const ok = (_request: IncomingMessage, response: ServerResponse): void => void response.end("ok");
