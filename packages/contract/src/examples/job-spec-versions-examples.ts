/** Examples of versions of job specs, and of their tests. */
import type { Example } from "./example.ts";

export const jobSpecVersionsExamples = {
  createJobSpecVersion: {
    note: "A version is a whole definition: what is left out is not taken from the version before.",
    params: { jobSpecId: "spec_01jd3v8m7qe6t9yb4c2xk5w0hz" },
    body: {
      processor: {
        type: "transform",
        code: 'export default (row) => {\n  return { label: row.stars >= 4 ? "positive" : "negative", words: row.text.split(/\\s+/).length };\n};\n',
      },
      outputSchema: {
        type: "object",
        required: ["label", "words"],
        properties: { label: { enum: ["positive", "negative"] }, words: { type: "integer" } },
      },
    },
    response: {
      id: "specv_01jd3v8m7qe6t9yb4c2xk5w0hz",
      jobSpecId: "spec_01jd3v8m7qe6t9yb4c2xk5w0hz",
      version: 2,
      processor: {
        type: "transform",
        code: 'export default (row) => {\n  return { label: row.stars >= 4 ? "positive" : "negative", words: row.text.split(/\\s+/).length };\n};\n',
      },
      inputSchema: null,
      outputSchema: {
        type: "object",
        required: ["label", "words"],
        properties: { label: { enum: ["positive", "negative"] }, words: { type: "integer" } },
      },
      retry: null,
      timeoutSeconds: null,
      concurrency: null,
      failurePolicy: null,
      cache: null,
      dedupe: "none",
      execution: null,
      createdAt: "2026-11-20T09:30:07.834Z",
    },
  },
  listJobSpecVersions: {
    params: { jobSpecId: "spec_01jd3v8m7qe6t9yb4c2xk5w0hz" },
    response: {
      data: [
        {
          id: "specv_01jd3v8m7qe6t9yb4c2xk5w0hz",
          jobSpecId: "spec_01jd3v8m7qe6t9yb4c2xk5w0hz",
          version: 2,
          processor: {
            type: "transform",
            code: 'export default (row) => {\n  return { label: row.stars >= 4 ? "positive" : "negative", words: row.text.split(/\\s+/).length };\n};\n',
          },
          inputSchema: null,
          outputSchema: {
            type: "object",
            required: ["label", "words"],
            properties: { label: { enum: ["positive", "negative"] }, words: { type: "integer" } },
          },
          retry: null,
          timeoutSeconds: null,
          concurrency: null,
          failurePolicy: null,
          cache: null,
          dedupe: "none",
          execution: null,
          createdAt: "2026-11-20T09:30:07.834Z",
        },
        {
          id: "specv_01jd3v8m7qe6t9yb4c2xk5w0ha",
          jobSpecId: "spec_01jd3v8m7qe6t9yb4c2xk5w0hz",
          version: 1,
          processor: {
            type: "transform",
            code: 'export default (row) => {\n  if (row.text === "") throw new Error("the review has no text");\n  return { label: row.stars >= 4 ? "positive" : "negative", words: row.text.split(/\\s+/).length };\n};\n',
          },
          inputSchema: null,
          outputSchema: {
            type: "object",
            required: ["label", "words"],
            properties: { label: { enum: ["positive", "negative"] }, words: { type: "integer" } },
          },
          retry: null,
          timeoutSeconds: null,
          concurrency: null,
          failurePolicy: null,
          cache: null,
          dedupe: "none",
          execution: null,
          createdAt: "2026-11-20T09:30:05.301Z",
        },
      ],
      nextCursor: null,
    },
  },
  getJobSpecVersion: {
    params: { jobSpecId: "spec_01jd3v8m7qe6t9yb4c2xk5w0hz", version: "1" },
    response: {
      id: "specv_01jd3v8m7qe6t9yb4c2xk5w0ha",
      jobSpecId: "spec_01jd3v8m7qe6t9yb4c2xk5w0hz",
      version: 1,
      processor: {
        type: "transform",
        code: 'export default (row) => {\n  if (row.text === "") throw new Error("the review has no text");\n  return { label: row.stars >= 4 ? "positive" : "negative", words: row.text.split(/\\s+/).length };\n};\n',
      },
      inputSchema: null,
      outputSchema: {
        type: "object",
        required: ["label", "words"],
        properties: { label: { enum: ["positive", "negative"] }, words: { type: "integer" } },
      },
      retry: null,
      timeoutSeconds: null,
      concurrency: null,
      failurePolicy: null,
      cache: null,
      dedupe: "none",
      execution: null,
      createdAt: "2026-11-20T09:30:05.301Z",
    },
  },
  testJobSpec: {
    params: { jobSpecId: "spec_01jd3v8m7qe6t9yb4c2xk5w0hz" },
    body: {
      rows: [
        { text: "Great value.", stars: 5 },
        { text: "", stars: 3 },
      ],
    },
    response: {
      outputs: [{ index: 0, durationMs: 43, logs: "", usage: null, data: { label: "positive", words: 2 } }],
      failures: [
        {
          index: 1,
          durationMs: 47,
          logs: "",
          usage: null,
          code: "transform_error",
          class: "transform",
          retryable: false,
          message: "Error: the review has no text (line 2)",
          details: { name: "Error", path: "transform.js:2:39", stack: "at default (transform.js:2:39)" },
        },
      ],
      totals: { inputTokens: 0, outputTokens: 0, requests: 0, unpricedRequests: 0, costUsd: "0" },
    },
  },
} satisfies Record<string, Example>;
