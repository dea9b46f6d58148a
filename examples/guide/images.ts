import { readFile } from "node:fs/promises";
import { Rowmill } from "@rowmill/client";

const rowmill = new Rowmill();
const connection = await rowmill.connections.create({
  type: "openai_compatible",
  name: "Models",
  baseUrl: process.env["OPENAI_BASE_URL"] ?? "https://api.openai.com/v1",
  secret: process.env["OPENAI_API_KEY"],
});

// #region rows
const photos = ["dot.png"];
const rows = await Promise.all(
  photos.map(async (file) => ({ file, photo: (await readFile(file)).toString("base64") })),
);
const dataset = await rowmill.datasets.upload({ name: "Photos", rows });
// #endregion

// #region spec
const jobSpec = await rowmill.jobSpecs.create({
  name: "Captions",
  processor: {
    type: "llm",
    connection: connection.id,
    model: "gpt-5-mini",
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "Describe the picture in one sentence." },
          { type: "image", base64: "{{row.photo}}" },
        ],
      },
    ],
    outputSchema: { type: "object", properties: { caption: { type: "string" } }, required: ["caption"] },
  },
});
// #endregion

const run = await rowmill.runs.create({ datasetId: dataset.id, jobSpecId: jobSpec.id, scope: { type: "all" } });
const ended = await rowmill.runs.waitFor(run.id);
await rowmill.exports.saveTable(ended.id, "captions.csv", { columns: ["file", "caption", "row_state"] });
console.log(ended.state);
if (ended.state !== "succeeded") process.exitCode = 1;
