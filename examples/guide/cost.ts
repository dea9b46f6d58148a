import { Rowmill } from "@rowmill/client";

const rowmill = new Rowmill();
const connection = await rowmill.connections.create({
  type: "openai_compatible",
  name: "Models",
  baseUrl: process.env["OPENAI_BASE_URL"] ?? "https://api.openai.com/v1",
  secret: process.env["OPENAI_API_KEY"],
  prices: { models: { "gpt-5-mini": { inputUsdPerMillionTokens: "0.25", outputUsdPerMillionTokens: "2.00" } } },
});
const jobSpec = await rowmill.jobSpecs.create({
  name: "Summaries",
  processor: {
    type: "llm",
    connection: connection.id,
    model: "gpt-5-mini",
    messages: [{ role: "user", content: "Summarize: {{row.review}}" }],
    parameters: { maxOutputTokens: 100 },
  },
});
const dataset = await rowmill.datasets.upload({ name: "Reviews", file: "reviews.csv" });

// #region before
const plan = { datasetId: dataset.id, jobSpecId: jobSpec.id, scope: { type: "limit" as const, count: 12 } };
const { estimate, problems } = await rowmill.runs.estimate(plan);
console.log("estimated:", estimate.costUsd, "problems:", problems.length);
// #endregion

// #region budget
const run = await rowmill.runs.create({ ...plan, budget: { maxCostUsd: "0.50", onExceeded: "pause" } });
const ended = await rowmill.runs.waitFor(run.id);
// #endregion

// #region after
console.log("spent:", ended.usage.costUsd, "in", ended.usage.requests, "requests");
for await (const group of rowmill.usage({ groupBy: "job_spec" })) console.log(group.costUsd);
// #endregion
