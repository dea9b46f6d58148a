/** A proxy for outgoing connections (CONNECT), such as an operator has one, on this machine. */
import { createServer, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { listen } from "./tls-receivers.ts";

/** What the proxy was asked. */
export interface Connect {
  target: string | undefined;
  host: string | undefined;
  authorization: string | undefined;
}

/** For a target to which the proxy does not respond. */
export const SILENCE = "";

/** Every address leads to the same port of this machine, except that some get another response. Ends with the test. */
export async function startConnectProxy(toPort: number, refusals: Record<string, string> = {}) {
  const { server, connects } = createConnectProxy(() => toPort, refusals);
  return { connects, proxy: { host: "127.0.0.1", port: await listen(server) } };
}

/** `portOf` says where on this machine a target such as `93.184.215.14:443` leads. */
export function createConnectProxy(portOf: (target: string) => number, refusals: Record<string, string> = {}) {
  const connects: Connect[] = [];
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on("connect", (request: IncomingMessage, client: Socket, head: Buffer) => {
    const { host, "proxy-authorization": authorization } = request.headers;
    connects.push({ target: request.url, host, authorization });
    const refusal = refusals[request.url ?? ""];
    if (refusal === SILENCE) return;
    if (refusal !== undefined) return void client.end(refusal);
    const upstream = connect({ host: "127.0.0.1", port: portOf(request.url ?? "") });
    // What is still to be written goes out first; only an error cuts it off.
    upstream.on("error", () => client.destroy()).on("close", () => client.destroySoon());
    client.on("error", () => upstream.destroy()).on("close", () => upstream.destroy());
    upstream.on("connect", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.write(head);
      upstream.pipe(client).pipe(upstream);
    });
  });
  return { server, connects };
}
