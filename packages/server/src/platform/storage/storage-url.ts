/** The setting ROWMILL_STORAGE_URL. */
import { fileURLToPath } from "node:url";

export type StorageLocation = { kind: "folder"; folder: string } | S3Location;

export interface S3Location {
  kind: "s3";
  bucket: string;
  /** Empty, or ends with a slash. */
  prefix: string;
  /** Undefined: that of AWS for the region, or of `AWS_ENDPOINT_URL_S3`. */
  endpoint: string | undefined;
  region: string | undefined;
  /** The bucket is in the path, and not in the name of the host. */
  hasPathStyle: boolean;
}

/** Of S3, and what its compatible servers accept besides. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
/** Names as those of keys, so that the whole key has no character that a server reads in its own way. */
const PREFIX = /^([A-Za-z0-9_-][A-Za-z0-9._-]*\/)*$/;
/** With the longest key it stays below the 1024 bytes of S3. */
const MAX_PREFIX_CHARACTERS = 256;
const PARAMETERS = ["endpoint", "pathStyle", "region"];

/** `file:///var/lib/rowmill/objects`, `file:./data/objects`, `s3://bucket/prefix?endpoint=…&pathStyle=true&region=…`. Throws a sentence. */
export function parseStorageUrl(storageUrl: string): StorageLocation {
  if (storageUrl.startsWith("file:")) return { kind: "folder", folder: folderOf(storageUrl) };
  if (storageUrl.startsWith("s3:")) return locationOf(storageUrl);
  throw new Error("must be file:///path/to/folder or s3://bucket/prefix");
}

function folderOf(fileUrl: string): string {
  const path = fileUrl.slice("file:".length);
  if (path === "") throw new Error("names no folder: use file:///path/to/folder");
  // `new URL` would make a relative path absolute.
  if (!path.startsWith("/")) return decodeURIComponent(path);
  try {
    return fileURLToPath(fileUrl);
  } catch (cause) {
    throw new Error("is no valid file URL: use file:///path/to/folder, with three slashes", { cause });
  }
}

function locationOf(storageUrl: string): S3Location {
  if (!URL.canParse(storageUrl)) throw new Error("is no valid URL: use s3://bucket/prefix");
  const url = new URL(storageUrl);
  if (url.username !== "" || url.password !== "")
    throw new Error("must not hold keys: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  if (url.hash !== "" || url.port !== "") throw new Error("must be s3://bucket/prefix, without a port or a fragment");
  if (!BUCKET.test(url.hostname))
    throw new Error("names no bucket: use s3://bucket/prefix, with the name in lower case");
  const path = url.pathname.replace(/^\/+|\/+$/g, "");
  const prefix = path === "" ? "" : `${path}/`;
  if (!PREFIX.test(prefix) || prefix.length > MAX_PREFIX_CHARACTERS)
    throw new Error(
      `has a prefix that is not allowed: names of letters, digits, ".", "_" and "-", separated by slashes, ${MAX_PREFIX_CHARACTERS} characters at most`,
    );
  for (const [name] of url.searchParams)
    if (!PARAMETERS.includes(name))
      throw new Error(`has an unknown parameter "${name}": ${PARAMETERS.join(", ")} are known`);
  const endpoint = url.searchParams.get("endpoint") ?? undefined;
  if (endpoint !== undefined) checkEndpoint(endpoint);
  return {
    kind: "s3",
    bucket: url.hostname,
    prefix,
    endpoint,
    region: url.searchParams.get("region") ?? undefined,
    hasPathStyle: pathStyleOf(url) ?? endpoint !== undefined,
  };
}

function checkEndpoint(endpoint: string): void {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol) || url.username !== "" || url.search !== "")
    throw new Error("has an endpoint that is not an http or https URL, such as https://s3.example.com");
}

function pathStyleOf(url: URL): boolean | undefined {
  const text = url.searchParams.get("pathStyle");
  if (text === null) return undefined;
  if (text !== "true" && text !== "false") throw new Error("has a pathStyle that is neither true nor false");
  return text === "true";
}
