/** Buckets of the real S3 server of the tests, and a network in front of it that fails on request. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, request as httpRequest } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { CreateBucketCommand, ListMultipartUploadsCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { pino } from "pino";
import { cleanUpLater } from "./cleanup.ts";
import type { ObjectStore } from "../platform/storage/storage.ts";
import type { S3Location } from "../platform/storage/storage-url.ts";
import type { ClientOverrides } from "../platform/storage/s3/s3-client.ts";
import { openS3Store } from "../platform/storage/s3/s3-store.ts";

/** Set by `npm run test:s3`, with the AWS variables of its keys. */
export const ENDPOINT = process.env["ROWMILL_TEST_S3_ENDPOINT"] ?? "";

export const s3 = new S3Client({ endpoint: ENDPOINT, region: "us-east-1", forcePathStyle: true });

export async function newBucket(): Promise<string> {
  const Bucket = `test-${randomUUID()}`;
  await s3.send(new CreateBucketCommand({ Bucket }));
  return Bucket;
}

/** As somebody else does who uses the bucket, too. */
export async function putForeignObject(Bucket: string, Key: string, Body: string): Promise<void> {
  await s3.send(new PutObjectCommand({ Bucket, Key, Body }));
}

export const locationIn = (bucket: string, prefix = "", endpoint = ENDPOINT): S3Location => ({
  kind: "s3",
  bucket,
  prefix,
  endpoint,
  region: "us-east-1",
  hasPathStyle: true,
});

export const storageUrlOf = ({ bucket, prefix, endpoint = ENDPOINT }: S3Location): string =>
  `s3://${bucket}/${prefix}?endpoint=${encodeURIComponent(endpoint)}&region=us-east-1`;

export function openStore(location: S3Location, overrides: ClientOverrides = {}): ObjectStore {
  const store = openS3Store(location, pino({ level: "silent" }), overrides);
  cleanUpLater(() => store.close());
  return store;
}

export async function openUploads(Bucket: string): Promise<string[]> {
  const { Uploads = [] } = await s3.send(new ListMultipartUploadsCommand({ Bucket }));
  return Uploads.map(({ Key = "" }) => Key);
}

export async function listKeys(location: S3Location): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of openStore(location).list("")) keys.push(key);
  return keys;
}

/** Returns true where it has dealt with the request. */
type Fault = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface FaultyNetwork {
  endpoint: string;
  /** What the next requests meet; undefined: nothing. */
  fault: Fault | undefined;
  requests: number;
}

export async function startFaultyNetwork(): Promise<FaultyNetwork> {
  const target = new URL(ENDPOINT);
  const network: FaultyNetwork = { endpoint: "", fault: undefined, requests: 0 };
  const server = createServer((request, response) => {
    network.requests++;
    if (network.fault?.(request, response) === true) return;
    // The signature covers the host of the request, which stays as it is.
    const { method, url: path, headers } = request;
    const onward = httpRequest({ host: target.hostname, port: target.port, method, path, headers }, (incoming) => {
      response.writeHead(incoming.statusCode ?? 0, incoming.headers);
      incoming.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanUpLater(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  const { port } = server.address() as AddressInfo; // it listens on TCP
  network.endpoint = `http://127.0.0.1:${port}`;
  return network;
}

export function slowDown(response: ServerResponse): true {
  response.writeHead(503, { "content-type": "application/xml" });
  response.end(`<?xml version="1.0"?><Error><Code>SlowDown</Code><Message>Reduce your request rate.</Message></Error>`);
  return true;
}
