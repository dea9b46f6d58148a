/** Rows come in: a file that is sent in pieces, and rows in the body of a request. */
import { setTimeout as pause } from "node:timers/promises";
import type { DatasetUpload } from "@rowmill/contract/dataset-uploads";
import { readList } from "../client.ts";
import { compareOnce, until } from "../findings.ts";
import type { Finding } from "../findings.ts";
import { BOUND_MS } from "../deployment.ts";
import type { Work } from "../work.ts";
import { endedUpload, rowsFrom } from "../crash-world.ts";
import type { World } from "../crash-world.ts";

const INLINE_ROWS = 120;
const PIECES = 8;
/** Between two pieces: the client is not the fastest. */
const PIECE_PAUSE_MS = 40;

interface Sent {
  id: string;
  rows: number;
}

export function beginIntake(world: World): Work {
  const { client, random } = world;
  const fileRows = random.integer(300, 3_000);
  const sent: Sent[] = [];
  const sendInline = async (): Promise<void> => {
    const { id } = await client.request<DatasetUpload>("POST", "/v1/dataset-uploads", {
      body: { name: "Inline", source: { type: "inline", rows: rowsFrom(INLINE_ROWS) } },
    });
    sent.push({ id, rows: INLINE_ROWS });
    await endedUpload(client, id);
  };
  const sendFile = async (): Promise<void> => {
    const { id } = await client.request<DatasetUpload>("POST", "/v1/dataset-uploads", {
      body: { name: "File", format: "jsonl", source: { type: "upload" } },
    });
    sent.push({ id, rows: fileRows });
    await putContent(world, id, fileRows);
    await endedUpload(client, id);
  };
  return {
    begun: Promise.resolve(),
    ended: Promise.all([sendInline(), sendFile()]),
    check: async () => (await Promise.all(sent.map((one) => checkUpload(world, one)))).flat(),
  };
}

/** Until it is acknowledged, or the session shows that its content has arrived. */
async function putContent({ client }: World, id: string, rows: number): Promise<void> {
  const path = `/v1/dataset-uploads/${id}`;
  await until(`the content of upload ${id}`, BOUND_MS, async () => {
    const put = await client.attempt("PUT", `${path}/content`, { content: () => pieces(rows) });
    if (put?.status === 200) return true;
    const { state } = await client.request<DatasetUpload>("GET", path);
    return state === "awaiting_content" ? undefined : true;
  });
}

async function* pieces(rows: number): AsyncGenerator<Uint8Array> {
  const lines = rowsFrom(rows).map((row) => `${JSON.stringify(row)}\n`);
  const each = Math.ceil(rows / PIECES);
  for (let at = 0; at < rows; at += each) {
    yield Buffer.from(lines.slice(at, at + each).join(""));
    await pause(PIECE_PAUSE_MS);
  }
}

async function checkUpload({ client, ledger }: World, { id, rows }: Sent): Promise<Finding[]> {
  const upload = await client.request<DatasetUpload>("GET", `/v1/dataset-uploads/${id}`);
  if (upload.state !== "completed" || upload.datasetId === null)
    return [{ kind: "lost", what: `upload ${id} is ${upload.state}: ${JSON.stringify(upload.errors)}` }];
  ledger.uploads.push({ id, datasetId: upload.datasetId, rows });
  const found = await readList<{ data: { n: number } }>(client, `/v1/datasets/${upload.datasetId}/rows`);
  const expected = Array.from({ length: rows }, (_unused, n) => n);
  return compareOnce(
    `rows of dataset ${upload.datasetId}`,
    expected,
    found.map(({ data }) => data.n),
  );
}
