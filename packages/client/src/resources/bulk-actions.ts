import { list } from "../lists.ts";
import type { List } from "../lists.ts";
import type { Transport } from "../transport.ts";
import type { Body, BulkAction, BulkActionCount, CreateOptions, ListQuery, RequestOptions } from "../types.ts";
import { waitingReader, waitingRequest, waitUntil } from "../wait.ts";
import type { WaitOptions } from "../wait.ts";

type Asked = Omit<Body<"createBulkAction">, "dryRun">;

/** One action on everything that matches a filter, or on a list of ids. */
export class BulkActions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** What the action would be about now. Nothing is made. */
  count(body: Asked, options?: CreateOptions): Promise<BulkActionCount> {
    // With `dryRun` the response is the count, says the contract.
    return this.#transport.json("POST", "/v1/bulk-actions", {
      ...options,
      body: { ...body, dryRun: true },
    }) as Promise<BulkActionCount>;
  }

  create(body: Asked, options?: CreateOptions): Promise<BulkAction> {
    return this.#transport.json("POST", "/v1/bulk-actions", { ...options, body }) as Promise<BulkAction>;
  }

  list(
    query?: ListQuery<"listBulkActions", { state: BulkAction["state"]; resource: BulkAction["resource"] }>,
    options?: RequestOptions,
  ): List<BulkAction> {
    return list(this.#transport, "/v1/bulk-actions", { query, options });
  }

  /** With `waitSeconds` (up to 30) the response waits for the bulk action to end. */
  get(bulkActionId: string, options: RequestOptions & { waitSeconds?: number } = {}): Promise<BulkAction> {
    const { waitSeconds = 0, ...request } = options;
    const waiting = waitingRequest(this.#transport, waitSeconds, request);
    return this.#transport.json("GET", "/v1/bulk-actions/{bulkActionId}", { ...waiting, path: { bulkActionId } });
  }

  /** What was done stays done; nothing more is begun. */
  abort(bulkActionId: string, options?: CreateOptions): Promise<BulkAction> {
    return this.#transport.json("POST", "/v1/bulk-actions/{bulkActionId}/abort", {
      ...options,
      path: { bulkActionId },
    });
  }

  /** The bulk action that has ended: look at its `state` and `reasons`. */
  waitFor(bulkActionId: string, options: WaitOptions<BulkAction> = {}): Promise<BulkAction> {
    const read = waitingReader(options.pollSeconds, (request) => this.get(bulkActionId, request));
    return waitUntil(
      this.#transport,
      `bulk action ${bulkActionId}`,
      read,
      ({ finishedAt }) => finishedAt !== null,
      options,
    );
  }
}
