/** Examples of what became of the rows of a run. */
import type { Example } from "./example.ts";

export const resultsExamples = {
  listRunRows: {
    params: { runId: "run_01jd3v8m7qe6t9yb4c2xk5w0hz" },
    query: { state: "failed" },
    response: {
      data: [
        {
          datasetRowId: "row_01jd3v8m7qe6t9yb4c2xk5w0hz00000002",
          index: 2,
          state: "failed",
          attempts: 1,
          startedAt: "2026-11-20T09:30:06.446Z",
          finishedAt: "2026-11-20T09:30:07.125Z",
          durationMs: 679,
          error: { code: "transform_error", message: "Error: the review has no text (line 2)" },
        },
      ],
      nextCursor: null,
    },
  },
  listOutputs: {
    params: { runId: "run_01jd3v8m7qe6t9yb4c2xk5w0hz" },
    response: {
      data: [
        {
          datasetRowId: "row_01jd3v8m7qe6t9yb4c2xk5w0hz00000000",
          index: 0,
          data: { label: "positive", words: 6 },
          attempts: 1,
          usage: null,
          producedAt: "2026-11-20T09:30:07.126Z",
        },
        {
          datasetRowId: "row_01jd3v8m7qe6t9yb4c2xk5w0hz00000001",
          index: 1,
          data: { label: "negative", words: 4 },
          attempts: 1,
          usage: null,
          producedAt: "2026-11-20T09:30:07.126Z",
        },
      ],
      nextCursor: null,
    },
  },
  listFailures: {
    params: { runId: "run_01jd3v8m7qe6t9yb4c2xk5w0hz" },
    query: { code: "transform_error" },
    response: {
      data: [
        {
          datasetRowId: "row_01jd3v8m7qe6t9yb4c2xk5w0hz00000002",
          index: 2,
          code: "transform_error",
          class: "transform",
          retryable: false,
          message: "Error: the review has no text (line 2)",
          details: { name: "Error", path: "transform.js:2:39", stack: "at default (transform.js:2:39)" },
          attempts: 1,
          usage: null,
          failedAt: "2026-11-20T09:30:07.125Z",
        },
      ],
      nextCursor: null,
    },
  },
  listFailureGroups: {
    params: { runId: "run_01jd3v8m7qe6t9yb4c2xk5w0hz" },
    response: {
      data: [
        {
          code: "transform_error",
          class: "transform",
          retryable: false,
          path: "transform.js:2:39",
          count: 1,
          sample: {
            datasetRowId: "row_01jd3v8m7qe6t9yb4c2xk5w0hz00000002",
            index: 2,
            message: "Error: the review has no text (line 2)",
            failedAt: "2026-11-20T09:30:07.125Z",
          },
        },
      ],
      nextCursor: null,
    },
  },
  listResolvedResults: {
    params: { runId: "run_01jd3v8m7qe6t9yb4c2xk5w0ha" },
    response: {
      data: [
        {
          datasetRowId: "row_01jd3v8m7qe6t9yb4c2xk5w0hz00000000",
          index: 0,
          resultState: "succeeded",
          runId: "run_01jd3v8m7qe6t9yb4c2xk5w0hz",
          output: {
            data: { label: "positive", words: 6 },
            attempts: 1,
            usage: null,
            producedAt: "2026-11-20T09:30:07.126Z",
          },
        },
        {
          datasetRowId: "row_01jd3v8m7qe6t9yb4c2xk5w0hz00000001",
          index: 1,
          resultState: "succeeded",
          runId: "run_01jd3v8m7qe6t9yb4c2xk5w0hz",
          output: {
            data: { label: "negative", words: 4 },
            attempts: 1,
            usage: null,
            producedAt: "2026-11-20T09:30:07.126Z",
          },
        },
      ],
      nextCursor: null,
    },
  },
  listRunEvents: {
    params: { runId: "run_01jd3v8m7qe6t9yb4c2xk5w0hz" },
    response: {
      data: [
        {
          id: "evt_01jd3v8m7qe6t9yb4c2xk5w0hz",
          sequence: 1,
          type: "run.created",
          runId: "run_01jd3v8m7qe6t9yb4c2xk5w0hz",
          createdAt: "2026-11-20T09:30:05.567Z",
          data: {
            object: "run",
            id: "run_01jd3v8m7qe6t9yb4c2xk5w0hz",
            url: "http://127.0.0.1:8080/v1/runs/run_01jd3v8m7qe6t9yb4c2xk5w0hz",
            state: "queued",
          },
        },
        {
          id: "evt_01jd3v8m7qe6t9yb4c2xk5w0ha",
          sequence: 2,
          type: "run.started",
          runId: "run_01jd3v8m7qe6t9yb4c2xk5w0hz",
          createdAt: "2026-11-20T09:30:05.712Z",
          data: {
            object: "run",
            id: "run_01jd3v8m7qe6t9yb4c2xk5w0hz",
            url: "http://127.0.0.1:8080/v1/runs/run_01jd3v8m7qe6t9yb4c2xk5w0hz",
            state: "running",
          },
        },
      ],
      nextCursor: null,
    },
  },
  streamRunEvents: {
    params: { runId: "run_01jd3v8m7qe6t9yb4c2xk5w0hz" },
    headers: { Accept: "text/event-stream" },
    text: 'id: 1\nevent: run.created\ndata: {"id":"evt_01jd3v8m7qe6t9yb4c2xk5w0hz","sequence":1,"type":"run.created","runId":"run_01jd3v8m7qe6t9yb4c2xk5w0hz","createdAt":"2026-11-20T09:30:05.567Z","data":{"object":"run","id":"run_01jd3v8m7qe6t9yb4c2xk5w0hz","url":"http://127.0.0.1:8080/v1/runs/run_01jd3v8m7qe6t9yb4c2xk5w0hz","state":"queued"}}\n\nid: 2\nevent: run.started\ndata: {"id":"evt_01jd3v8m7qe6t9yb4c2xk5w0ha","sequence":2,"type":"run.started","runId":"run_01jd3v8m7qe6t9yb4c2xk5w0hz","createdAt":"2026-11-20T09:30:05.712Z","data":{"object":"run","id":"run_01jd3v8m7qe6t9yb4c2xk5w0hz","url":"http://127.0.0.1:8080/v1/runs/run_01jd3v8m7qe6t9yb4c2xk5w0hz","state":"running"}}\n\n',
  },
} satisfies Record<string, Example>;
