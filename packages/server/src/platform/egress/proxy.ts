/**
 * The operator's proxy, for networks in which nothing may leave in another way. The proxy gets the address that was
 * checked here, never the name: it would resolve the name itself, and what was checked would not be what is connected.
 * The name stays in the TLS handshake and in the request, which the proxy cannot read.
 *
 *     CONNECT 93.184.215.14:443  ─►  200  ─►  TLS with hooks.example.com, certificate checked as ever
 */
import { Agent, request as httpRequest } from "node:http";
import { isIPv6, type Socket } from "node:net";
import { codeOf } from "../error-code.ts";
import { EgressError } from "./failure.ts";
import { present } from "../present.ts";

/** Node's own default. The response to a CONNECT is one line, as a rule. */
const MAX_RESPONSE_HEADER_BYTES = 16 * 1024;

export interface EgressProxy {
  host: string;
  port: number;
  /** The value of `proxy-authorization`. */
  authorization?: string;
}

/** Opens a tunnel to one of `addresses`. Rejects with an EgressError, or with the reason of `signal`. */
export type DialThroughProxy = (
  target: { addresses: readonly string[]; port: number },
  signal: AbortSignal,
) => Promise<Socket>;

/** `http://user:password@host:port`. Throws an Error with a sentence that does not repeat the text. */
export function parseEgressProxy(text: string): EgressProxy {
  // The parser takes the port 80 away; the rule asks for one.
  const url = /^http:\/\/[^\s/?#]+:[0-9]{1,5}\/?$/i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  const credentials = url === undefined ? undefined : readCredentials(url);
  if (url === undefined || credentials === undefined) {
    throw new Error(
      "The proxy must look like http://proxy.example.com:3128 or http://user:password@proxy.example.com:3128.",
    );
  }
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = Number(url.port || 80);
  if (credentials === "") return { host, port };
  return { host, port, authorization: `Basic ${Buffer.from(credentials, "utf8").toString("base64")}` };
}

/** `user:password`; empty without one; undefined for what cannot be read. */
function readCredentials({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return "";
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  } catch {
    return undefined;
  }
}

/** `nextAddressAfterMs`: how long one address is waited for before the next is tried, too. */
export function createDialThroughProxy(proxy: EgressProxy, nextAddressAfterMs: number): DialThroughProxy {
  return async function dialThroughProxy({ addresses, port }, signal) {
    const won = new AbortController();
    const ending = AbortSignal.any([signal, won.signal]);
    const attempts: Promise<Socket>[] = [];
    for (const address of addresses) {
      attempts.push(openTunnel(proxy, isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`, ending));
      if (await opensWithin(attempts, nextAddressAfterMs)) break;
    }
    try {
      const socket = await Promise.any(attempts);
      for (const attempt of attempts) void attempt.then((other) => other !== socket && other.destroy(), ignore);
      return socket;
    } catch (error) {
      // Each attempt rejects with an EgressError or with the reason of the signal.
      throw error instanceof AggregateError ? (error.errors.at(-1) as Error) : error;
    } finally {
      won.abort();
    }
  };
}

/** Whether one of the attempts has opened; false as soon as all have failed. */
function opensWithin(attempts: readonly Promise<Socket>[], timeMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), timeMs);
    const settle = (isOpen: boolean) => {
      clearTimeout(timer);
      resolve(isOpen);
    };
    Promise.any(attempts).then(
      () => settle(true),
      () => settle(false),
    );
  });
}

/** One CONNECT on a connection of its own. `authority` is an address and a port. */
function openTunnel(proxy: EgressProxy, authority: string, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      host: proxy.host,
      port: proxy.port,
      method: "CONNECT",
      path: authority,
      headers: {
        host: authority,
        ...present({ "proxy-authorization": proxy.authorization }),
      },
      // Of our own: the global one may have a proxy of the environment, or keep sockets.
      agent: new Agent({ keepAlive: false }),
      maxHeaderSize: MAX_RESPONSE_HEADER_BYTES,
    });
    const abandon = (error: Error) => {
      signal.removeEventListener("abort", abort);
      // What a dying request still reports comes after the result was returned.
      request.on("error", ignore).destroy();
      reject(error);
    };
    const abort = () =>
      abandon(signal.reason instanceof Error ? signal.reason : new EgressError("canceled", "Canceled."));
    request.once("error", (cause) => abandon(notReached(cause)));
    // Reported for every status: after a CONNECT there is no body.
    request.once("connect", (response, socket, head) => {
      const status = response.statusCode ?? 0;
      // The other side of TLS never speaks first: these bytes are the proxy's own.
      if (status < 200 || status > 299 || head.length > 0) {
        socket.destroy();
        abandon(new EgressError("connect", `The proxy of the service made no connection (${status}).`));
        return;
      }
      signal.removeEventListener("abort", abort);
      resolve(socket);
    });
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    else request.end();
  });
}

function notReached(cause: Error): EgressError {
  return new EgressError("connect", `The proxy of the service cannot be used (${codeOf(cause) ?? "no code"}).`, {
    cause,
  });
}

function ignore(): void {}
