/** A customer's HTTP service on this machine, for the `http` processor: a response that the test chooses, at any time. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { cleanUpLater } from "./cleanup.ts";

export interface HttpRequestSeen {
  method: string;
  /** Path and query. */
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export type HttpResponse = (request: HttpRequestSeen, response: ServerResponse) => void;

export interface HttpService {
  /** For `ROWMILL_CONNECTION_ALLOWED_ORIGINS`. */
  origin: string;
  requests: HttpRequestSeen[];
  /** From the next request on. */
  respond(next: HttpResponse): void;
}

export async function startHttpService(): Promise<HttpService> {
  const requests: HttpRequestSeen[] = [];
  let respond: HttpResponse = (_request, response) => void response.end("null");
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8");
      const seen = { method: request.method ?? "", path: request.url ?? "", headers: request.headers, body };
      requests.push(seen);
      respond(seen, response);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanUpLater(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return { origin: `http://127.0.0.1:${port}`, requests, respond: (next) => (respond = next) };
}
