import { expect, test } from "vitest";
import { describeMissingPath } from "./paths.ts";

test.each([
  ["/runs", "Paths of the API begin with /v1: did you mean /v1/runs?"],
  ["/runs/run_x/failures", "did you mean /v1/runs/run_x/failures?"],
  ["/v1/job_specs", "Did you mean /v1/job-specs?"],
  ["/v1/job_specs/spec_x", "Did you mean /v1/job-specs/spec_x?"],
  ["/v1/run/run_x/nothing", "Did you mean /v1/runs?"],
  ["/v1/datsets", "Did you mean /v1/datasets?"],
  ["/job_specs", "Did you mean /v1/job-specs?"],
  ["/v1/events", "There is no such path. Did you mean /v1/events/stream?"],
  ["/v1/event", "Did you mean /v1/events/stream?"],
  ["/events", "Did you mean /v1/events/stream?"],
  ["/v1/frobnicate", "There is no such path. GET /v1/openapi.json has all paths."],
  ["/v2/runs", "There is no such path."],
  ["/favicon.ico", "There is no such path."],
  [`/runs/${"x".repeat(5_000)}`, "did you mean /v1/runs/xxx"],
])("%s gets %s", (path, sentence) => {
  expect(describeMissingPath(path)).toContain(sentence);
  expect(describeMissingPath(path).length).toBeLessThan(400);
});
