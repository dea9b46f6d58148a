/** A proxy before the service, as browsers know them: it counts streams, may hold them back, and stays while the service is away. */
import { createServer, request as open } from "node:http";
import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

/**
 * Longer than the service promises in the headers that are passed on: a connection that ends before would be taken for the next request.
 */
const KEEP_ALIVE_MS = 600_000;

export interface Doorway {
  url: string;
  /** Where requests go; it may change. */
  upstream: string;
  /** Whether streams get through. Without, their responses begin and bring nothing. */
  letsStreamsThrough: boolean;
  openStreams(): number;
  /** Other requests so far, by path. */
  asked: string[];
  /** In place of the service, by path. */
  responses: Map<string, unknown>;
  /** How many bytes of a PATCH get through; what follows waits. */
  letsBytesThrough: number;
  /** PATCHes that wait. */
  pausedPieces(): number;
  /** Whether connections end as soon as they are made, and those that a browser has kept open with their next request. */
  isAway: boolean;
  /** Ends every connection, as a network does that goes away for a moment. */
  cut(): void;
  close(): void;
}

/** `prefix`: the path below which the service is reached, which the service does not see. */
export async function openDoorway(prefix = ""): Promise<Doorway> {
  const streams = new Set<IncomingMessage>();
  const paused = new Set<IncomingMessage>();
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, pass);
  server.on("connection", (socket) => {
    if (doorway.isAway) socket.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const doorway: Doorway = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    upstream: "",
    letsStreamsThrough: true,
    openStreams: () => streams.size,
    asked: [],
    responses: new Map(),
    letsBytesThrough: Infinity,
    pausedPieces: () => paused.size,
    isAway: false,
    cut: () => server.closeAllConnections(),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return doorway;

  function pass(request: IncomingMessage, response: ServerResponse): void {
    if (doorway.isAway) {
      request.destroy();
      return;
    }
    const asked = request.url ?? "";
    if (!asked.startsWith(prefix)) {
      response.writeHead(404).end();
      return;
    }
    const url = asked.slice(prefix.length) || "/";
    const path = url.split("?", 1)[0] ?? "";
    const own = doorway.responses.get(path);
    if (own !== undefined) {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(own));
      return;
    }
    const isStream = path === "/v1/events/stream";
    if (isStream) {
      streams.add(request);
      response.on("close", () => streams.delete(request));
      if (!doorway.letsStreamsThrough) {
        response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
        return;
      }
    } else doorway.asked.push(path);
    const { method, headers } = request;
    const passed = open(doorway.upstream + url, { method, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
      reply.on("error", () => response.destroy());
    });
    // As a socket that is closed: a browser sees no response.
    passed.on("error", () => response.destroy());
    response.on("close", () => passed.destroy());
    if (method === "PATCH") passSlowly(request, response, passed);
    else request.pipe(passed);
  }

  function passSlowly(request: IncomingMessage, response: ServerResponse, passed: ClientRequest): void {
    // A request that is not read to its end is not reported as closed.
    response.on("close", () => paused.delete(request));
    request.on("end", () => passed.end());
    request.on("data", (bytes: Buffer) => {
      const passes = bytes.subarray(0, doorway.letsBytesThrough);
      doorway.letsBytesThrough -= passes.length;
      passed.write(passes);
      if (passes.length === bytes.length) return;
      request.pause();
      paused.add(request);
    });
  }
}
