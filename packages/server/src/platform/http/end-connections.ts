/**
 * The end of a server's connections when the service stops: at once where no request is under way, otherwise with the response. Nothing
 * waits for a client that neither sends nor reads.
 */
import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** A client that has just connected, such as a browser that does so ahead of a request, may be sending one. What has come is read before the end. */
const LATE_REQUEST_MS = 500;
/** A client that is waited for sends or reads something in that time, also over a slow network. */
const SILENT_MS = 5_000;

interface Connection {
  /** Those that are not sent whole. */
  responses: Set<ServerResponse>;
  hasHadRequest: boolean;
}

export function endConnectionsAt(stopping: AbortSignal, server: Server): void {
  const connections = new Map<Socket, Connection>();
  // Node calls it as the server closes, and takes a response whose last bytes still wait for the client for an idle connection.
  server.closeIdleConnections = () => undefined;
  server.on("connection", (socket) => {
    connections.set(socket, { responses: new Set(), hasHadRequest: false });
    socket.once("close", () => connections.delete(socket));
  });
  server.on("request", ({ socket }, response) => {
    const connection = connections.get(socket);
    if (connection === undefined) return;
    connection.responses.add(response);
    connection.hasHadRequest = true;
    if (stopping.aborted) endSilent(socket, connection);
    response.once("close", () => {
      connection.responses.delete(response);
      // A client that still sends is given the time to read the response first.
      if (stopping.aborted && connection.responses.size === 0 && response.req.complete) socket.destroySoon();
    });
  });
  stopping.addEventListener("abort", () => {
    for (const [socket, connection] of connections)
      if (connection.responses.size > 0) endSilent(socket, connection);
      else if (connection.hasHadRequest) socket.destroy();
      else setTimeout(() => setImmediate(() => connection.hasHadRequest || socket.destroy()), LATE_REQUEST_MS);
  });
}

/** In place of the limits that the connection had until now: the stop is over before these. */
function endSilent(socket: Socket, { responses }: Connection): void {
  socket.removeAllListeners("timeout");
  socket.on("timeout", () => {
    const waitsForClient = socket.writableLength > 0 || [...responses].every(({ req }) => !req.complete);
    if (waitsForClient) socket.destroy();
    else socket.setTimeout(SILENT_MS);
  });
  socket.setTimeout(SILENT_MS);
}
