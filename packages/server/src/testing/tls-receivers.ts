/** Receivers on this machine for the tests of egress: honest ones, and ones that speak whatever bytes a test wants. */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { connect } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";
import { expect } from "vitest";
import { createTestAuthority } from "./certificates.ts";
import { undo } from "./cleanup.ts";
import { createEgress, type Egress, type EgressRequest } from "../platform/egress/egress.ts";
import type { GuardOptions } from "../platform/egress/guarded-connect.ts";

export const HOST = "hooks.example.com";
/** A public address; nothing is ever sent to it. */
export const GLOBAL = "93.184.215.14";
export const authority = createTestAuthority();
export const certificate = authority.issue({ hosts: [HOST] });

/** Starts a server on a free port of this machine until the test ends; returns the port. */
export async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    // A receiver under test may be cut off at any moment.
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  undo.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((closed) => server.close(closed));
  });
  // A server that listens on TCP has an AddressInfo.
  return (server.address() as AddressInfo).port;
}

/** Responds by HTTP. */
export const receiver = (
  respond: (request: IncomingMessage, response: ServerResponse) => void,
  options: TlsOptions = certificate,
) => listen(createHttpsServer(options, respond));

/** Speaks raw bytes after the TLS handshake, once the request is there. */
export const rawReceiver = (respond: (socket: Socket) => void) =>
  listen(
    createTlsServer(certificate, (socket) => {
      socket.on("error", () => {}).once("data", () => respond(socket));
    }),
  );

/** For egress to a port of this machine as if it were out on the internet. */
export const outsideAt = (port: number): Required<Pick<GuardOptions, "resolve" | "dial">> => ({
  resolve: () => Promise.resolve([GLOBAL]),
  async dial(_target, signal) {
    const socket = connect({ host: "127.0.0.1", port, signal });
    await once(socket, "connect");
    return Object.defineProperty(socket, "remoteAddress", { value: GLOBAL });
  },
});

/** An egress that trusts the certificates made here, until the test ends. */
export function open(options: Partial<GuardOptions>): Egress {
  const egress = createEgress({ connectOverrides: new Map(), extraCa: authority.cert, ...options });
  undo.push(() => egress.close());
  return egress;
}

/** An egress whose operator sends calls for HOST to a port of this machine. */
export const openTo = (port: number, options: Partial<GuardOptions> = {}) =>
  open({ connectOverrides: new Map([[`${HOST}:443`, { host: "127.0.0.1", port }]]), ...options });

export const post = (more: Partial<EgressRequest> = {}): EgressRequest => ({
  method: "POST",
  url: `https://${HOST}/hook`,
  headers: { "content-type": "application/json" },
  body: Buffer.from('{"id":"evt_1"}'),
  timeoutMs: 10_000,
  maxResponseBytes: 65_536,
  ...more,
});

/** Matches the outcome of a call that failed for this reason. */
export const failed = (reason: string) => expect.objectContaining({ outcome: "failed", reason }) as unknown;

/** Writes `next` for as long as the other side takes it. */
export function flood(socket: Socket, first: string, next: Buffer): void {
  socket.write(first);
  const fill = () => {
    while (!socket.destroyed && socket.write(next));
  };
  socket.on("drain", fill);
  fill();
}

/** Resolves when the connection is gone, in whatever way. */
export function untilClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once("close", () => resolve());
  });
}
