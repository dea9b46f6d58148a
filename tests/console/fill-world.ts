/** An organization with work in it, as a team has after some weeks: for the pictures of the console, and for its tests. */
import { Rowmill } from "@rowmill/client";
import type { Run } from "@rowmill/client";
import { watchWork } from "./administration.ts";
import type { Administration } from "./administration.ts";

export interface World extends Administration {
  datasetId: string;
  /** A file that did not become a dataset. */
  rejectedUploadId: string;
  jobSpecId: string;
  functionSpecId: string;
  /** Ended with failures of several causes, and one retry. */
  failedRunId: string;
  retryRunId: string;
  /** Waits for a higher budget. */
  pausedRunId: string;
  runningRunId: string;
  largeRunId: string;
}

const TEXTS = [
  "Arrived a day early, and the box was whole. I would buy it again.",
  "The zipper broke after a week. Support answered after nine days with a form letter.",
  "It does what it says. Nothing more, nothing less.",
  "Zu teuer für das, was es kann — aber die Farbe ist wunderschön.",
  "Доставка быстрая, упаковка хорошая.",
];
const PRODUCTS = [
  "Trail backpack 28 L",
  "Enamel mug, blue",
  "Wool blanket",
  "Headlamp 400",
  "Folding chair with an unreasonably long product name that nobody has shortened yet",
];

const reviewsCsv = (rows: number): string =>
  `id,product,review,rating,country,orderedAt\n${Array.from({ length: rows }, (_, i) =>
    [
      1000 + i,
      `"${PRODUCTS[i % PRODUCTS.length]}"`,
      `"Review ${i}: ${TEXTS[i % TEXTS.length]}"`,
      i % 11 === 4 ? "" : 1 + (i % 5),
      ["DE", "FR", "US", "JP"][i % 4],
      new Date(Date.UTC(2026, 8, 1) + i * 607_000).toISOString(),
    ].join(","),
  ).join("\n")}\n`;

/** Nested and long values, markup, a text that turns around its direction. */
const hostileRows = Array.from({ length: 40 }, (_, i) => ({
  id: `C-${i}`,
  name:
    i === 3 ? "<img src=x onerror=\"document.title='broken'\">" : i === 4 ? "invoice\u202Efdp.exe" : `Customer ${i}`,
  notes: i === 5 ? "long ".repeat(4000) : null,
  address: { city: "Köln", lines: ["Hohe Straße 1", `Floor ${i}`] },
}));

async function upload(rowmill: Rowmill, name: string, content: string, filename: string): Promise<string> {
  return (await rowmill.datasets.upload({ name, content, filename })).id;
}

export async function fillWorld(url: string, apiKey: string, modelOrigin: string, reviews = 5000): Promise<World> {
  const rowmill = new Rowmill({ baseUrl: url, apiKey });
  const administration = await watchWork(url, apiKey, modelOrigin);
  const ended = (run: Run): Promise<Run> => rowmill.runs.waitFor(run.id, { pollSeconds: 1 });
  const datasetId = await upload(rowmill, "Reviews, autumn 2026", reviewsCsv(reviews), "reviews.csv");
  await upload(
    rowmill,
    "Customers of the wholesale branch, exported by hand on a Friday evening (final, corrected, really final)",
    hostileRows.map((row) => JSON.stringify(row)).join("\n"),
    "customers.jsonl",
  );
  const broken = await rowmill.datasetUploads.create({
    name: "Orders",
    source: { type: "upload", filename: "orders.csv" },
  });
  await rowmill.datasetUploads.uploadContent(broken.id, 'id,amount\n1,20\n2,30,extra\n3,"open\n');

  const connection = await rowmill.connections.create({
    type: "openai_compatible",
    name: "House model",
    baseUrl: `${modelOrigin}/v1`,
    secret: "house-model-secret-7Qd2",
    rateLimit: { requestsPerMinute: 60_000, tokensPerMinute: 40_000_000 },
    prices: { models: { "house-small": { inputUsdPerMillionTokens: "2.50", outputUsdPerMillionTokens: "10.00" } } },
  });
  const outputSchema = {
    type: "object",
    properties: {
      sentiment: { type: "string", enum: ["positive", "negative", "neutral"] },
      topics: { type: "array", items: { type: "string" } },
    },
    required: ["sentiment", "topics"],
    additionalProperties: false,
  };
  const llm = (prompt: string) => ({
    type: "llm" as const,
    connection: connection.id,
    model: "house-small",
    messages: [
      { role: "system" as const, content: "You label product reviews." },
      { role: "user" as const, content: prompt },
    ],
    outputSchema,
    repairAttempts: 0,
    parameters: { maxOutputTokens: 200 },
  });
  const spec = await rowmill.jobSpecs.create({
    name: "Label reviews",
    processor: llm("Label this review: {{row.review}}"),
  });
  await rowmill.jobSpecs.versions.create(spec.id, {
    processor: llm("Label this review of {{row.product}}, rated {{row.rating}} of 5:\n\n{{row.review}}"),
  });
  const tidy = await rowmill.jobSpecs.create({
    name: "Tidy columns",
    processor: {
      type: "transform",
      code: "export default (row) => ({ ...row, product: row.product.toUpperCase(), words: row.review.split(' ').length })",
    },
  });
  const rehearsal = await rowmill.jobSpecs.create({
    name: "Rehearsal with failures",
    processor: { type: "mock", failEvery: 40, code: "provider_rate_limited", delayMs: 25 },
  });
  const slow = await rowmill.jobSpecs.create({
    name: "Slow rehearsal",
    processor: { type: "mock", failEvery: 97, code: "http_5xx", delayMs: 400 },
  });

  const large = await ended(await rowmill.runs.create({ datasetId, jobSpecId: tidy.id, scope: { type: "all" } }));
  const failed = await ended(
    await rowmill.runs.create({
      datasetId,
      jobSpecId: spec.id,
      scope: { type: "limit", count: Math.min(600, reviews) },
      budget: { maxCostUsd: "5.00" },
    }),
  );
  const retry = await ended(
    await rowmill.runs.retry(failed.id, { selection: { type: "codes", codes: ["output_schema_invalid"] } }),
  );
  await ended(
    await rowmill.runs.create({
      datasetId,
      jobSpecId: rehearsal.id,
      scope: { type: "limit", count: Math.min(400, reviews) },
      name: "Rehearsal before the autumn campaign",
    }),
  );
  const paused = await rowmill.runs.create({
    datasetId,
    jobSpecId: spec.id,
    scope: { type: "limit", count: Math.min(3000, reviews) },
    budget: { maxCostUsd: "0.04" },
    concurrency: 4,
  });
  for (let run = paused; run.state !== "paused";) run = await rowmill.runs.get(paused.id, { waitSeconds: 1 });
  const canceled = await rowmill.runs.create({
    datasetId,
    jobSpecId: slow.id,
    scope: { type: "limit", count: Math.min(800, reviews) },
    concurrency: 2,
  });
  await rowmill.runs.cancel(canceled.id);
  await rowmill.exports.create(failed.id, { type: "resolved_results", layout: "flat", format: "csv" });
  const running = await rowmill.runs.create({ datasetId, jobSpecId: slow.id, scope: { type: "all" }, concurrency: 8 });
  return {
    ...administration,
    datasetId,
    rejectedUploadId: broken.id,
    jobSpecId: spec.id,
    functionSpecId: tidy.id,
    failedRunId: failed.id,
    retryRunId: retry.id,
    pausedRunId: paused.id,
    runningRunId: running.id,
    largeRunId: large.id,
  };
}
