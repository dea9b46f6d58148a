import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openObjectStore } from "./open-store.ts";
import { parseStorageUrl } from "./storage-url.ts";

let scratch: string;
const log = pino({ level: "silent" });

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "rowmill-open-store-"));
});

afterAll(async () => {
  await rm(scratch, { recursive: true, force: true });
});

test("a file URL opens its folder, absolute or relative, with escaped characters", async () => {
  const spaced = join(scratch, "with space");
  await openObjectStore(parseStorageUrl(pathToFileURL(spaced).href), log);
  expect((await stat(spaced)).isDirectory()).toBe(true);

  const below = join(scratch, "below");
  const store = await openObjectStore(parseStorageUrl(`file:${relative(process.cwd(), below)}`), log);
  expect(store.localPath?.("a/b")).toBe(join(below, "a", "b"));
});

const plain = { kind: "s3", prefix: "", endpoint: undefined, region: undefined, hasPathStyle: false };

test.each([
  ["s3://bucket", { ...plain, bucket: "bucket" }],
  ["s3://my-bucket.x/", { ...plain, bucket: "my-bucket.x" }],
  [
    "s3://bucket/some/prefix/?region=eu-central-1",
    { ...plain, bucket: "bucket", prefix: "some/prefix/", region: "eu-central-1" },
  ],
  [
    "s3://bucket/p?endpoint=https%3A%2F%2Fs3.example.com",
    { ...plain, bucket: "bucket", prefix: "p/", endpoint: "https://s3.example.com", hasPathStyle: true },
  ],
  [
    "s3://bucket?endpoint=http://10.0.0.1:9000&pathStyle=false",
    { ...plain, bucket: "bucket", endpoint: "http://10.0.0.1:9000", hasPathStyle: false },
  ],
])("%j is a place in S3", (url, expected) => {
  expect(parseStorageUrl(url)).toEqual(expected);
});

test.each([
  ["https://example.com", /file:\/\/\/path\/to\/folder or s3:/],
  ["", /file:\/\/\/path\/to\/folder or s3:/],
  ["file:", /names no folder/],
  ["file://data/objects", /three slashes/],
  ["s3://", /names no bucket|no valid URL/],
  ["s3://Bucket_X/p", /names no bucket/],
  ["s3://AKIA:secret@bucket/p", /must not hold keys/],
  ["s3://bucket:9000/p", /without a port/],
  ["s3://bucket/a//b", /prefix that is not allowed/],
  ["s3://bucket/a%20b", /prefix that is not allowed/],
  ["s3://bucket/.hidden", /prefix that is not allowed/],
  [`s3://bucket/${"x".repeat(300)}`, /prefix that is not allowed/],
  ["s3://bucket?endpont=x", /unknown parameter "endpont"/],
  ["s3://bucket?endpoint=s3.example.com", /not an http or https URL/],
  ["s3://bucket?pathStyle=yes", /neither true nor false/],
])("%j is refused with a sentence", (url, sentence) => {
  expect(() => parseStorageUrl(url)).toThrow(sentence);
});
