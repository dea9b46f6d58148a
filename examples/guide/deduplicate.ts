import { Rowmill } from "@rowmill/client";

const rowmill = new Rowmill();
const connection = await rowmill.connections.create({
  type: "openai_compatible",
  name: "Models",
  baseUrl: process.env["OPENAI_BASE_URL"] ?? "https://api.openai.com/v1",
  secret: process.env["OPENAI_API_KEY"],
});

// #region spec
const jobSpec = await rowmill.jobSpecs.create({
  name: "Slogans",
  processor: {
    type: "llm",
    connection: connection.id,
    model: "gpt-5-mini",
    messages: [{ role: "user", content: "Write a slogan for {{row.title}}." }],
  },
  dedupe: "exact",
  cache: { mode: "read_write", ttlSeconds: 2_592_000 },
});
// #endregion

const dataset = await rowmill.datasets.upload({ name: "Products", file: "products.csv" });
const run = await rowmill.runs.create({ datasetId: dataset.id, jobSpecId: jobSpec.id, scope: { type: "all" } });

// #region usage
const ended = await rowmill.runs.waitFor(run.id);
console.log(`${ended.rows.succeeded} rows, ${ended.usage.requests} requests`);
// #endregion
