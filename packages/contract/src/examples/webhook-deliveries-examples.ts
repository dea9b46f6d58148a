/** Examples of deliveries. */
import type { Example } from "./example.ts";

export const webhookDeliveriesExamples = {
  listWebhookDeliveries: {
    query: { status: "succeeded" },
    response: {
      data: [
        {
          id: "whd_01jd3v8m7qe6t9yb4c2xk5w0hz",
          webhookEndpointId: "whe_01jd3v8m7qe6t9yb4c2xk5w0hz",
          eventId: "evt_01jd3v8m7qe6t9yb4c2xk5w0hq",
          eventType: "run.finished",
          kind: "test",
          status: "succeeded",
          attempts: [
            {
              number: 1,
              message: "The receiver accepted the event (200).",
              outcome: "response",
              startedAt: "2026-11-20T09:30:09.787Z",
              durationMs: 60,
              responseStatus: 200,
            },
          ],
          nextAttemptAt: null,
          createdAt: "2026-11-20T09:30:09.860Z",
          updatedAt: "2026-11-20T09:30:09.860Z",
        },
      ],
      nextCursor: null,
    },
  },
  getWebhookDelivery: {
    params: { webhookDeliveryId: "whd_01jd3v8m7qe6t9yb4c2xk5w0hz" },
    response: {
      id: "whd_01jd3v8m7qe6t9yb4c2xk5w0hz",
      webhookEndpointId: "whe_01jd3v8m7qe6t9yb4c2xk5w0hz",
      eventId: "evt_01jd3v8m7qe6t9yb4c2xk5w0hq",
      eventType: "run.finished",
      kind: "test",
      status: "succeeded",
      attempts: [
        {
          number: 1,
          message: "The receiver accepted the event (200).",
          outcome: "response",
          startedAt: "2026-11-20T09:30:09.787Z",
          durationMs: 60,
          responseStatus: 200,
        },
      ],
      nextAttemptAt: null,
      createdAt: "2026-11-20T09:30:09.860Z",
      updatedAt: "2026-11-20T09:30:09.860Z",
    },
  },
  getWebhookDeliveryContent: {
    params: { webhookDeliveryId: "whd_01jd3v8m7qe6t9yb4c2xk5w0hz" },
    response: {
      body: '{"id":"evt_01jd3v8m7qe6t9yb4c2xk5w0hq","type":"run.finished","apiVersion":"v1","createdAt":"2026-11-20T09:30:09.787Z","organizationId":"org_01jd3v8m7qe6t9yb4c2xk5w0hz","test":true,"data":{"object":"run","id":"run_01jd3v8m7qe6t9yb4c2xk5w0hc","url":"http://127.0.0.1:8080/v1/runs/run_01jd3v8m7qe6t9yb4c2xk5w0hc","state":"succeeded"}}',
      attempts: [
        {
          number: 1,
          request: {
            headers: {
              "user-agent": "Rowmill-Webhooks/1",
              "webhook-id": "evt_01jd3v8m7qe6t9yb4c2xk5w0hq",
              "content-type": "application/json",
              "webhook-signature": "v1,h9onMvhmqk2rG/WtFl7Hq6jLB8FBIU372zPM3/YVbBA=",
              "webhook-timestamp": "1795356191",
              "Service-Webhook-Id": "evt_01jd3v8m7qe6t9yb4c2xk5w0hq",
              "Service-Webhook-Signature": "v1=0dda3d37d98b175116301c9ba5491c4729589e450d75d398dde7c8435a10788c",
              "Service-Webhook-Timestamp": "1795356191",
            },
          },
          response: { body: "", isCut: false, headers: { date: "Fri, 20 Nov 2026 09:30:10 GMT", connection: "close" } },
        },
      ],
    },
  },
  redeliverWebhook: {
    params: { webhookDeliveryId: "whd_01jd3v8m7qe6t9yb4c2xk5w0hz" },
    response: {
      id: "whd_01jd3v8m7qe6t9yb4c2xk5w0ha",
      webhookEndpointId: "whe_01jd3v8m7qe6t9yb4c2xk5w0hz",
      eventId: "evt_01jd3v8m7qe6t9yb4c2xk5w0hq",
      eventType: "run.finished",
      kind: "redelivery",
      status: "succeeded",
      attempts: [
        {
          number: 1,
          message: "The receiver accepted the event (200).",
          outcome: "response",
          startedAt: "2026-11-20T09:30:10.173Z",
          durationMs: 35,
          responseStatus: 200,
        },
      ],
      nextAttemptAt: null,
      createdAt: "2026-11-20T09:30:10.216Z",
      updatedAt: "2026-11-20T09:30:10.216Z",
      response: { body: "", isCut: false, headers: { date: "Fri, 20 Nov 2026 09:30:10 GMT", connection: "close" } },
    },
  },
} satisfies Record<string, Example>;
