import { Rowmill } from "@rowmill/client";

const rowmill = new Rowmill(); // ROWMILL_URL and ROWMILL_API_KEY

const dataset = await rowmill.datasets.upload({
  name: "Reviews",
  rows: [
    { text: "Great value.", stars: 5 },
    { text: "Broke after a week.", stars: 1 },
  ],
});
const jobSpec = await rowmill.jobSpecs.create({
  name: "Label reviews",
  processor: { type: "transform", code: 'export default (row) => (row.stars > 3 ? "positive" : "negative");' },
});
const { id } = await rowmill.runs.create({ datasetId: dataset.id, jobSpecId: jobSpec.id, scope: { type: "all" } });
const run = await rowmill.runs.waitFor(id);

console.log(run.state);
for await (const { index, data } of rowmill.runs.outputs(id)) console.log(index, data);
