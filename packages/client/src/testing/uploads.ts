/** What a service responds to an upload. */
import { json } from "./service.ts";
import type { Respond } from "./service.ts";

export const upload = { id: "upl_1", state: "awaiting_content", datasetId: null, errors: [] };

/** A service that takes what is sent and has read it at the second look. */
export function intake(ended: object = { state: "completed", datasetId: "ds_1" }): Respond {
  let looks = 0;
  return (response, { method, url }) => {
    if (url.pathname === "/v1/datasets/ds_1") json(response, 200, { id: "ds_1", state: "ready" });
    else if (method === "GET") json(response, 200, { ...upload, state: "processing", ...(looks++ > 0 ? ended : {}) });
    else json(response, method === "PUT" ? 200 : 201, upload);
  };
}

export async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array, void, undefined> {
  for (const text of texts) yield new TextEncoder().encode(text);
}
