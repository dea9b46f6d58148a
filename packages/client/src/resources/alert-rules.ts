import { list } from "../lists.ts";
import type { List } from "../lists.ts";
import type { Transport } from "../transport.ts";
import type {
  AlertDelivery,
  AlertPreview,
  AlertRule,
  AlertRuleWithSecret,
  Body,
  CreateOptions,
  ListQuery,
  RequestOptions,
} from "../types.ts";

interface AlertRuleFilterValues {
  eventType: AlertRule["eventType"];
}

export class AlertRules {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** What a rule would have done with the events of the last days. Nothing is sent or kept. */
  preview(body: Body<"previewAlertRule">, options?: CreateOptions): Promise<AlertPreview> {
    return this.#transport.json("POST", "/v1/alert-rule-previews", { ...options, body });
  }

  /** Of a webhook destination the response has a `signingSecret`, which is shown this once. */
  create(body: Body<"createAlertRule">, options?: CreateOptions): Promise<AlertRuleWithSecret> {
    return this.#transport.json("POST", "/v1/alert-rules", { ...options, body });
  }

  list(query?: ListQuery<"listAlertRules", AlertRuleFilterValues>, options?: RequestOptions): List<AlertRule> {
    return list(this.#transport, "/v1/alert-rules", { query, options });
  }

  get(alertRuleId: string, options?: RequestOptions): Promise<AlertRule> {
    return this.#transport.json("GET", "/v1/alert-rules/{alertRuleId}", { ...options, path: { alertRuleId } });
  }

  /** A destination that becomes a webhook gets a `signingSecret`, which is shown this once. */
  update(alertRuleId: string, body: Body<"updateAlertRule">, options?: RequestOptions): Promise<AlertRuleWithSecret> {
    const path = { alertRuleId };
    return this.#transport.json("PATCH", "/v1/alert-rules/{alertRuleId}", { ...options, path, body });
  }

  /** The new secret signs at once; for 24 hours the old one is valid, too. The response's `signingSecret` is shown this once. */
  rotateSecret(alertRuleId: string, options?: CreateOptions): Promise<AlertRuleWithSecret> {
    const path = { alertRuleId };
    return this.#transport.json("POST", "/v1/alert-rules/{alertRuleId}/rotate-secret", { ...options, path });
  }

  /** Alerts that wait for an attempt are abandoned; delivery records stay. */
  delete(alertRuleId: string, options?: RequestOptions): Promise<undefined> {
    return this.#transport.json("DELETE", "/v1/alert-rules/{alertRuleId}", { ...options, path: { alertRuleId } });
  }

  /** Makes one attempt now and returns its delivery. */
  test(alertRuleId: string, options?: CreateOptions): Promise<AlertDelivery> {
    return this.#transport.json("POST", "/v1/alert-rules/{alertRuleId}/test", { ...options, path: { alertRuleId } });
  }
}
