/**
 * `npm run demo`: the main job, end to end, on real data with a model on this machine. Everything lives in `demo-output/`. Every create
 * carries a fixed Idempotency-Key, so a demo that was killed goes on where it was when it is started again: nothing is lost, nothing
 * doubled, and no recorded row is paid for twice.
 */
import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Rowmill } from "@rowmill/client";
import type { Run } from "@rowmill/client";
import { count, duration, plural, usd, usdRange } from "../../packages/cli/src/frame/numbers.ts";
import { follow } from "./follow.ts";
import { CORRECTED_PROMPT, FIRST_PROMPT, definition } from "./job-spec.ts";
import { MODEL, PRICE, costOf, startModel } from "./model.ts";
import { moviesCsv, splitCsv } from "./movies.ts";
import { openPlace } from "./place.ts";
import { startReceiver } from "./receiver.ts";
import { expectEqual, fit, isWatched, isWide, say, step, table } from "./screen.ts";
import { startService } from "./service.ts";

const HELP = `npm run demo [-- OPTIONS]

  --kill   kill -9 the service and its database in the middle of the run
  --exit   end after the last step; else the service stays up until Ctrl-C where there is a terminal`;
/** A demo that takes longer than this hangs. */
const DEMO_LIMIT_MS = 15 * 60_000;
/** A delivery takes milliseconds, and the next attempt after one that failed is seconds later: only a lost one takes so long. */
const WEBHOOK_LIMIT_MS = 60_000;
/** An attempt that was under way when the service was killed keeps others from its delivery for 30 seconds. */
const WEBHOOK_LIMIT_AFTER_KILL_MS = 120_000;
const BUDGET_USD = "0.50";
/** Enough that the estimate knows how long completions are. */
const SAMPLE_ROWS = 40;
/** The rows with this cause are retried: their completions do not fit the schema. */
const CAUSE = "output_schema_invalid";
const INTERRUPTED = 130;
/** The command line finds an id by its beginning. */
const UNIQUE_ID_CHARACTERS = 18;

const { values: options } = parseArgs({
  options: { kill: { type: "boolean" }, exit: { type: "boolean" }, help: { type: "boolean", short: "h" } },
});
if (options.help === true) {
  console.log(HELP);
  process.exit();
}
const startedAt = Date.now();
const watchdog = setTimeout(
  () => fail(`The demo did not end within ${DEMO_LIMIT_MS / 60_000} minutes.`),
  DEMO_LIMIT_MS,
);
const opened = await openPlace();
if (opened === undefined) fail("A demo is running in demo-output: end it first, with Ctrl-C in its terminal.");
const place = opened;
const { isResumed } = place;

step(
  isResumed ? "Taking up the demo that was interrupted" : "Starting Rowmill with a database of its own, and a model",
);
let isInterrupted = false;
const interrupted = (): void => {
  isInterrupted = true;
  console.error("\nInterrupted. `npm run demo` goes on where it was.");
};
// After an interruption the service is stopped, so requests that wait for it fail: the demo does not report them.
process.on("uncaughtException", (error) => {
  if (!isInterrupted) fail(error.stack ?? error.message);
});
// A service that is starting stops by itself when this process ends.
let end = (): void => {
  interrupted();
  process.exit(INTERRUPTED);
};
// Once: the second Ctrl-C ends the process, as if nobody listened.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => end());
const model = await startModel(place.modelPort);
const receiver = await startReceiver(place.receiverPort);
let service = await startService(place, fail);
end = () => {
  interrupted();
  void service.stop().then(() => process.exit(INTERRUPTED));
};
say(`${service.url}, ready in ${duration((Date.now() - startedAt) / 1000)}; the model ${MODEL} at ${model.baseUrl}`);

const admin = new Rowmill({ apiKey: place.adminKey, baseUrl: service.url });
const organization = await admin.organizations.create({ name: "Demo" }, { idempotencyKey: "demo-organization" });
const { key } = await admin.organizations.apiKeys.create(
  organization.id,
  { name: "Demo", scopes: ["*"] },
  { idempotencyKey: "demo-key" },
);
// A secret is shown once, to the one who made it; a repeat shows it to the same caller again.
if (key === undefined) fail("The key of the demo was revoked. Remove demo-output and start the demo again.");
const rowmill = new Rowmill({ apiKey: key, baseUrl: service.url });
const connection = await rowmill.connections.create(
  { type: "openai_compatible", name: "Demo model", baseUrl: model.baseUrl, prices: { models: { [MODEL]: PRICE } } },
  { idempotencyKey: "demo-connection" },
);
const endpoint = await rowmill.webhookEndpoints.create(
  { url: receiver.url, eventTypes: ["run.finished", "export.ready"] },
  { idempotencyKey: "demo-endpoint" },
);
if (endpoint.signingSecret === undefined) fail("The endpoint of the demo was made with another key.");
receiver.secret = endpoint.signingSecret;

const { text: csv, rowCount } = moviesCsv();
step(`Uploading ${count(rowCount)} films (CSV)`);
writeFileSync(place.path("movies.csv"), csv);
const dataset = await rowmill.datasets.upload(
  { name: "Films", format: "csv", file: place.path("movies.csv") },
  { idempotencyKey: "demo-upload" },
);
expectEqual("rows in the dataset", dataset.rowCount, rowCount);
say(`${dataset.id}: ${dataset.columns.map(({ name, type }) => `${name} ${type}`).join(", ")}`);

step(`Asking the model who ${SAMPLE_ROWS} of them are for, to know the price of all`);
const jobSpec = await rowmill.jobSpecs.create(
  { name: "Audience", ...definition(connection.id, FIRST_PROMPT) },
  { idempotencyKey: "demo-job-spec" },
);
const rowsOf = { datasetId: dataset.id, jobSpecId: jobSpec.id };
const sample = await rowmill.runs.waitFor(
  (
    await rowmill.runs.create(
      { ...rowsOf, name: "Sample", scope: { type: "sample", count: SAMPLE_ROWS, seed: 1 } },
      { idempotencyKey: "demo-sample" },
    )
  ).id,
);
const all = { ...rowsOf, name: "Films", scope: { type: "all" as const } };
const { estimate } = await rowmill.runs.estimate(all, { idempotencyKey: "demo-estimate" });
const price = estimate.costUsd;
if (price === null) fail("The price of the demo's model is not known.");
say(`${SAMPLE_ROWS} rows cost ${usd(sample.usage.costUsd ?? 0)}`);
say(
  `${plural(rowCount, "row")} will cost ${usdRange(Number(price.low), Number(price.high))}; the budget is ${usd(BUDGET_USD)}`,
);

step(`Running it over all rows${options.kill === true ? ", with a kill -9 in the middle" : ""}`);
const created = await rowmill.runs.create(
  { ...all, budget: { maxCostUsd: BUDGET_USD, onExceeded: "pause" } },
  { idempotencyKey: "demo-run" },
);
const { run, failures } = await follow(rowmill, created, isResumed, options.kill === true ? killService : undefined);
expectEqual("state of the run", run.state, "partially_succeeded");
expectEqual("finished rows of the run", run.rows.succeeded + run.rows.failed, rowCount);

step(`${count(run.rows.failed)} rows failed, by cause`);
table(
  ["rows", "cause", "such as"],
  failures.map(({ code, count: rows, sample: { message } }) => [count(rows), code, message]),
);
expectEqual(
  "failures, summed by cause",
  failures.reduce((sum, group) => sum + group.count, 0),
  run.rows.failed,
);

const curable = failures.filter(({ code }) => code === CAUSE).reduce((sum, group) => sum + group.count, 0);
step(`Correcting the prompt, and retrying the ${count(curable)} rows of one cause`);
say(`"${CORRECTED_PROMPT}"`);
const { version } = await rowmill.jobSpecs.versions.create(jobSpec.id, definition(connection.id, CORRECTED_PROMPT), {
  idempotencyKey: "demo-version-2",
});
const retried = await rowmill.runs.retry(
  run.id,
  {
    jobSpecVersion: version,
    selection: { type: "codes", codes: [CAUSE] },
    budget: { maxCostUsd: BUDGET_USD, onExceeded: "pause" },
  },
  { idempotencyKey: "demo-retry" },
);
const { run: retry } = await follow(rowmill, retried, isResumed);
expectEqual("rows of the retry", retry.rows.total, curable);
expectEqual("state of the retry", retry.state, "succeeded");

step("One table over both runs: the file's columns, the model's, and the state of each row");
const file = place.path("audience.csv");
rmSync(file, { force: true });
const exported = await rowmill.exports.waitFor(
  (
    await rowmill.exports.create(
      retry.id,
      { type: "resolved_results", layout: "flat", format: "csv" },
      { idempotencyKey: "demo-export" },
    )
  ).id,
  { pollSeconds: 0.1 },
);
expectEqual("status of the export", exported.status, "ready");
await rowmill.exports.downloadToFile(exported.id, file);
const succeeded = printTable(readFileSync(file), exported.sha256);
expectEqual("rows that succeeded", succeeded, rowCount - run.rows.failed + retry.rows.succeeded);
say("");
say(
  `${place.shown("audience.csv")}: ${count(succeeded)} of ${plural(rowCount, "row")} succeeded, SHA-256 as announced`,
);

step("Webhooks, verified by their signature");
for (const [type, of, what] of [
  ["run.finished", run, "the run"],
  ["run.finished", retry, "the retry"],
  ["export.ready", retry, "the table"],
] as const)
  say(`${type} of ${what}: ${await findDelivered(type, of)}`);

step("Money");
await compareBills();

clearTimeout(watchdog);
place.finish();
const since = isResumed ? " since it was taken up" : "";
console.log(`\nDone in ${duration((Date.now() - startedAt) / 1000)}${since}.`);
if (!isWatched || options.exit === true) {
  console.log(
    fit(`The table is ${place.shown("audience.csv")}. \`npm run demo\` in a terminal leaves the service up.`),
  );
  await service.stop();
  process.exit();
}
showNextSteps();
end = () => void service.stop().then(() => process.exit());

async function killService({ rows }: Run): Promise<void> {
  const killedAt = Date.now();
  await service.kill();
  say(`kill -9 after ${count(rows.succeeded + rows.failed)} rows: the service and its database are gone.`);
  service = await startService({ ...place, isResumed: true }, fail);
  say(`Started again, ready in ${duration((Date.now() - killedAt) / 1000)}.`);
}

/** Ten lines of the file: the first of those that succeeded at once, in the retry, and not at all. Returns how many succeeded. */
function printTable(content: Buffer, sha256: string | null): number {
  expectEqual("SHA-256 of the file", createHash("sha256").update(content).digest("hex"), sha256);
  const [header = [], ...rows] = content.toString().trimEnd().split("\n").map(splitCsv);
  expectEqual("lines of the file, without its header", rows.length, rowCount);
  const at = (name: string): number => header.indexOf(name);
  const isFailed = (row: string[]): boolean => row[at("row_state")] !== "succeeded";
  const isRetried = (row: string[]): boolean => !isFailed(row) && row[at("rating")] === "";
  const isWhole = (row: string[]): boolean => row[at("genre")] !== "" && row[at("director")] !== "";
  const shown = new Set([
    ...rows.filter((row) => isWhole(row) && !isFailed(row) && !isRetried(row)).slice(0, 5),
    ...rows.filter((row) => isWhole(row) && isRetried(row)).slice(0, 3),
    ...rows.filter((row) => isWhole(row) && isFailed(row)).slice(0, 2),
  ]);
  const columns = isWide()
    ? ["title", "year", "genre", "rating", "director", "audience", "confidence", "row_state", "failure_code"]
    : ["title", "genre", "rating", "audience", "row_state", "failure_code"];
  table(
    columns,
    rows.filter((row) => shown.has(row)).map((row) => columns.map((name) => row[at(name)] ?? "")),
  );
  return rows.filter((row) => !isFailed(row)).length;
}

/** This demo's receiver was informed, or, where a demo was killed, the one of before: then the delivery record shows it. */
async function findDelivered(type: "run.finished" | "export.ready", { id }: Run): Promise<string> {
  const [event] = (await rowmill.runs.events(id, { type: [type] })).data;
  if (event === undefined) return fail(`${id} has no event ${type}.`);
  for (;;) {
    if (await receiver.waitFor(event.id, isResumed ? 0 : WEBHOOK_LIMIT_MS)) return `verified (${event.id})`;
    for await (const delivery of rowmill.webhookDeliveries.list({ eventType: [type] })) {
      if (delivery.eventId !== event.id) continue;
      if (delivery.status === "succeeded") return `delivered before the interruption (${event.id})`;
      // Nobody was there to receive it; its next attempt would come in a while.
      if (delivery.attempts.length > 0) await rowmill.webhookDeliveries.redeliver(delivery.id);
    }
    const limitMs = isResumed ? WEBHOOK_LIMIT_AFTER_KILL_MS : WEBHOOK_LIMIT_MS;
    if (await receiver.waitFor(event.id, limitMs)) return `verified (${event.id})`;
    fail(`The event ${event.id} was not received and verified within ${limitMs / 1000} seconds.`);
  }
}

/** What the service has recorded, and what the model counted for itself. */
async function compareBills(): Promise<void> {
  let [costUsd, requests] = [0, 0];
  for await (const group of rowmill.usage({ groupBy: "run" })) {
    costUsd += Number(group.costUsd);
    requests += group.requests;
  }
  if (
    costUsd - Number(retry.usage.costUsd) < Number(price?.low) ||
    costUsd - Number(retry.usage.costUsd) > Number(price?.high)
  )
    fail(`The run cost ${usd(costUsd)}, which is outside of the range that was announced.`);
  const { bill } = model;
  say(
    `Recorded: ${plural(requests, "call")}, ${usd(costUsd)}; announced were ${usdRange(Number(price?.low), Number(price?.high))}`,
  );
  // A model that was started again has counted a part only.
  if (isResumed) return;
  const repeated = bill.requests - requests;
  const inFlight =
    repeated === 0 ? "the same" : `${plural(repeated, "call")} in flight at the kill had to be made again`;
  say(`The model's own bill: ${plural(bill.requests, "call")}, ${usd(costOf(bill))}: ${inFlight}`);
  if (options.kill !== true) expectEqual("the model's own bill", costOf(bill).toFixed(6), costUsd.toFixed(6));
}

function showNextSteps(): void {
  writeFileSync(place.path("env"), `export ROWMILL_URL=${service.url} ROWMILL_API_KEY=${key}\n`, { mode: 0o600 });
  // Each line fits a narrow terminal.
  console.log(`
${fit("The service stays up until Ctrl-C. Its console (this link signs you in once, within an hour):")}

  ${service.loginUrl}

Next, in another terminal:

  . ${place.shown("env")}    # the service and its key
  npm run -s rowmill -- failures ${run.id.slice(0, UNIQUE_ID_CHARACTERS)}
  npm run -s rowmill -- map ${place.shown("movies.csv")} \\
    --prompt '{{title}} ({{year}}), {{genre}}' --limit 20 \\
    --out 'mood: dark|light|funny' -o moods.csv \\
    --model ${MODEL} \\
    --base-url ${model.baseUrl}
`);
}

function fail(message: string): never {
  if (isInterrupted) process.exit(INTERRUPTED);
  console.error(`\n${message}`);
  process.exit(1);
}
