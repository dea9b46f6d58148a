import { list } from "../lists.ts";
import type { List } from "../lists.ts";
import type { Transport } from "../transport.ts";
import type {
  Body,
  CreateOptions,
  JobSpec,
  JobSpecTestResult,
  JobSpecVersion,
  ListQuery,
  RequestOptions,
} from "../types.ts";

/** The minute that the service gives the rows of a test, and time for the response. */
const TEST_TIMEOUT_MS = 75_000;

export class JobSpecs {
  readonly versions: JobSpecVersions;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.versions = new JobSpecVersions(transport);
  }

  create(body: Body<"createJobSpec">, options?: CreateOptions): Promise<JobSpec> {
    return this.#transport.json("POST", "/v1/job-specs", { ...options, body });
  }

  list(query?: ListQuery<"listJobSpecs">, options?: RequestOptions): List<JobSpec> {
    return list(this.#transport, "/v1/job-specs", { query, options });
  }

  get(jobSpecId: string, options?: RequestOptions): Promise<JobSpec> {
    return this.#transport.json("GET", "/v1/job-specs/{jobSpecId}", { ...options, path: { jobSpecId } });
  }

  /** What a run does is changed by a new version. */
  update(jobSpecId: string, body: Body<"updateJobSpec">, options?: RequestOptions): Promise<JobSpec> {
    return this.#transport.json("PATCH", "/v1/job-specs/{jobSpecId}", { ...options, path: { jobSpecId }, body });
  }

  /** No new runs; those that refer to it go on. */
  archive(jobSpecId: string, options?: RequestOptions): Promise<undefined> {
    return this.#transport.json("DELETE", "/v1/job-specs/{jobSpecId}", { ...options, path: { jobSpecId } });
  }

  /**
   * Tries the job spec on a few rows at once, without a run. What does not end within a minute is returned as failed.
   * `test<Mood>(…)` gives the `data` of the outputs that type; the client does not check it.
   */
  test<Data = unknown>(
    jobSpecId: string,
    body: Body<"testJobSpec">,
    options: CreateOptions = {},
  ): Promise<JobSpecTestResult<Data>> {
    const timeoutMs = options.timeoutMs ?? Math.max(this.#transport.timeoutMs, TEST_TIMEOUT_MS);
    const request = { ...options, timeoutMs, path: { jobSpecId }, body };
    const tested = this.#transport.json("POST", "/v1/job-specs/{jobSpecId}/test", request);
    return tested as Promise<JobSpecTestResult<Data>>; // the type that the caller knows
  }
}

export class JobSpecVersions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  create(jobSpecId: string, body: Body<"createJobSpecVersion">, options?: CreateOptions): Promise<JobSpecVersion> {
    return this.#transport.json("POST", "/v1/job-specs/{jobSpecId}/versions", {
      ...options,
      path: { jobSpecId },
      body,
    });
  }

  list(jobSpecId: string, query?: ListQuery<"listJobSpecVersions">, options?: RequestOptions): List<JobSpecVersion> {
    return list(this.#transport, "/v1/job-specs/{jobSpecId}/versions", { path: { jobSpecId }, query, options });
  }

  get(jobSpecId: string, version: number, options?: RequestOptions): Promise<JobSpecVersion> {
    const path = { jobSpecId, version };
    return this.#transport.json("GET", "/v1/job-specs/{jobSpecId}/versions/{version}", { ...options, path });
  }
}
