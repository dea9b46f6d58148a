import { parseServerSentEvents } from "../server-sent-events.ts";
import type { ServerSentEvent } from "../server-sent-events.ts";
import { chunksOfResponse } from "../streams.ts";
import { list, rowList } from "../lists.ts";
import type { List, RowList } from "../lists.ts";
import type { Transport } from "../transport.ts";
import type {
  Body,
  CreateOptions,
  Failure,
  FailureGroup,
  Lineage,
  ListQuery,
  Output,
  RequestOptions,
  ResolvedResult,
  Run,
  RunEstimate,
  RunEvent,
  RunMap,
  RunRow,
} from "../types.ts";
import { WATCHED_POLL_SECONDS, waitingRequest, waitSecondsOf, waitUntil } from "../wait.ts";
import type { WaitOptions } from "../wait.ts";

/** The default when nobody watches: few requests, and below the patience of proxies. */
const UNWATCHED_POLL_SECONDS = 20;

type RunFilters = ListQuery<"listRuns", { state: Run["state"] }>;

const terminalStates: Record<Run["state"], boolean> = {
  queued: false,
  running: false,
  paused: false,
  canceling: false,
  succeeded: true,
  partially_succeeded: true,
  failed: true,
  canceled: true,
  expired: true,
};

/** Whether the run has ended, in whatever way. */
export const isTerminal = (run: Pick<Run, "state">): boolean => terminalStates[run.state];

export class Runs {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  create(body: Omit<Body<"createRun">, "dryRun">, options?: CreateOptions): Promise<Run> {
    // Without `dryRun` the response is a run, by the contract.
    return this.#transport.json("POST", "/v1/runs", { ...options, body }) as Promise<Run>;
  }

  /** What the run would take and cost, with a range. Nothing is made, called or paid. */
  estimate(body: Omit<Body<"createRun">, "dryRun">, options?: CreateOptions): Promise<RunEstimate> {
    const asked = { ...body, dryRun: true };
    return this.#transport.json("POST", "/v1/runs", { ...options, body: asked }) as Promise<RunEstimate>; // with `dryRun`
  }

  list(query?: RunFilters, options?: RequestOptions): List<Run> {
    return list(this.#transport, "/v1/runs", { query, options });
  }

  /** With `waitSeconds` (up to 30) the response waits for the run to end. */
  get(runId: string, options: RequestOptions & { waitSeconds?: number } = {}): Promise<Run> {
    const { waitSeconds = 0, ...request } = options;
    const waiting = waitingRequest(this.#transport, waitSeconds, request);
    return this.#transport.json("GET", "/v1/runs/{runId}", { ...waiting, path: { runId } });
  }

  /** Name and metadata always; priority, concurrency, budget and failure policy until the run has ended. */
  update(runId: string, body: Body<"updateRun">, options?: RequestOptions): Promise<Run> {
    return this.#transport.json("PATCH", "/v1/runs/{runId}", { ...options, path: { runId }, body });
  }

  /** The run that has ended, however it ended: look at its `state`. A paused run is waited for, too. */
  waitFor(runId: string, options: WaitOptions<Run> = {}): Promise<Run> {
    const pollSeconds = options.pollSeconds ?? (options.onProgress ? WATCHED_POLL_SECONDS : UNWATCHED_POLL_SECONDS);
    const waitSeconds = waitSecondsOf(pollSeconds);
    const read = (request: RequestOptions): Promise<Run> => this.get(runId, { ...request, waitSeconds });
    return waitUntil(this.#transport, `run ${runId}`, read, isTerminal, { ...options, pollSeconds });
  }

  cancel(runId: string, options?: CreateOptions): Promise<Run> {
    return this.#transport.json("POST", "/v1/runs/{runId}/cancel", { ...options, path: { runId } });
  }

  pause(runId: string, options?: CreateOptions): Promise<Run> {
    return this.#transport.json("POST", "/v1/runs/{runId}/pause", { ...options, path: { runId } });
  }

  resume(runId: string, options?: CreateOptions): Promise<Run> {
    return this.#transport.json("POST", "/v1/runs/{runId}/resume", { ...options, path: { runId } });
  }

  /** A new run over what `selection` names of this one: what is unfinished, if absent. */
  retry(runId: string, body?: Omit<Body<"retryRun">, "dryRun">, options?: CreateOptions): Promise<Run> {
    // Without `dryRun` the response is a run, by the contract.
    return this.#transport.json("POST", "/v1/runs/{runId}/retry", {
      ...options,
      path: { runId },
      body,
    }) as Promise<Run>;
  }

  /** What `retry` with this body would take and cost. Nothing is made, called or paid. */
  estimateRetry(runId: string, body?: Omit<Body<"retryRun">, "dryRun">, options?: CreateOptions): Promise<RunEstimate> {
    return this.#transport.json("POST", "/v1/runs/{runId}/retry", {
      ...options,
      path: { runId },
      body: { ...body, dryRun: true },
    }) as Promise<RunEstimate>; // with `dryRun`
  }

  /** Only when it has ended; its results go with it. */
  delete(runId: string, options?: RequestOptions): Promise<undefined> {
    return this.#transport.json("DELETE", "/v1/runs/{runId}", { ...options, path: { runId } });
  }

  lineage(runId: string, options?: RequestOptions): Promise<Lineage> {
    return this.#transport.json("GET", "/v1/runs/{runId}/lineage", { ...options, path: { runId } });
  }

  /** Where the rows of the run stand, in at most so many cells. */
  map(runId: string, query?: { cells?: number }, options?: RequestOptions): Promise<RunMap> {
    return this.#transport.json("GET", "/v1/runs/{runId}/map", { ...options, path: { runId }, query });
  }

  rows(
    runId: string,
    query?: ListQuery<"listRunRows", { state: RunRow["state"] }>,
    options?: RequestOptions,
  ): RowList<RunRow> {
    return rowList(this.#transport, "/v1/runs/{runId}/rows", { path: { runId }, query, options });
  }

  events(
    runId: string,
    query?: ListQuery<"listRunEvents", { type: RunEvent["type"] }>,
    options?: RequestOptions,
  ): List<RunEvent> {
    return list(this.#transport, "/v1/runs/{runId}/events", { path: { runId }, query, options });
  }

  /**
   * The run's events as they happen, and between them `run.progress` without an id. Ends after the run's last event. After a
   * connection that broke off, go on with the `id` of the last message as `lastEventId`.
   */
  async *streamEvents(
    runId: string,
    options: RequestOptions & { lastEventId?: string } = {},
  ): AsyncGenerator<ServerSentEvent, void, undefined> {
    const { lastEventId, ...request } = options;
    const chunks = await this.#transport.send(
      "GET",
      "/v1/runs/{runId}/events/stream",
      {
        ...request,
        path: { runId },
        accept: "text/event-stream",
        headers: { ...request.headers, ...(lastEventId === undefined ? {} : { "Last-Event-ID": lastEventId }) },
      },
      chunksOfResponse,
    );
    if (chunks !== undefined) yield* parseServerSentEvents(chunks);
  }

  /** `outputs<Mood>(…)` gives `data` that type: the one of the job spec's output schema. The client does not check it. */
  outputs<Data = unknown>(
    runId: string,
    query?: ListQuery<"listOutputs">,
    options?: RequestOptions,
  ): RowList<Output<Data>> {
    return rowList(this.#transport, "/v1/runs/{runId}/outputs", { path: { runId }, query, options });
  }

  failures(runId: string, query?: ListQuery<"listFailures">, options?: RequestOptions): RowList<Failure> {
    return rowList(this.#transport, "/v1/runs/{runId}/failures", { path: { runId }, query, options });
  }

  /** The failures by their cause, the most frequent first. */
  failureGroups(runId: string, query?: ListQuery<"listFailureGroups">, options?: RequestOptions): List<FailureGroup> {
    return list(this.#transport, "/v1/runs/{runId}/failure-groups", { path: { runId }, query, options });
  }

  /** One result per row over the whole family of the run. `resolvedResults<Mood>(…)` gives `output.data` that type, as in `outputs`. */
  resolvedResults<Data = unknown>(
    runId: string,
    query?: ListQuery<"listResolvedResults", { resultState: ResolvedResult["resultState"] }>,
    options?: RequestOptions,
  ): RowList<ResolvedResult<Data>> {
    return rowList(this.#transport, "/v1/runs/{runId}/resolved-results", { path: { runId }, query, options });
  }
}
