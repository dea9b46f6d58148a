/**
 * Opens the TLS connection for a call to an address that a customer gave. The guard has three layers here, each known
 * to fail alone: every address of the name must be global; the socket is opened to these very addresses, so that a
 * second result of the name server cannot matter; and the peer of the open socket is checked before the first byte.
 *
 *     operator's override? ──yes──► dial it (no check) ─────────────┐
 *       │ no                                                        ▼
 *     literal or resolved addresses ─► all global? ─► dial them ─► peer global? ─► TLS ≥ 1.2, certificate checked
 *                                           │                                       ▲
 *                                           └── operator's proxy? ─► CONNECT them ──┘
 */
import { X509Certificate } from "node:crypto";
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from "node:net";
import {
  connect as connectTls,
  createSecureContext,
  getCACertificates,
  type SecureContext,
  type TLSSocket,
} from "node:tls";
import type { buildConnector } from "undici";
import { isGlobal } from "./addresses.ts";
import { codeOf } from "../error-code.ts";
import { EgressError, noPublicAddress, type EgressFailure } from "./failure.ts";
import { createDialThroughProxy, type EgressProxy } from "./proxy.ts";
import { createResolve, type Resolve } from "./resolver.ts";

/** DNS, TCP and TLS together. A receiver that is up needs a tenth of it; longer would hold a worker for a dead one. */
const CONNECT_TIMEOUT_MS = 5_000;

/** The timeout is counted in steps. */
const TIMEOUT_STEP_MS = 1_000;

/** Addresses of one family that are dialed; all are checked. More would only be a way to waste our time. */
const MAX_DIALED_PER_FAMILY = 3;

/** Before the next address is dialed, too. All of them are dialed within the connect timeout. */
const NEXT_ADDRESS_AFTER_MS = 750;

/** Of silence: a model may think for minutes, and the routers between forget a connection that says nothing. */
const PROBED_AFTER_MS = 60_000;

export interface HostAndPort {
  host: string;
  port: number;
}

/** From `host:port` as in the URL (port 443 written out) to where the operator wants the connection to go. */
export type ConnectOverrides = ReadonlyMap<string, HostAndPort>;

/** Opens a TCP connection: to one of `addresses`, or, without them, to wherever the system finds `host`. */
export type Dial = (target: HostAndPort & { addresses?: string[] }, signal: AbortSignal) => Promise<Socket>;

export interface GuardOptions {
  connectOverrides: ConnectOverrides;
  /** Certificates (PEM) that are trusted beside those of the system. */
  extraCa?: string;
  /** What all connections but those of the overrides go through. */
  proxy?: EgressProxy;
  resolve?: Resolve;
  dial?: Dial;
}

/** `host` as in a URL: a name, an IPv4 address, or an IPv6 address in brackets. Rejects with an EgressError. */
export type GuardedConnect = (target: HostAndPort, signal: AbortSignal) => Promise<TLSSocket>;

export function createGuardedConnect(options: GuardOptions): GuardedConnect {
  const { connectOverrides, resolve = createResolve(), dial = dialTcp } = options;
  const secureContext = createTrust(options.extraCa);
  const dialThroughProxy =
    options.proxy === undefined ? undefined : createDialThroughProxy(options.proxy, NEXT_ADDRESS_AFTER_MS);

  async function dialChecked(name: string, port: number, signal: AbortSignal): Promise<Socket> {
    const addresses = await checkedAddresses(name, resolve, signal);
    // The peer of the socket is the proxy.
    if (dialThroughProxy !== undefined) return dialThroughProxy({ addresses, port }, signal);
    const socket = await dial({ host: name, port, addresses }, signal);
    if (isGlobal(socket.remoteAddress ?? "")) return socket;
    socket.destroy();
    throw noPublicAddress(new Error("an address of the host is not public"));
  }

  return ({ host, port }, signal) =>
    withinConnectTimeout(signal, async (ending) => {
      const name = host.replace(/^\[|\]$/g, "");
      const override = connectOverrides.get(`${host}:${port}`);
      const socket = override === undefined ? await dialChecked(name, port, ending) : await dial(override, ending);
      socket.setKeepAlive(true, PROBED_AFTER_MS);
      return secure(socket, name, secureContext, ending);
    });
}

/** Without TLS, and without a check: for origins that the operator has allowed, and nothing else. */
export type PlainConnect = (target: HostAndPort, signal: AbortSignal) => Promise<Socket>;

export function createPlainConnect({ dial = dialTcp }: Pick<GuardOptions, "dial">): PlainConnect {
  return ({ host, port }, signal) =>
    withinConnectTimeout(signal, async (ending) => {
      const name = host.replace(/^\[|\]$/g, "");
      const socket = await dial({ host: name, port }, ending);
      return socket.setKeepAlive(true, PROBED_AFTER_MS);
    });
}

async function withinConnectTimeout<Opened>(
  signal: AbortSignal,
  open: (ending: AbortSignal) => Promise<Opened>,
): Promise<Opened> {
  signal.throwIfAborted();
  const ending = new AbortController();
  const cancel = () => ending.abort(signal.reason);
  const stopTimer = startTimer(CONNECT_TIMEOUT_MS, () => {
    ending.abort(new EgressError("timeout", `No connection within ${CONNECT_TIMEOUT_MS / 1_000} seconds.`));
  });
  signal.addEventListener("abort", cancel, { once: true });
  try {
    return await open(ending.signal);
  } finally {
    stopTimer();
    signal.removeEventListener("abort", cancel);
  }
}

/**
 * Of a step in which this process stood still, nothing counts. After such a stop timers come first: with a single one, connections would end
 * that the other side has long accepted.
 */
function startTimer(timeoutMs: number, onTimeout: () => void): () => void {
  let leftMs = timeoutMs;
  let begunAt = performance.now();
  const step = (): void => {
    const now = performance.now();
    if (now - begunAt < 2 * TIMEOUT_STEP_MS) leftMs -= TIMEOUT_STEP_MS;
    begunAt = now;
    if (leftMs > 0) timer = setTimeout(step, TIMEOUT_STEP_MS);
    else onTimeout();
  };
  let timer = setTimeout(step, TIMEOUT_STEP_MS);
  return () => clearTimeout(timer);
}

/**
 * For the `connect` option of a client or agent of undici; `signal` ends connections that are being made. Without
 * `connectPlainly` only https is spoken.
 */
export function undiciConnector(
  connect: GuardedConnect,
  signal: AbortSignal,
  connectPlainly?: PlainConnect,
): buildConnector.connector {
  return ({ protocol, hostname, port }, callback) => {
    const connecting: Promise<Socket> =
      protocol === "https:"
        ? connect({ host: hostname, port: Number(port || 443) }, signal)
        : connectPlainly !== undefined && protocol === "http:"
          ? connectPlainly({ host: hostname, port: Number(port || 80) }, signal)
          : Promise.reject(new EgressError("blocked_address", "Only https is spoken."));
    void handOver(connecting, callback);
  };
}

async function handOver(connecting: Promise<Socket>, callback: buildConnector.Callback): Promise<void> {
  let socket: Socket;
  try {
    socket = await connecting;
  } catch (error) {
    callback(error instanceof Error ? error : new Error("the connection failed", { cause: error }), null);
    return;
  }
  callback(null, socket);
}

/** The addresses to dial, after all addresses of the name were found to be global. */
export async function checkedAddresses(name: string, resolve: Resolve, signal: AbortSignal): Promise<string[]> {
  // A literal address is never resolved, so it is checked as it stands.
  const addresses = isIP(name) === 0 ? await resolve(name, signal) : [name];
  if (addresses.length === 0) throw noPublicAddress(undefined);
  if (!addresses.every(isGlobal)) throw noPublicAddress(new Error("an address of the host is not public"));
  return [4, 6].flatMap((family) => addresses.filter((a) => isIP(a) === family).slice(0, MAX_DIALED_PER_FAMILY));
}

function dialTcp(
  { host, port, addresses }: HostAndPort & { addresses?: string[] },
  signal: AbortSignal,
): Promise<Socket> {
  const socket = connectTcp({
    host,
    port,
    noDelay: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    // `lookup` is not called where `host` is a literal; that one has been checked itself.
    ...(addresses === undefined ? {} : { lookup: lookupOf(addresses) }),
  });
  return untilOpen(socket, "connect", signal, "connect");
}

/** A lookup that knows only these addresses. It calls back later: Node does not expect a result within the call. */
function lookupOf(addresses: string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  const [first] = all;
  return (_name, options, callback) => {
    process.nextTick(() => {
      if (options.all === true || first === undefined) callback(null, all);
      else callback(null, first.address, first.family);
    });
  };
}

function secure(socket: Socket, name: string, secureContext: SecureContext, signal: AbortSignal): Promise<TLSSocket> {
  const secured = connectTls({
    socket,
    secureContext,
    host: name,
    // RFC 6066: no address and no trailing dot in the server name.
    servername: isIP(name) === 0 ? name.replace(/\.$/, "") : "",
    ALPNProtocols: ["http/1.1"],
    // Said here, so that NODE_TLS_REJECT_UNAUTHORIZED=0 cannot turn it off.
    rejectUnauthorized: true,
  });
  return untilOpen(secured, "secureConnect", signal, "tls");
}

/** Waits for the socket; where it does not open, or `signal` says to stop, the socket is gone afterwards. */
function untilOpen<Opening extends Socket>(
  socket: Opening,
  event: "connect" | "secureConnect",
  signal: AbortSignal,
  reason: "connect" | "tls",
): Promise<Opening> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      socket.off(event, opened).off("error", failed).off("close", closed);
      signal.removeEventListener("abort", aborted);
    };
    const opened = () => {
      settle();
      resolve(socket);
    };
    const abandon = (error: Error) => {
      settle();
      // What a dying socket still reports comes after the result was returned.
      socket.on("error", () => {});
      socket.destroy();
      reject(error);
    };
    const failed = (error: Error) => abandon(notOpened(reason, error));
    const closed = () => abandon(notOpened(reason, undefined));
    const aborted = () =>
      abandon(signal.reason instanceof Error ? signal.reason : new EgressError("canceled", "Canceled."));
    socket.once(event, opened).once("error", failed).once("close", closed);
    signal.addEventListener("abort", aborted, { once: true });
    if (signal.aborted) aborted();
  });
}

function notOpened(reason: "connect" | "tls", cause: Error | undefined): EgressError {
  const code = codeOf(cause);
  const known = (code === undefined ? undefined : SENTENCES[reason][code]) ?? FALLBACKS[reason];
  return new EgressError(reason, code === undefined ? `${known}.` : `${known} (${code}).`, { cause });
}

const FALLBACKS = { connect: "No connection could be made", tls: "The TLS handshake failed" } satisfies Partial<
  Record<EgressFailure, string>
>;

const UNTRUSTED = "The certificate is not signed by a trusted authority, or an intermediate certificate is missing";

const SENTENCES: Record<"connect" | "tls", Record<string, string>> = {
  connect: { ECONNREFUSED: "The connection was refused" },
  tls: {
    CERT_HAS_EXPIRED: "The certificate has expired",
    CERT_NOT_YET_VALID: "The certificate is not valid yet",
    ERR_TLS_CERT_ALTNAME_INVALID: "The certificate is for another name",
    DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
    SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  },
};

/** Made once: reading the certificates of the system takes milliseconds. */
function createTrust(extraCa: string | undefined): SecureContext {
  if (extraCa === undefined) return createSecureContext({ minVersion: "TLSv1.2" });
  const extra = extraCa.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (extra.length === 0) throw new Error("The file of ROWMILL_EGRESS_EXTRA_CA holds no certificate: it must be PEM.");
  // Node would silently ignore a certificate that it cannot read.
  for (const pem of extra) new X509Certificate(pem);
  return createSecureContext({ minVersion: "TLSv1.2", ca: [...getCACertificates("default"), ...extra] });
}
