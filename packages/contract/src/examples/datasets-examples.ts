/** Examples of datasets. */
import type { Example } from "./example.ts";

export const datasetsExamples = {
  listDatasets: {
    query: { name: "rev", "metadata[team]": "search" },
    response: {
      data: [
        {
          id: "ds_01jd3v8m7qe6t9yb4c2xk5w0hz",
          name: "Reviews",
          description: null,
          state: "ready",
          rowCount: 3,
          sizeBytes: 140,
          columns: [
            { name: "id", type: "integer", nullCount: 0, min: 1, max: 3 },
            { name: "text", type: "string", nullCount: 0 },
            { name: "stars", type: "integer", nullCount: 0, min: 1, max: 5 },
          ],
          contentSha256: "3d597245dc2c6314ab0c8009caa65f33e0779a9c92a76a3e502cf6fea077873d",
          uploadId: "upl_01jd3v8m7qe6t9yb4c2xk5w0hz",
          metadata: { team: "search" },
          createdAt: "2026-11-20T09:30:01.407Z",
          updatedAt: "2026-11-20T09:30:01.416Z",
        },
      ],
      nextCursor: null,
    },
  },
  getDataset: {
    params: { datasetId: "ds_01jd3v8m7qe6t9yb4c2xk5w0hz" },
    response: {
      id: "ds_01jd3v8m7qe6t9yb4c2xk5w0hz",
      name: "Reviews of November",
      description: "From the shop.",
      state: "ready",
      rowCount: 3,
      sizeBytes: 140,
      columns: [
        { name: "id", type: "integer", nullCount: 0, min: 1, max: 3 },
        { name: "text", type: "string", nullCount: 0 },
        { name: "stars", type: "integer", nullCount: 0, min: 1, max: 5 },
      ],
      contentSha256: "3d597245dc2c6314ab0c8009caa65f33e0779a9c92a76a3e502cf6fea077873d",
      uploadId: "upl_01jd3v8m7qe6t9yb4c2xk5w0hz",
      metadata: { team: "search" },
      createdAt: "2026-11-20T09:30:01.407Z",
      updatedAt: "2026-11-20T09:30:03.717Z",
    },
  },
  updateDataset: {
    params: { datasetId: "ds_01jd3v8m7qe6t9yb4c2xk5w0hz" },
    headers: { "If-Match": "*" },
    body: { name: "Reviews of November", description: "From the shop." },
    response: {
      id: "ds_01jd3v8m7qe6t9yb4c2xk5w0hz",
      name: "Reviews of November",
      description: "From the shop.",
      state: "ready",
      rowCount: 3,
      sizeBytes: 140,
      columns: [
        { name: "id", type: "integer", nullCount: 0, min: 1, max: 3 },
        { name: "text", type: "string", nullCount: 0 },
        { name: "stars", type: "integer", nullCount: 0, min: 1, max: 5 },
      ],
      contentSha256: "3d597245dc2c6314ab0c8009caa65f33e0779a9c92a76a3e502cf6fea077873d",
      uploadId: "upl_01jd3v8m7qe6t9yb4c2xk5w0hz",
      metadata: { team: "search" },
      createdAt: "2026-11-20T09:30:01.407Z",
      updatedAt: "2026-11-20T09:30:03.717Z",
    },
  },
  deleteDataset: { params: { datasetId: "ds_01jd3v8m7qe6t9yb4c2xk5w0ha" } },
  listDatasetRows: {
    params: { datasetId: "ds_01jd3v8m7qe6t9yb4c2xk5w0hz" },
    query: { limit: "2" },
    response: {
      data: [
        {
          id: "row_01jd3v8m7qe6t9yb4c2xk5w0hz00000000",
          index: 0,
          data: { id: 1, text: "Great value, and it arrived early.", stars: 5 },
        },
        {
          id: "row_01jd3v8m7qe6t9yb4c2xk5w0hz00000001",
          index: 1,
          data: { id: 2, text: "Broke after a week.", stars: 1 },
        },
      ],
      nextCursor: "eyJhIjoxfQ",
    },
  },
  getDatasetRow: {
    params: { datasetId: "ds_01jd3v8m7qe6t9yb4c2xk5w0hz", datasetRowId: "row_01jd3v8m7qe6t9yb4c2xk5w0hz00000001" },
    response: {
      id: "row_01jd3v8m7qe6t9yb4c2xk5w0hz00000001",
      index: 1,
      data: { id: 2, text: "Broke after a week.", stars: 1 },
    },
  },
  getColumnStatistics: {
    params: { datasetId: "ds_01jd3v8m7qe6t9yb4c2xk5w0hz" },
    response: {
      examinedRows: 3,
      isComplete: true,
      columns: [
        {
          name: "id",
          type: "integer",
          nullCount: 0,
          histogram: [
            { from: 1, to: 2, count: 1 },
            { from: 2, to: 3, count: 1 },
            { from: 3, to: 4, count: 1 },
          ],
          frequentValues: null,
          distinctValues: null,
        },
        {
          name: "text",
          type: "string",
          nullCount: 0,
          histogram: null,
          frequentValues: [
            { value: "", count: 1 },
            { value: "Broke after a week.", count: 1 },
            { value: "Great value, and it arrived early.", count: 1 },
          ],
          distinctValues: 3,
        },
        {
          name: "stars",
          type: "integer",
          nullCount: 0,
          histogram: [
            { from: 1, to: 2, count: 1 },
            { from: 2, to: 3, count: 0 },
            { from: 3, to: 4, count: 1 },
            { from: 4, to: 5, count: 0 },
            { from: 5, to: 6, count: 1 },
          ],
          frequentValues: null,
          distinctValues: null,
        },
      ],
    },
  },
} satisfies Record<string, Example>;
