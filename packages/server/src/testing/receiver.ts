/** A customer's webhook receiver: TLS on this machine under a public name, with a response that the test chooses. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createTestAuthority } from "./certificates.ts";
import { cleanUpLater } from "./cleanup.ts";
import { createConnectProxy } from "./connect-proxy.ts";
import { waitFor } from "./wait.ts";

export interface ReceivedRequest {
  method: string;
  /** Path and query. */
  path: string;
  headers: Record<string, string | undefined>;
  /** The very bytes; a signature is over them. */
  body: Buffer;
  receivedAt: Date;
}

export type ReceiverResponse =
  /** `after` is waited for first. */
  | {
      status: number;
      headers?: Record<string, string>;
      body?: string | Buffer;
      delayMs?: number;
      after?: Promise<unknown>;
    }
  /** Takes the request and says nothing. */
  | "never"
  /** Closes the connection. */
  | "hang_up";

export interface Receiver {
  host: string;
  /** `https://<host>/hook`. */
  url: string;
  requests: ReceivedRequest[];
  /** From the next request on; 200 until then. A function is asked for each request, with its number from 1. */
  respond(next: ReceiverResponse | ((request: ReceivedRequest, number: number) => ReceiverResponse)): void;
  /** Waits until there are so many requests, and returns them. */
  waitForRequests(count: number, timeoutMs?: number): Promise<ReceivedRequest[]>;
  /** From now on connections are refused; at the end of the file at the latest. */
  close(): Promise<void>;
}

const authority = createTestAuthority();
let authorityFile: string | undefined;

/** `host` is what a customer's URL would name; every receiver of a test file needs one of its own. */
export async function startReceiver(host = `hooks-${randomBytes(3).toString("hex")}.example.com`): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  let responseTo: (request: ReceivedRequest, number: number) => ReceiverResponse = () => ({ status: 200 });
  const server = createServer(authority.issue({ hosts: [host] }), (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const received: ReceivedRequest = {
        method: request.method ?? "",
        path: request.url ?? "",
        headers: Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [
            name,
            Array.isArray(value) ? value.join(", ") : value,
          ]),
        ),
        body: Buffer.concat(chunks),
        receivedAt: new Date(),
      };
      const reply = responseTo(received, requests.push(received));
      if (reply === "never") return;
      if (reply === "hang_up") return void request.socket.destroy();
      void Promise.all([pause(reply.delayMs ?? 0, undefined, { ref: false }), reply.after]).then(() =>
        response.writeHead(reply.status, reply.headers).end(reply.body),
      );
    });
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    // The service may hang up at any moment; that is for the tests to see, not an error here.
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on TCP
  ports.set(host, port);
  const close = cleanUpLater(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((closed) => server.close(closed));
  });
  return {
    host,
    url: `https://${host}/hook`,
    requests,
    respond: (next) => {
      responseTo = typeof next === "function" ? next : () => next;
    },
    waitForRequests: (count, timeoutMs) =>
      waitFor(() => (requests.length >= count ? requests : undefined), {
        what: `${host} has received ${count} requests`,
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      }),
    close,
  };
}

const ports = new Map<string, number>();

/** Settings for a service whose webhooks and alerts are to reach these receivers: start them first. */
export function receiverSettings(...receivers: Receiver[]): Record<string, string> {
  return {
    ROWMILL_EGRESS_CONNECT_OVERRIDES: receivers.map(({ host }) => `${host}:443=127.0.0.1:${ports.get(host)}`).join(","),
    ...trustSettings(),
  };
}

/**
 * Settings for a service that is to reach these receivers as if they were out on the internet: with whatever it sends. The
 * host of each is a public address, such as `93.184.215.14`; nothing is ever sent to it, since the operator's proxy leads here.
 */
export async function outsideSettings(...receivers: Receiver[]): Promise<Record<string, string>> {
  const portOf = (target: string): number => {
    const receiver = receivers.find(({ host }) => target === `${host}:443`);
    // Nobody listens there.
    return (receiver && ports.get(receiver.host)) ?? 9;
  };
  const { server } = createConnectProxy(portOf);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanUpLater(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return { ROWMILL_EGRESS_PROXY: `http://127.0.0.1:${port}`, ...trustSettings() };
}

function trustSettings(): Record<string, string> {
  if (authorityFile === undefined) {
    const folder = mkdtempSync(join(tmpdir(), "rowmill-receiver-"));
    cleanUpLater(async () => {
      rmSync(folder, { recursive: true, force: true });
      authorityFile = undefined;
    });
    authorityFile = join(folder, "authority.pem");
    writeFileSync(authorityFile, authority.cert);
  }
  return { ROWMILL_EGRESS_EXTRA_CA: authorityFile };
}
