import { AlertDeliveries } from "./resources/alert-deliveries.ts";
import { AlertRules } from "./resources/alert-rules.ts";
import { BulkActions } from "./resources/bulk-actions.ts";
import { Connections } from "./resources/connections.ts";
import { DatasetUploads } from "./resources/dataset-uploads.ts";
import { Datasets } from "./resources/datasets.ts";
import { Events } from "./resources/events.ts";
import { Exports } from "./resources/exports.ts";
import { JobSpecs } from "./resources/job-specs.ts";
import { Organizations } from "./resources/organizations.ts";
import { Runs } from "./resources/runs.ts";
import { Sessions } from "./resources/sessions.ts";
import { WebhookDeliveries } from "./resources/webhook-deliveries.ts";
import { WebhookEndpoints } from "./resources/webhook-endpoints.ts";
import { Transport } from "./transport.ts";
import type { RowmillOptions } from "./options.ts";
import { list } from "./lists.ts";
import type { List } from "./lists.ts";
import type {
  ResponseBody,
  ResponseBodyIn,
  Method,
  ModelPriceList,
  OperationOf,
  PathOf,
  RequestInput,
  RequestOptions,
  ServiceHealth,
  ServiceInfo,
  UsageGroup,
  UsageQuery,
} from "./types.ts";
import { verifyWebhook } from "./webhooks.ts";

export class Rowmill {
  readonly organizations: Organizations;
  readonly datasetUploads: DatasetUploads;
  readonly datasets: Datasets;
  readonly jobSpecs: JobSpecs;
  readonly runs: Runs;
  readonly exports: Exports;
  readonly events: Events;
  readonly bulkActions: BulkActions;
  readonly connections: Connections;
  readonly webhookEndpoints: WebhookEndpoints;
  readonly webhookDeliveries: WebhookDeliveries;
  readonly alertRules: AlertRules;
  readonly alertDeliveries: AlertDeliveries;
  readonly session: Sessions;
  readonly webhooks: { readonly verify: typeof verifyWebhook } = { verify: verifyWebhook };
  readonly #transport: Transport;

  /** In Node, what `options` leaves out comes from the environment and the profile. */
  constructor(options: RowmillOptions = {}) {
    this.#transport = new Transport(options);
    this.organizations = new Organizations(this.#transport);
    this.datasetUploads = new DatasetUploads(this.#transport);
    this.datasets = new Datasets(this.#transport);
    this.jobSpecs = new JobSpecs(this.#transport);
    this.runs = new Runs(this.#transport);
    this.events = new Events(this.#transport);
    this.exports = new Exports(this.#transport);
    this.bulkActions = new BulkActions(this.#transport);
    this.connections = new Connections(this.#transport);
    this.webhookEndpoints = new WebhookEndpoints(this.#transport);
    this.webhookDeliveries = new WebhookDeliveries(this.#transport);
    this.alertRules = new AlertRules(this.#transport);
    this.session = new Sessions(this.#transport);
    this.alertDeliveries = new AlertDeliveries(this.#transport);
  }

  /** Who the key is. */
  me(options?: RequestOptions): Promise<ResponseBody<"getMe">> {
    return this.#transport.json("GET", "/v1/me", { ...options });
  }

  /** What runs have used, and what it cost: by day, or by what else `groupBy` names. */
  usage(query?: UsageQuery, options?: RequestOptions): List<UsageGroup> {
    return list(this.#transport, "/v1/usage", { query, options });
  }

  /** List prices of models with their date; they may be outdated. */
  modelPrices(options?: RequestOptions): Promise<ModelPriceList> {
    return this.#transport.json("GET", "/v1/model-prices", { ...options });
  }

  /** What the service is: its version, and those of its settings that its users need to know. */
  serviceInfo(options?: RequestOptions): Promise<ServiceInfo> {
    return this.#transport.json("GET", "/v1/service", { ...options });
  }

  /** How the service fares; with the admin key. */
  serviceHealth(options?: RequestOptions): Promise<ServiceHealth> {
    return this.#transport.json("GET", "/v1/service/health", { ...options });
  }

  /** Every error code, what it means and what to do. */
  async errorCodes(options?: RequestOptions): Promise<ResponseBody<"listErrorCodes">["data"]> {
    return (await this.#transport.json("GET", "/v1/error-codes", { ...options })).data;
  }

  /** Every event type. */
  async eventTypes(options?: RequestOptions): Promise<ResponseBody<"listEventTypes">["data"]> {
    return (await this.#transport.json("GET", "/v1/event-types", { ...options })).data;
  }

  /** Any operation with a JSON response, typed by its method and path, with retries and an idempotency key as everywhere. */
  request<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...[input]: Record<never, never> extends RequestInput<OperationOf<M, P>>
      ? [input?: RequestInput<OperationOf<M, P>>]
      : [input: RequestInput<OperationOf<M, P>>]
  ): Promise<ResponseBodyIn<OperationOf<M, P>>> {
    // Absent only where every member may be.
    return this.#transport.json(method, path, (input ?? {}) as RequestInput<OperationOf<M, P>>);
  }
}
