import { Rowmill } from "@rowmill/client";

const rowmill = new Rowmill();
const connection = await rowmill.connections.create({
  type: "openai_compatible",
  name: "Models",
  baseUrl: process.env["OPENAI_BASE_URL"] ?? "https://api.openai.com/v1",
  secret: process.env["OPENAI_API_KEY"],
});
const dataset = await rowmill.datasets.upload({ name: "Reviews", file: "reviews.csv" });

// #region specs
const jobSpec = await rowmill.jobSpecs.create({
  name: "Mood",
  processor: {
    type: "llm",
    connection: connection.id,
    model: "gpt-5-mini",
    messages: [{ role: "user", content: "Label this review: {{row.review}}" }],
    outputSchema: {
      type: "object",
      properties: { mood: { enum: ["good", "bad", "mixed"] } },
      required: ["mood"],
      additionalProperties: false,
    },
  },
});
const other = await rowmill.jobSpecs.versions.create(jobSpec.id, {
  processor: {
    type: "transform",
    code: 'export default (row) => ({ mood: /good|great|love/i.test(row.review) ? "good" : "bad" })',
  },
});
// #endregion

// #region runs
const scope = { type: "sample" as const, count: 40, seed: 1 };
const start = (jobSpecVersion: number) =>
  rowmill.runs.create({ datasetId: dataset.id, jobSpecId: jobSpec.id, jobSpecVersion, scope });
const started = await Promise.all([start(1), start(other.version)]);
const runs = await Promise.all(started.map(({ id }) => rowmill.runs.waitFor(id)));
for (const { jobSpecVersion, rows } of runs)
  console.log(`version ${jobSpecVersion}: ${rows.succeeded} of ${rows.total} rows succeeded`);
// #endregion

// #region compare
const moodsOf = async (runId: string) => {
  const moods = new Map<number, unknown>();
  for await (const { index, output, failure } of rowmill.runs.resolvedResults(runId).stream())
    moods.set(index, output === undefined ? failure?.code : (output.data as { mood: string }).mood);
  return moods;
};
const [first, second] = await Promise.all(started.map(({ id }) => moodsOf(id)));
const different = [...(first ?? [])].filter(([index, mood]) => second?.get(index) !== mood);
console.log(`${different.length} rows differ`);
for (const [index, mood] of different.slice(0, 3)) console.log(index, mood, second?.get(index));
// #endregion

// #region tables
for (const { id, jobSpecVersion } of runs) await rowmill.exports.saveTable(id, `mood-${jobSpecVersion}.csv`);
// #endregion
