/**
 * MCP over stdio: a line of stdin is a message, which goes to `POST /mcp` of the service with the key; what the service responds is a
 * line on stdout. The tools, their checks and their limits are those of the service, so that nothing of them is here.
 */
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { parseServerSentEvents } from "./event-lines.ts";

export interface BridgeOptions {
  url: string;
  apiKey: string;
  stdin: Readable;
  stdout: Writable;
  /** Ends the bridge, and what it waits for. */
  signal: AbortSignal;
}

type Id = string | number;
interface Message {
  id?: Id;
  method?: string;
  params?: { name?: unknown; uri?: unknown; taskId?: unknown; requestId?: Id; _meta?: Record<string, unknown> };
  result?: { protocolVersion?: unknown };
}

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
/** Of JSON-RPC: not JSON; and an error of the server that has no number of its own. */
const PARSE_ERROR = -32_700;
const SERVER_ERROR = -32_000;

/** Ends when stdin has ended and everything has been responded to. */
export async function bridge(options: BridgeOptions): Promise<void> {
  const { stdin, signal } = options;
  const session: Session = { ...options, version: undefined, open: new Map() };
  const work = new Set<Promise<void>>();
  const lines = createInterface({ input: stdin, crlfDelay: Infinity, signal });
  try {
    for await (const line of lines) {
      if (line.trim() === "") continue;
      const one = take(session, line).finally(() => work.delete(one));
      work.add(one);
    }
  } finally {
    await Promise.all(work);
  }
}

interface Session extends BridgeOptions {
  /** What `initialize` has agreed on; later clients say it in every message. */
  version: string | undefined;
  open: Map<Id, AbortController>;
}

async function take(session: Session, line: string): Promise<void> {
  let message: Message;
  try {
    message = JSON.parse(line) as Message; // the service validates it
  } catch {
    return write(session, { jsonrpc: "2.0", id: null, error: { code: PARSE_ERROR, message: "The line is not JSON." } });
  }
  const { id, method, params } = message;
  if (method === "notifications/cancelled" && params?.requestId !== undefined) {
    // The service keeps no sessions: it sees that a call is canceled by the end of its request.
    session.open.get(params.requestId)?.abort();
    return undefined;
  }
  const canceled = new AbortController();
  if (id !== undefined) session.open.set(id, canceled);
  try {
    await forward(session, message, line, AbortSignal.any([session.signal, canceled.signal]));
  } catch (error) {
    if (id === undefined || canceled.signal.aborted) return undefined;
    const reason = error instanceof Error ? error.message : String(error);
    await write(session, errorTo(id, `The service at ${session.url} cannot be reached: ${reason}`));
  } finally {
    if (id !== undefined) session.open.delete(id);
  }
  return undefined;
}

async function forward(session: Session, message: Message, line: string, signal: AbortSignal): Promise<void> {
  const { id, method, params } = message;
  const said = params?._meta?.[VERSION_KEY];
  const version = typeof said === "string" ? said : session.version;
  const name = params?.name ?? params?.uri ?? params?.taskId;
  const response = await fetch(`${session.url.replace(/\/+$/, "")}/mcp`, {
    method: "POST",
    redirect: "error",
    signal,
    headers: {
      authorization: `Bearer ${session.apiKey}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(version === undefined ? {} : { "mcp-protocol-version": version }),
      ...(method === undefined ? {} : { "mcp-method": headerText(method) }),
      ...(typeof name === "string" ? { "mcp-name": headerText(name) } : {}),
    },
    body: line,
  });
  const type = response.headers.get("content-type") ?? "";
  if (type.startsWith("text/event-stream") && response.body !== null) {
    for await (const data of parseServerSentEvents(response.body)) await pass(session, message, data);
    return;
  }
  const text = await response.text();
  if (id === undefined || text === "") return;
  await pass(session, message, text);
}

/** Passes a message of the service on; an error of HTTP becomes one of JSON-RPC. */
async function pass(session: Session, { id, method }: Message, text: string): Promise<void> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return write(session, errorTo(id ?? null, "The response is not JSON: does the URL name the service?"));
  }
  if (typeof value !== "object" || value === null || !("jsonrpc" in value)) {
    const { code, message } = (value as { error?: { code?: string; message?: string } } | null)?.error ?? {};
    return write(
      session,
      errorTo(id ?? null, `${message ?? "The service refused the message."} (${code ?? "unknown"})`),
    );
  }
  // An error from before the service has read the message, whose id it does not know.
  if ("error" in value && (value as { id?: unknown }).id === null && id !== undefined)
    return write(session, { ...value, id });
  const agreed = (value as Message).result?.protocolVersion;
  if (method === "initialize" && typeof agreed === "string") session.version = agreed;
  return write(session, value);
}

const errorTo = (id: Id | null, message: string) => ({ jsonrpc: "2.0", id, error: { code: SERVER_ERROR, message } });

/** A header takes visible ASCII; other names go as the protocol encodes them. */
const headerText = (text: string): string =>
  /^[\x21-\x7e]+$/.test(text) ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;

async function write({ stdout, signal }: Session, value: unknown): Promise<void> {
  if (!stdout.write(`${JSON.stringify(value)}\n`)) await once(stdout, "drain", { signal });
}
