import { list } from "../lists.ts";
import type { List } from "../lists.ts";
import type { Transport } from "../transport.ts";
import type {
  Body,
  CreateOptions,
  ListQuery,
  RequestOptions,
  WebhookDeliveryWithResponse,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
  WebhookReplay,
} from "../types.ts";

export class WebhookEndpoints {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The response's `signingSecret` is shown this once. */
  create(body: Body<"createWebhookEndpoint">, options?: CreateOptions): Promise<WebhookEndpointWithSecret> {
    return this.#transport.json("POST", "/v1/webhook-endpoints", { ...options, body });
  }

  list(query?: ListQuery<"listWebhookEndpoints">, options?: RequestOptions): List<WebhookEndpoint> {
    return list(this.#transport, "/v1/webhook-endpoints", { query, options });
  }

  get(webhookEndpointId: string, options?: RequestOptions): Promise<WebhookEndpoint> {
    return this.#transport.json("GET", "/v1/webhook-endpoints/{webhookEndpointId}", {
      ...options,
      path: { webhookEndpointId },
    });
  }

  update(
    webhookEndpointId: string,
    body: Body<"updateWebhookEndpoint">,
    options?: RequestOptions,
  ): Promise<WebhookEndpoint> {
    const path = { webhookEndpointId };
    return this.#transport.json("PATCH", "/v1/webhook-endpoints/{webhookEndpointId}", { ...options, path, body });
  }

  /** Deliveries that wait are canceled; delivery records stay. */
  delete(webhookEndpointId: string, options?: RequestOptions): Promise<undefined> {
    return this.#transport.json("DELETE", "/v1/webhook-endpoints/{webhookEndpointId}", {
      ...options,
      path: { webhookEndpointId },
    });
  }

  /** Makes one attempt now and returns its delivery, with the response of the receiver. */
  test(
    webhookEndpointId: string,
    body?: Body<"testWebhookEndpoint">,
    options?: CreateOptions,
  ): Promise<WebhookDeliveryWithResponse> {
    const path = { webhookEndpointId };
    return this.#transport.json("POST", "/v1/webhook-endpoints/{webhookEndpointId}/test", { ...options, path, body });
  }

  /** The new secret signs at once; it is shown this once. */
  rotateSecret(webhookEndpointId: string, options?: CreateOptions): Promise<WebhookEndpointWithSecret> {
    const path = { webhookEndpointId };
    return this.#transport.json("POST", "/v1/webhook-endpoints/{webhookEndpointId}/rotate-secret", {
      ...options,
      path,
    });
  }

  /** Delivers the events of a period again: all but those that arrived, unless `statuses` says otherwise. */
  replay(
    webhookEndpointId: string,
    body: Body<"replayWebhookEndpoint">,
    options?: CreateOptions,
  ): Promise<WebhookReplay> {
    const path = { webhookEndpointId };
    return this.#transport.json("POST", "/v1/webhook-endpoints/{webhookEndpointId}/replay", { ...options, path, body });
  }
}
