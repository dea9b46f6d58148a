/**
 * One stream for all tabs of a browser: a key has twenty, and a browser six connections to a service that speaks HTTP/1.1. Timers of
 * hidden tabs are slowed down, those of this worker are not. It ends with the last tab.
 */
import { Rowmill } from "@rowmill/client";
import { followEvents } from "./connection.ts";
import type { LiveMessage } from "./connection.ts";

export interface LiveStart {
  type: "start";
  baseUrl: string;
  headers: Record<string, string>;
  types: string[];
}
export type LiveRequest = LiveStart | { type: "leave" };

const ports = new Set<MessagePort>();
let state: LiveMessage = { type: "state", state: "connecting", isSignedOut: false };
let following: AbortController | undefined;

function send(message: LiveMessage): void {
  if (message.type === "state") state = message;
  for (const port of ports) port.postMessage(message);
}

function onRequest(port: MessagePort, request: LiveRequest): void {
  if (request.type === "leave") {
    ports.delete(port);
    port.close();
    return;
  }
  ports.add(port);
  port.postMessage(state);
  if (following !== undefined && !following.signal.aborted) return;
  following = new AbortController();
  const rowmill = new Rowmill({ baseUrl: request.baseUrl, headers: request.headers, usesCookie: true });
  const own = following;
  // After a refusal the next tab that comes tries again: somebody may have signed in.
  void followEvents(rowmill.events, request.types, send, own.signal).finally(() => own.abort());
}

// The types of pages do not know the scope of a shared worker.
const scope = globalThis as unknown as {
  addEventListener: (type: "connect", listener: (event: MessageEvent) => void) => void;
};
scope.addEventListener("connect", ({ ports: [port] }) => {
  if (port === undefined) return;
  port.addEventListener("message", ({ data }: MessageEvent<LiveRequest>) => onRequest(port, data));
  port.start();
});
