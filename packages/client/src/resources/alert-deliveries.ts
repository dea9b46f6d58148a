import { list } from "../lists.ts";
import type { List } from "../lists.ts";
import type { Transport } from "../transport.ts";
import type { AlertDelivery, ListQuery, RequestOptions } from "../types.ts";

interface AlertDeliveryFilterValues {
  status: AlertDelivery["status"];
}

export class AlertDeliveries {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(
    query?: ListQuery<"listAlertDeliveries", AlertDeliveryFilterValues>,
    options?: RequestOptions,
  ): List<AlertDelivery> {
    return list(this.#transport, "/v1/alert-deliveries", { query, options });
  }

  get(alertDeliveryId: string, options?: RequestOptions): Promise<AlertDelivery> {
    return this.#transport.json("GET", "/v1/alert-deliveries/{alertDeliveryId}", {
      ...options,
      path: { alertDeliveryId },
    });
  }
}
