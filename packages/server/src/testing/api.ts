/** Requests as a customer sends them; every answer is checked against the contract before a test sees it. */
import { Agent, request as httpRequest } from "node:http";
import type { Readable } from "node:stream";
import type { ErrorBody } from "../platform/http/errors.ts";
import { checkAnswer } from "./contract-check.ts";

/** Longer than any answer may take; a test that hangs should say at which request. */
const REQUEST_TIMEOUT_MS = 45_000;

export interface ApiRequest {
  /** Sent as JSON; a string, Buffer or stream is sent as it is. */
  body?: unknown;
  /** The API key; undefined is the key that the function was made for, null is none. */
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

export interface ApiAnswer<Body> {
  status: number;
  headers: Record<string, string | undefined>;
  body: Body;
  text: string;
  bytes: Buffer;
}

export type Api = <Body = AnyBody>(method: string, path: string, request?: ApiRequest) => Promise<ApiAnswer<Body>>;

/** As an expectation, but one that shows the whole answer when it fails. */
export function expectStatus(answer: ApiAnswer<unknown>, status: number): void {
  if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status}: ${answer.text}`);
}

let idempotencyKeys = 0;

/** `logOf` says what the service logged of a request: a test may not pass over a 500. */
export function createApi(url: string, defaultKey: string | null, logOf: (requestId: string) => string): Api {
  return async <Body>(method: string, path: string, request: ApiRequest = {}): Promise<ApiAnswer<Body>> => {
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
    const answer = await send(url + path, method, headers, content as string | Buffer | Readable | undefined); // as just found out
    const text = answer.bytes.toString("utf8");
    checkAnswer({ method, path: path.split("?", 1)[0] ?? "", status: answer.status, headers: answer.headers, text });
    if (answer.status === 500)
      throw new Error(`${method} ${path} answered 500: ${logOf(answer.headers["request-id"] ?? "")}`);
    const isJson = /^application\/(problem\+)?json/.test(answer.headers["content-type"] ?? "");
    const body: unknown = isJson && text !== "" ? JSON.parse(text) : undefined;
    return { ...answer, text, body: body as Body }; // the contract's shape, as checked
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
