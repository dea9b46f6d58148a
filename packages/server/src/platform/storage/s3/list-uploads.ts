/** Lists of multipart uploads and their parts. Pages by hand: some servers name a next page behind the last one, and the SDK follows. */
import type { MultipartUpload as ListedUpload, Part, S3Client } from "@aws-sdk/client-s3";
import { ListMultipartUploadsCommand, ListPartsCommand } from "@aws-sdk/client-s3";
import type { MultipartUpload } from "./upload-parts.ts";

export async function* listUploads(client: S3Client, Bucket: string, Prefix: string): AsyncGenerator<ListedUpload> {
  let marker: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {};
  for (;;) {
    const page = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix, ...marker }));
    yield* page.Uploads ?? [];
    if (page.IsTruncated !== true) return;
    marker = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
  }
}

export async function* listParts(client: S3Client, upload: MultipartUpload): AsyncGenerator<Part> {
  let PartNumberMarker: string | undefined;
  for (;;) {
    const page = await client.send(new ListPartsCommand({ ...upload, PartNumberMarker }));
    yield* page.Parts ?? [];
    if (page.IsTruncated !== true) return;
    PartNumberMarker = page.NextPartNumberMarker;
  }
}
