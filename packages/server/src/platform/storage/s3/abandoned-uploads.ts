/** Multipart uploads of processes that died: their parts take space, and no list of objects shows them. */
import type { S3Client } from "@aws-sdk/client-s3";
import { listParts, listUploads } from "./list-uploads.ts";
import { abortUpload } from "./upload-parts.ts";
import type { MultipartUpload } from "./upload-parts.ts";

interface Bounds {
  Bucket: string;
  prefix: string;
  isLeftover: (time: Date) => boolean;
  /** Of partials, which may wait for longer. */
  openIds: () => Promise<Set<string>>;
}

/** Keys as we make them: below our prefix may be one of another installation. */
const OURS = /^(dataset-uploads|exports)\/org_/;

/** How many there were. */
export async function abortAbandonedUploads(client: S3Client, bounds: Bounds): Promise<number> {
  const { Bucket, prefix, isLeftover, openIds } = bounds;
  const abandoned: MultipartUpload[] = [];
  for await (const { Key = "", UploadId = "", Initiated } of listUploads(client, Bucket, prefix)) {
    if (!OURS.test(Key.slice(prefix.length))) continue;
    const upload = { Bucket, Key, UploadId };
    if (Initiated === undefined || !isLeftover(Initiated)) continue;
    if (isLeftover(await lastPartAt(client, upload, Initiated))) abandoned.push(upload);
  }
  if (abandoned.length === 0) return 0;
  const open = await openIds();
  const left = abandoned.filter(({ UploadId }) => !open.has(UploadId));
  for (const upload of left) await abortUpload(client, upload);
  return left.length;
}

async function lastPartAt(client: S3Client, upload: MultipartUpload, begunAt: Date): Promise<Date> {
  let latest = begunAt;
  for await (const { LastModified } of listParts(client, upload))
    if (LastModified !== undefined && LastModified > latest) latest = LastModified;
  return latest;
}
