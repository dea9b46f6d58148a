import { Rowmill } from "@rowmill/client";

const rowmill = new Rowmill();

// #region connection
const connection = await rowmill.connections.create({
  type: "openai_compatible",
  name: "Models",
  baseUrl: process.env["OPENAI_BASE_URL"] ?? "https://api.openai.com/v1",
  secret: process.env["OPENAI_API_KEY"],
  prices: { models: { "gpt-5-mini": { inputUsdPerMillionTokens: "0.25", outputUsdPerMillionTokens: "2.00" } } },
});
// #endregion

// #region spec
const jobSpec = await rowmill.jobSpecs.create({
  name: "Moods",
  processor: {
    type: "llm",
    connection: connection.id,
    model: "gpt-5-mini",
    messages: [{ role: "user", content: "Label this review: {{row.review}}" }],
    outputSchema: {
      type: "object",
      properties: { mood: { enum: ["good", "bad", "mixed"] }, urgent: { type: "boolean" } },
      required: ["mood", "urgent"],
      additionalProperties: false,
    },
    parameters: { maxOutputTokens: 60 },
  },
});
// #endregion

// #region run
const dataset = await rowmill.datasets.upload({ name: "Reviews", file: "reviews.csv" });
const run = await rowmill.runs.create({
  datasetId: dataset.id,
  jobSpecId: jobSpec.id,
  scope: { type: "limit", count: 6 },
  budget: { maxCostUsd: "1.00" },
});
const ended = await rowmill.runs.waitFor(run.id);
await rowmill.exports.saveTable(ended.id, "moods.csv");
console.log(`${ended.state}: ${ended.rows.succeeded} of ${ended.rows.total} rows`);
// #endregion
