/**
 * `npm run demo`: the main job, end to end, on real data. Everything lives in `demo-output/`. Every create carries a fixed
 * Idempotency-Key, so a demo that was killed goes on where it was when it is started again: nothing is lost, nothing doubled.
 */
import { createHash, randomBytes } from "node:crypto";
import { createReadStream, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { createInterface } from "node:readline";
import { Rowmill } from "@rowmill/client";
import type { Run } from "@rowmill/client";
import { readConfig } from "../../packages/server/src/config.ts";
import { createLog } from "../../packages/server/src/platform/log.ts";
import { startService } from "../../packages/server/src/service.ts";
import { correctedVersion, firstVersion, outputSchema } from "./job-spec.ts";
import { countPlaces, placesCsv } from "./places.ts";
import { RECEIVER_HOST, startReceiver } from "./receiver.ts";

const directory = resolve("demo-output");
/** A demo that takes longer than this hangs. */
const DEMO_LIMIT_MS = 5 * 60_000;
const WEBHOOK_LIMIT_MS = 60_000;

const startedAt = Date.now();
const watchdog = setTimeout(() => {
  console.error(`The demo did not end within ${DEMO_LIMIT_MS / 60_000} minutes.`);
  process.exit(1);
}, DEMO_LIMIT_MS);

const { adminKey, isResumed } = openDirectory();
step(isResumed ? "Taking up the demo that was interrupted" : "Starting Rowmill on an embedded PostgreSQL");
const receiver = await startReceiver(directory);
const service = await startService(
  readConfig({
    ROWMILL_DATA_DIR: join(directory, "data"),
    ROWMILL_PORT: "0",
    ROWMILL_METRICS_PORT: "off",
    ROWMILL_ADMIN_KEY: adminKey,
    ...receiver.settings,
  }),
  createLog("warn"),
  (error) => {
    console.error(error.message);
    process.exit(1);
  },
);
say(`${service.url}, data in ${shown("data")}`);

const admin = new Rowmill({ apiKey: adminKey, baseUrl: service.url });
const organization = await admin.organizations.create({ name: "Demo" }, { idempotencyKey: "demo-organization" });
const { key } = await admin.organizations.apiKeys.create(
  organization.id,
  { name: "Demo", scopes: ["*"] },
  { idempotencyKey: "demo-key" },
);
// A secret is shown once, to the one who made it; a repeat shows it to the same caller again.
if (key === undefined)
  throw new Error("The key of the demo was revoked. Remove its data directory and start it again.");
const rowmill = new Rowmill({ apiKey: key, baseUrl: service.url });

step("Registering a webhook endpoint");
const endpoint = await rowmill.webhookEndpoints.create(
  { url: `https://${RECEIVER_HOST}/rowmill`, eventTypes: ["run.finished", "export.ready"] },
  { idempotencyKey: "demo-endpoint" },
);
if (endpoint.signingSecret === undefined) throw new Error("The endpoint of the demo was made with another key.");
receiver.secret = endpoint.signingSecret;
say(`${endpoint.id} → ${endpoint.url}`);

step("Uploading 42,049 US zip codes with their towns' airports (CSV, streamed)");
const rowCount = await countPlaces();
const datasetId = await uploadPlaces();
const dataset = await rowmill.datasets.get(datasetId);
expectEqual("rows in the dataset", dataset.rowCount, rowCount);
say(`${dataset.id}: ${number(dataset.rowCount)} rows, ${dataset.columns.map((c) => `${c.name} ${c.type}`).join(", ")}`);
const [firstRow] = (await rowmill.datasets.rows(dataset.id, { limit: 1 })).data;
say(`row 0: ${JSON.stringify(firstRow?.data)}`);

step("Running a transform over every row; its first version knows no territories");
const jobSpec = await rowmill.jobSpecs.create(
  {
    name: "Postal regions",
    processor: { type: "transform", language: "javascript", code: firstVersion },
    outputSchema,
  },
  { idempotencyKey: "demo-job-spec" },
);
const created = await rowmill.runs.create(
  { datasetId: dataset.id, jobSpecId: jobSpec.id, scope: { type: "all" } },
  { idempotencyKey: "demo-run" },
);
const run = await watch(created);
expectEqual("state of the run", run.state, "partially_succeeded");
expectEqual("finished rows of the run", run.rows.succeeded + run.rows.failed, rowCount);
for (const output of (await rowmill.runs.outputs(run.id, { limit: 3 })).data)
  say(`output ${output.index}: ${JSON.stringify(output.data)}`);
for (const failure of (await rowmill.runs.failures(run.id, { limit: 2 })).data)
  say(`failure ${failure.index}: ${failure.code}, ${failure.message}`);

step(`Correcting the job spec and retrying only the ${number(run.rows.failed)} failed rows`);
const version = await rowmill.jobSpecs.versions.create(
  jobSpec.id,
  { processor: { type: "transform", language: "javascript", code: correctedVersion }, outputSchema },
  { idempotencyKey: "demo-version-2" },
);
const retry = await watch(
  await rowmill.runs.retry(run.id, { jobSpecVersion: version.version }, { idempotencyKey: "demo-retry" }),
);
expectEqual("rows of the retry", retry.rows.total, run.rows.failed);
expectEqual("state of the retry", retry.state, "succeeded");

step("Resolved results: one answer per row over both runs");
let resolved = 0;
let fromRetry = 0;
for await (const result of rowmill.runs.resolvedResults(retry.id).stream()) {
  expectEqual("index of a resolved result", result.index, resolved);
  expectEqual(`result of row ${result.index}`, result.resultState, "succeeded");
  resolved++;
  if (result.runId === retry.id) fromRetry++;
}
expectEqual("resolved results", resolved, rowCount);
say(`${number(resolved)} of ${number(rowCount)} rows succeeded, ${number(fromRetry)} of them in the retry`);

step("Exporting them as one table (CSV): input, output and state of each row");
const exported = await rowmill.exports.waitFor(
  (
    await rowmill.exports.create(
      retry.id,
      { type: "resolved_results", layout: "flat", format: "csv" },
      { idempotencyKey: "demo-export" },
    )
  ).id,
);
expectEqual("status of the export", exported.status, "ready");
const file = join(directory, "resolved-results.csv");
rmSync(file, { force: true });
await rowmill.exports.downloadToFile(exported.id, file);
const reread = await readBack(file);
expectEqual("lines of the file, without its header", reread.lines, rowCount);
expectEqual("SHA-256 of the file", reread.sha256, exported.sha256);
say(`${shown("resolved-results.csv")}: ${number(reread.lines)} rows, SHA-256 as announced`);
say(`columns ${reread.header}`);

step("Webhooks, verified by their signature");
say(`run.finished of the run: ${await findDelivered("run.finished", run.id)}`);
say(`run.finished of the retry: ${await findDelivered("run.finished", retry.id)}`);
say(`export.ready: ${await findDelivered("export.ready", retry.id)}`);

await service.stop();
await receiver.close();
writeFileSync(join(directory, "finished"), `${new Date().toISOString()}\n`);
clearTimeout(watchdog);
console.log(
  `\nDone in ${((Date.now() - startedAt) / 1000).toFixed(1)} seconds. The export is in ${shown("resolved-results.csv")}, the data in ${shown("data")}.\n` +
    "`npm start` runs the service for yourself.",
);

/** A finished demo makes room for a new one; an unfinished one is taken up. */
function openDirectory(): { adminKey: string; isResumed: boolean } {
  const stateFile = join(directory, "admin-key");
  if (existsSync(join(directory, "finished"))) rmSync(directory, { recursive: true });
  const isResumed = existsSync(stateFile);
  if (!isResumed) {
    mkdirSync(directory, { recursive: true });
    writeFileSync(stateFile, `demo_${randomBytes(24).toString("hex")}`, { mode: 0o600, flush: true });
  }
  return { adminKey: readFileSync(stateFile, "utf8"), isResumed };
}

/** The upload's end; its content is sent unless an earlier demo has sent it. */
async function uploadPlaces(): Promise<string> {
  let upload = await rowmill.datasetUploads.create(
    { name: "US zip codes with airports", format: "csv", source: { type: "upload", filename: "places.csv" } },
    { idempotencyKey: "demo-upload" },
  );
  upload = await rowmill.datasetUploads.get(upload.id);
  if (upload.state === "awaiting_content") {
    await rowmill.datasetUploads.uploadContent(upload.id, encoded(placesCsv()));
  }
  while (upload.finishedAt === null) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    upload = await rowmill.datasetUploads.get(upload.id);
  }
  if (upload.state !== "completed" || upload.datasetId === null)
    throw new Error(`the upload ended as ${upload.state}: ${JSON.stringify(upload.errors)}`);
  return upload.datasetId;
}

async function* encoded(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const PIECE = 64 * 1024;
  let text = "";
  for await (const line of lines) {
    text += line;
    if (text.length < PIECE) continue;
    yield Buffer.from(text);
    text = "";
  }
  yield Buffer.from(text);
}

async function watch(created: Run): Promise<Run> {
  const ended = await rowmill.runs.waitFor(created.id, {
    pollSeconds: 0.3,
    onProgress: ({ rows, progress }) => {
      const eta = progress.etaSeconds === null ? "" : `, ${progress.etaSeconds} s left`;
      progressLine(
        `${progress.percent.toFixed(1)} %  ${number(rows.succeeded)} succeeded, ${number(rows.failed)} failed${eta}`,
      );
    },
  });
  endProgressLine();
  const { rows, progress } = ended;
  const speed = progress.rowsPerSecond === null ? "" : ` at ${number(Math.round(progress.rowsPerSecond))} rows/s`;
  say(`${ended.id} ${ended.state}: ${number(rows.succeeded)} succeeded, ${number(rows.failed)} failed${speed}`);
  return ended;
}

/** This demo's receiver was told, or, where a demo was killed, the one of before: then the delivery record says so. */
async function findDelivered(type: "run.finished" | "export.ready", runId: string): Promise<string> {
  const [event] = (await rowmill.runs.events(runId, { type: [type] })).data;
  if (event === undefined) throw new Error(`${runId} has no event ${type}`);
  if (isResumed && !receiver.verified.some(({ id }) => id === event.id)) {
    for await (const delivery of rowmill.webhookDeliveries.list({ eventType: [type], status: ["succeeded"] })) {
      if (delivery.eventId === event.id) return `delivered before the demo was interrupted (${event.id})`;
    }
  }
  await receiver.waitFor(event.id, WEBHOOK_LIMIT_MS);
  return `verified (${event.id})`;
}

async function readBack(path: string): Promise<{ header: string; lines: number; sha256: string }> {
  const hash = createHash("sha256");
  let [header, lines] = ["", -1];
  for await (const line of createInterface({ input: createReadStream(path) })) {
    if (lines === -1) header = line;
    lines++;
  }
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return { header, lines, sha256: hash.digest("hex") };
}

function expectEqual<T>(what: string, actual: T, expected: T): void {
  if (actual !== expected) throw new Error(`${what}: expected ${String(expected)}, found ${String(actual)}`);
}

function step(title: string): void {
  console.log(`\n▸ ${title}`);
}
function say(text: string): void {
  console.log(`  ${text.length > 400 ? `${text.slice(0, 400)}…` : text}`);
}
/** On a terminal one line that changes; elsewhere nothing, since the end is printed anyway. */
function progressLine(text: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r\u001b[K  ${text}`);
  else console.log(`  ${text}`);
}
function endProgressLine(): void {
  if (process.stdout.isTTY) process.stdout.write("\r\u001b[K");
}
function number(value: number): string {
  return value.toLocaleString("en-US");
}
function shown(name: string): string {
  return relative(process.cwd(), join(directory, name));
}
