/** Requests of the tus protocol, as tests send them. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import type { ClientRequest } from "node:http";
import { join } from "node:path";
import type { DatasetUpload } from "@rowmill/contract/dataset-uploads";
import type { AnyBody, ApiResponse } from "../testing/api.ts";

export const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
export const pathOf = ({ id }: DatasetUpload): string => `/v1/dataset-uploads/${id}/content/resumable`;
export const tus = (headers: Record<string, string | number> = {}): Record<string, string> => ({
  "Tus-Resumable": "1.0.0",
  ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
});
export const partHeaders = (offset: number, more: Record<string, string | number> = {}) =>
  tus({ "Content-Type": "application/offset+octet-stream", "Upload-Offset": offset, ...more });
export const codeOf = async (response: Promise<ApiResponse<AnyBody>>): Promise<[number, string]> => {
  const { status, body } = await response;
  return [status, body.error.code];
};

/** A PATCH whose body the test sends piece by piece. */
export function openPatch(
  url: string,
  key: string,
  offset: number,
  more: Record<string, string | number> = {},
): ClientRequest {
  const request = httpRequest(url, {
    method: "PATCH",
    headers: { authorization: `Bearer ${key}`, ...partHeaders(offset, more) },
    agent: false,
  });
  request.on("error", () => undefined); // cut by the test
  return request;
}

export const partFiles = async (settings: Record<string, string>): Promise<string[]> => {
  const folder = join(settings["ROWMILL_DATA_DIR"] ?? "", "files", ".partial");
  return existsSync(folder) ? readdir(folder) : [];
};
