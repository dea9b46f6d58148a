// #region start
import { Rowmill } from "@rowmill/client";

const rowmill = new Rowmill(); // ROWMILL_API_KEY and ROWMILL_URL, or the profile; or { apiKey, baseUrl }

const dataset = await rowmill.datasets.upload({ name: "reviews", file: "reviews.csv" });
const jobSpec = await rowmill.jobSpecs.create({
  name: "shout",
  processor: { type: "transform", code: "export default (row) => ({ text: row.review.toUpperCase() })" },
});
const plan = { datasetId: dataset.id, jobSpecId: jobSpec.id, scope: { type: "all" as const } };
const { id } = await rowmill.runs.create(plan);
const run = await rowmill.runs.waitFor(id, { onProgress: ({ progress }) => console.error(`${progress.percent} %`) });

if (run.rows.failed > 0) await rowmill.runs.retry(id, { selection: { type: "retryable_failures" } });
// #endregion

// #region lists
const page = await rowmill.runs.list({ state: ["succeeded"], limit: 20 }); // page.data, page.hasNextPage, page.nextPage()
for await (const one of rowmill.runs.list()) console.log(one.id); // every item of every page
for await (const { data } of rowmill.runs.list().pages()) console.log(data.length);
for await (const row of rowmill.runs.outputs<{ text: string }>(id).stream()) console.log(row.data.text); // one request, one line in memory at a time
// #endregion
if (page.data.length !== 1) throw new Error("there is one run");

// #region table
await rowmill.exports.saveTable(run.id, "results.csv"); // Node; or .parquet, .jsonl
// #endregion

// #region export
const created = await rowmill.exports.create(run.id, { type: "resolved_results", layout: "flat", format: "parquet" });
const ready = await rowmill.exports.waitFor(created.id);
if (ready.status === "ready") await rowmill.exports.downloadToFile(ready.id, "results.parquet"); // Node
const { stream, sizeBytes, sha256 } = await rowmill.exports.download(ready.id); // anywhere
// #endregion
await stream.cancel();
console.log(sizeBytes, sha256);

const { promise: connected, resolve: onConnected } = Promise.withResolvers<void>();
async function printEvents(): Promise<void> {
  // #region events
  for await (const { event, data } of rowmill.events.follow({ types: ["run.*"], onConnected })) {
    console.log(event, data);
    if (event === "run.finished") break;
  }
  // #endregion
}
const printed = printEvents();
await connected;
await rowmill.runs.create(plan);
await printed;
