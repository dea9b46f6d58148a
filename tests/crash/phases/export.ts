/** Files are written, in every format. What is reported of one, its SHA-256 above all, stays true for as long as it is kept. */
import { createHash } from "node:crypto";
import type { Export } from "@rowmill/contract/exports";
import { exportFormats } from "@rowmill/contract/exports";
import { BOUND_MS } from "../deployment.ts";
import { until } from "../findings.ts";
import type { Finding } from "../findings.ts";
import type { Work } from "../work.ts";
import { ROWS } from "../crash-world.ts";
import type { World } from "../crash-world.ts";

export function beginExport(world: World): Work {
  const { client, endedRunId } = world;
  const create = (format: string): Promise<Export> =>
    client.request<Export>("POST", `/v1/runs/${endedRunId}/exports`, { body: { type: "resolved_results", format } });
  const created = exportFormats.map(create);
  const ready = created.map(async (one) => {
    const { id } = await one;
    return until(`the end of export ${id}`, BOUND_MS, async () => {
      const found = await client.request<Export>("GET", `/v1/exports/${id}`);
      return found.finishedAt === null ? undefined : found;
    });
  });
  return {
    begun: Promise.any(created),
    ended: Promise.all(ready),
    check: async () => (await Promise.all(ready.map(async (one) => checkExport(world, await one)))).flat(),
  };
}

async function checkExport(world: World, made: Export): Promise<Finding[]> {
  const { id, status, format, rowCount, sha256 } = made;
  if (status !== "ready" || sha256 === null)
    return [{ kind: "lost", what: `export ${id} is ${status}: ${made.statusMessage}` }];
  world.ledger.exports.push({ id, sha256 });
  const findings = await checkFile(world, id, sha256);
  if (rowCount !== ROWS) findings.push({ kind: "wrong", what: `export ${id} (${format}) has ${rowCount} rows` });
  return findings;
}

export async function checkFile({ client }: World, id: string, sha256: string): Promise<Finding[]> {
  const received = await client.attempt("GET", `/v1/exports/${id}/download`, { accept: "*/*" });
  if (received === undefined) {
    const bytes = await client.download(`/v1/exports/${id}/download`);
    return compareFile(id, sha256, bytes);
  }
  if (received.status !== 200)
    return [{ kind: "lost", what: `the file of export ${id} is gone: ${received.status} ${received.text}` }];
  return compareFile(id, sha256, received.bytes);
}

function compareFile(id: string, sha256: string, bytes: Uint8Array): Finding[] {
  const found = createHash("sha256").update(bytes).digest("hex");
  return found === sha256
    ? []
    : [{ kind: "lost", what: `the file of export ${id} is another one: ${bytes.length} bytes` }];
}
