/** The client of the SDK: its limits, and what its errors mean for the operator. */
import { createHash } from "node:crypto";
import { S3Client, S3ServiceException } from "@aws-sdk/client-s3";
import { StoreUnavailableError } from "../storage.ts";
import type { S3Location } from "../storage-url.ts";
import { present } from "../../present.ts";

/** A connection is made in milliseconds, or the server is away. */
const CONNECTION_TIMEOUT_MS = 5_000;
/** Longer than a busy server needs to begin its response, and to put together a large object. */
const SOCKET_TIMEOUT_MS = 60_000;
/** Within 15 s at most for a server that slows us down (503), within 3 for one that closes connections: for a moment, and not for an outage. */
const ATTEMPTS = 6;
/** Transfers have two parts in flight each; what is beyond waits for a connection. */
const CONNECTIONS = 128;
/** What servers expect that have only one. */
const DEFAULT_REGION = "us-east-1";

export interface ClientOverrides {
  /** For tests. The first is of a clock that is wrong. */
  systemClockOffset?: number;
  socketTimeoutMs?: number;
  attempts?: number;
  leftoverAgeMs?: number;
}

export function createClient(location: S3Location, overrides: ClientOverrides = {}): S3Client {
  const { endpoint, region, hasPathStyle } = location;
  const { systemClockOffset, socketTimeoutMs = SOCKET_TIMEOUT_MS, attempts = ATTEMPTS } = overrides;
  const client = new S3Client({
    ...present({ endpoint, region }),
    ...(region === undefined && endpoint !== undefined ? { region: findRegion } : {}),
    ...present({ systemClockOffset }),
    forcePathStyle: hasPathStyle,
    maxAttempts: attempts,
    retryMode: "standard",
    // Servers of others refuse the checksums that the SDK otherwise adds.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      socketTimeout: socketTimeoutMs,
      httpAgent: { maxSockets: CONNECTIONS, keepAlive: true },
      httpsAgent: { maxSockets: CONNECTIONS, keepAlive: true },
    },
  });
  addContentMd5(client);
  repeatAfterClockJump(client);
  nameOutages(client);
  return client;
}

/** By the AWS variables; servers of others mostly have no regions. */
async function findRegion(): Promise<string> {
  try {
    return await new S3Client({}).config.region();
  } catch {
    // None is set.
    return DEFAULT_REGION;
  }
}

/**
 * The SDK learns from each response how far our clock is off. When the clock was set in between, the server refuses one request,
 * and the SDK repeats it only where the clock is now wrong.
 */
function repeatAfterClockJump(client: S3Client): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        if (codeOf(error) !== "RequestTimeTooSkewed") throw error;
        return next(args);
      }
    },
    { step: "initialize", name: "repeatAfterClockJump" },
  );
}

/**
 * After the last attempt, an error that the requested object did not cause gets a type of its own. By its code alone, a refused
 * connection to the store would be handled as one to the database.
 */
function nameOutages(client: S3Client): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        throw isOutage(error) ? describeFailure(error, "use") : error;
      }
    },
    { step: "initialize", name: "nameOutages", priority: "high" },
  );
}

/** Servers of others require it for a deletion of many; the SDK sends a newer checksum, which they do not know. */
function addContentMd5(client: S3Client): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      const { request } = args;
      if (hasTextBody(request))
        request.headers["content-md5"] = createHash("md5").update(request.body).digest("base64");
      return next(args);
    },
    { step: "build", name: "contentMd5OfXml", priority: "low" },
  );
}

function hasTextBody(request: unknown): request is { headers: Record<string, string>; body: string } {
  return (
    typeof request === "object" &&
    request !== null &&
    "headers" in request &&
    "body" in request &&
    typeof request.body === "string"
  );
}

/** The code of the server's response, or that of the failed connection. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  if ("code" in error && typeof error.code === "string") return error.code;
  return error.name;
}

export const statusOf = (error: unknown): number | undefined =>
  error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;

export const isMissing = (error: unknown): boolean =>
  ["NoSuchKey", "NotFound", "NoSuchUpload"].includes(codeOf(error)) ||
  (statusOf(error) === 404 && codeOf(error) !== "NoSuchBucket");

const SENTENCES: readonly (readonly [readonly string[], string])[] = [
  [["NoSuchBucket"], "The bucket does not exist: create it, or correct ROWMILL_STORAGE_URL."],
  [
    ["InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken", "ExpiredToken", "TokenRefreshRequired"],
    "The S3 server does not accept the keys: correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (and AWS_SESSION_TOKEN).",
  ],
  [
    ["CredentialsProviderError", "CredentialsError"],
    "There are no keys for the S3 server: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the machine a role.",
  ],
  [
    ["PermanentRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException", "301"],
    "The bucket is in another region: set AWS_REGION, or `region` in ROWMILL_STORAGE_URL.",
  ],
  [
    ["RequestTimeTooSkewed", "RequestExpired"],
    "The clocks of this machine and of the S3 server differ: set them by NTP.",
  ],
  [
    ["SlowDown", "ServiceUnavailable", "InternalError", "503", "500"],
    "The S3 server is overloaded, or has a failure of its own.",
  ],
];

const NETWORK =
  /^(ECONN|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|EPIPE|ETIMEDOUT|HPE_|RequestTimeout|TimeoutError|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL)/;

/** That of a failure, by which the SDK also means a response 200 that has an error in it, or nothing. */
const OUTAGE_STATUSES: ReadonlySet<number> = new Set([401, 403, 429]);

function isOutage(error: unknown): boolean {
  const code = codeOf(error);
  const status = statusOf(error) ?? 0;
  return (
    NETWORK.test(code) ||
    SENTENCES.some(([codes]) => codes.includes(code)) ||
    status >= 500 ||
    OUTAGE_STATUSES.has(status)
  );
}

/** `doing` is what failed, such as "write to": "The key may not write to the bucket". */
export function describeFailure(error: unknown, doing: string): StoreUnavailableError {
  if (error instanceof StoreUnavailableError && error.cause !== undefined) return describeFailure(error.cause, doing);
  const code = codeOf(error);
  const sentence =
    SENTENCES.find(([codes]) => codes.includes(code))?.[1] ??
    (error instanceof Error && error.message.startsWith("Region is missing")
      ? "No region is set: set AWS_REGION, or `region` in ROWMILL_STORAGE_URL."
      : NETWORK.test(code)
        ? "The S3 server cannot be reached: look at the network, its name and its certificate."
        : statusOf(error) === 403
          ? `The key may not ${doing} the bucket: give it the rights of deploy/s3-policy.json (docs/operations/configure.md).`
          : `The S3 server does not let us ${doing} the bucket.`);
  return new StoreUnavailableError(`${sentence} (${code})`, { cause: error });
}
