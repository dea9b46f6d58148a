import { Rowmill } from "@rowmill/client";

const rowmill = new Rowmill();

// #region connection
const connection = await rowmill.connections.create({
  type: "openai_compatible",
  name: "OpenAI",
  baseUrl: "https://api.openai.com/v1",
  secret: process.env["OPENAI_API_KEY"],
  prices: {
    models: {
      "gpt-5-mini": {
        inputUsdPerMillionTokens: "0.25",
        outputUsdPerMillionTokens: "2.00",
        batchDiscountPercent: 50,
      },
    },
  },
});
// #endregion

// #region spec
const jobSpec = await rowmill.jobSpecs.create({
  name: "Moods by batch",
  processor: {
    type: "llm",
    connection: connection.id,
    model: "gpt-5-mini",
    messages: [{ role: "user", content: "Label this review: {{row.review}}" }],
    parameters: { maxOutputTokens: 60 },
  },
  execution: { mode: "provider_batch", maxWaitSeconds: 86_400 },
});
// #endregion

const dataset = await rowmill.datasets.upload({ name: "Reviews", file: "reviews.csv" });

// #region estimate
const plan = { datasetId: dataset.id, jobSpecId: jobSpec.id, scope: { type: "all" as const } };
const { estimate } = await rowmill.runs.estimate(plan);
console.log(`at most $${estimate.costUsd?.high}`);
// #endregion

// #region run
const run = await rowmill.runs.create({ ...plan, budget: { maxCostUsd: "20.00" } });
const ended = await rowmill.runs.waitFor(run.id);
console.log(`${ended.state}: ${ended.rows.succeeded} of ${ended.rows.total} rows`);
// #endregion
if (ended.state !== "succeeded") process.exitCode = 1;
