import { list } from "../lists.ts";
import type { List } from "../lists.ts";
import type { Transport } from "../transport.ts";
import type {
  CreateOptions,
  ListQuery,
  RequestOptions,
  WebhookDelivery,
  WebhookDeliveryContent,
  WebhookDeliveryWithResponse,
} from "../types.ts";

type DeliveryFilters = ListQuery<
  "listWebhookDeliveries",
  { status: WebhookDelivery["status"]; eventType: WebhookDelivery["eventType"] }
>;

export class WebhookDeliveries {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(query?: DeliveryFilters, options?: RequestOptions): List<WebhookDelivery> {
    return list(this.#transport, "/v1/webhook-deliveries", { query, options });
  }

  get(webhookDeliveryId: string, options?: RequestOptions): Promise<WebhookDelivery> {
    return this.#transport.json("GET", "/v1/webhook-deliveries/{webhookDeliveryId}", {
      ...options,
      path: { webhookDeliveryId },
    });
  }

  /** The body that was sent, and for each attempt the headers, and the beginning of the response. */
  content(webhookDeliveryId: string, options?: RequestOptions): Promise<WebhookDeliveryContent> {
    const path = { webhookDeliveryId };
    return this.#transport.json("GET", "/v1/webhook-deliveries/{webhookDeliveryId}/content", { ...options, path });
  }

  /** Sends the event once more, as a new delivery, and returns it with the response of the receiver. */
  redeliver(webhookDeliveryId: string, options?: CreateOptions): Promise<WebhookDeliveryWithResponse> {
    const path = { webhookDeliveryId };
    return this.#transport.json("POST", "/v1/webhook-deliveries/{webhookDeliveryId}/redeliver", { ...options, path });
  }
}
