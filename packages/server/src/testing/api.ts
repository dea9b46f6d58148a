/** Requests as a customer sends them; every response is checked against the contract before a test sees it. */
import { Agent, request as httpRequest } from "node:http";
import type { Readable } from "node:stream";
import type { ErrorBody } from "../platform/http/errors.ts";
import { checkResponse } from "./contract-check.ts";

/** Longer than any response may take; a test that hangs should say at which request. */
const REQUEST_TIMEOUT_MS = 240_000;

export interface ApiRequest {
  /** Sent as JSON; a string, Buffer or stream is sent as it is. */
  body?: unknown;
  /** The API key; undefined is the key that the function was made for, null sends no key. */
  key?: string | null;
  /** Undefined: a new one for every POST; null: none. */
  idempotencyKey?: string | null;
  headers?: Record<string, string>;
}

/** Members that tests look at most, where a call does not say what it expects: `api<Run>("GET", …)`. */
export interface AnyBody {
  id: string;
  data: AnyBody[];
  nextCursor: string | null;
  error: ErrorBody["error"];
  [member: string]: unknown;
}

export interface ApiResponse<Body> {
  status: number;
  headers: Record<string, string | undefined>;
  body: Body;
  text: string;
  bytes: Buffer;
}

export type Api = <Body = AnyBody>(method: string, path: string, request?: ApiRequest) => Promise<ApiResponse<Body>>;

/** As an expectation, but one that shows the whole response when it fails. */
export function expectStatus(reply: ApiResponse<unknown>, status: number): void {
  if (reply.status !== status) throw new Error(`expected ${status}, got ${reply.status}: ${reply.text}`);
}

let idempotencyKeys = 0;

/** `logOf` says what the service logged of a request: a test may not pass over a 500. */
export function createApi(url: string, defaultKey: string | null, logOf: (requestId: string) => string): Api {
  return async <Body>(method: string, path: string, request: ApiRequest = {}): Promise<ApiResponse<Body>> => {
    const headers: Record<string, string> = {};
    const key = request.key === undefined ? defaultKey : request.key;
    if (key !== null) headers["Authorization"] = `Bearer ${key}`;
    const idempotencyKey =
      request.idempotencyKey === undefined && method === "POST"
        ? `test-${process.pid}-${++idempotencyKeys}`
        : request.idempotencyKey;
    if (typeof idempotencyKey === "string") headers["Idempotency-Key"] = idempotencyKey;
    const isRaw = typeof request.body === "string" || Buffer.isBuffer(request.body) || isStream(request.body);
    const content = request.body === undefined || isRaw ? request.body : JSON.stringify(request.body);
    if (content !== undefined) headers["Content-Type"] = "application/json";
    Object.assign(headers, request.headers);
    const reply = await send(url + path, method, headers, content as string | Buffer | Readable | undefined); // as just found out
    const text = reply.bytes.toString("utf8");
    checkResponse({ method, path: path.split("?", 1)[0] ?? "", status: reply.status, headers: reply.headers, text });
    if (reply.status === 500)
      throw new Error(`${method} ${path} responded 500: ${logOf(reply.headers["request-id"] ?? "")}`);
    const isJson = /^application\/(problem\+)?json/.test(reply.headers["content-type"] ?? "");
    const body: unknown = isJson && text !== "" ? JSON.parse(text) : undefined;
    return { ...reply, text, body: body as Body }; // the contract's shape, as checked
  };
}

const isStream = (body: unknown): body is Readable =>
  typeof body === "object" && body !== null && "pipe" in body && typeof body.pipe === "function";

const agent = new Agent({ keepAlive: true });

/** `node:http`, since `fetch` forbids some of what hostile clients send. */
function send(
  url: string,
  method: string,
  headers: Record<string, string>,
  content: string | Buffer | Readable | undefined,
): Promise<{ status: number; headers: Record<string, string | undefined>; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    const request = httpRequest(url, { method, headers, agent, signal }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        resolve({
          status: response.statusCode ?? 0,
          headers: Object.fromEntries(
            Object.entries(response.headers).map(([name, value]) => [
              name,
              Array.isArray(value) ? value.join(", ") : value,
            ]),
          ),
          bytes: Buffer.concat(chunks),
        });
      });
    });
    request.on("error", (error) => reject(new Error(`${method} ${url}: ${error.message}`, { cause: error })));
    if (isStream(content)) content.on("error", reject).pipe(request);
    else if (content === undefined) request.end();
    else {
      if (!("Content-Length" in headers) && !("Transfer-Encoding" in headers))
        request.setHeader("Content-Length", Buffer.byteLength(content));
      request.end(content);
    }
  });
}
