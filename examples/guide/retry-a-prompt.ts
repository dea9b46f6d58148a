import { Rowmill } from "@rowmill/client";

const rowmill = new Rowmill();
const dataset = await rowmill.datasets.upload({
  name: "Prices",
  rows: [{ price: "12.50" }, { price: "8,90" }, { price: "n/a" }],
});

// #region first
const jobSpec = await rowmill.jobSpecs.create({
  name: "Numbers",
  processor: { type: "transform", code: "export default (row) => ({ amount: Number(row.price) })" },
  outputSchema: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
});
const first = await rowmill.runs.create({ datasetId: dataset.id, jobSpecId: jobSpec.id, scope: { type: "all" } });
const ended = await rowmill.runs.waitFor(first.id);
console.log(`first: ${ended.rows.succeeded} succeeded, ${ended.rows.failed} failed`);
// #endregion

// #region version
const corrected = await rowmill.jobSpecs.versions.create(jobSpec.id, {
  processor: {
    type: "transform",
    code: 'export default (row) => ({ amount: row.price === "n/a" ? 0 : Number(row.price.replace(",", ".")) })',
  },
  outputSchema: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
});
// #endregion

// #region retry
const retry = await rowmill.runs.retry(first.id, {
  selection: { type: "failures" },
  jobSpecVersion: corrected.version,
});
const again = await rowmill.runs.waitFor(retry.id);
console.log(`retry: ${again.rows.succeeded} of ${again.rows.total} succeeded`);
// #endregion

// #region resolved
for await (const { index, resultState, output } of rowmill.runs.resolvedResults(retry.id))
  console.log(index, resultState, JSON.stringify(output?.data));
// #endregion
