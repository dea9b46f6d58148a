/** Examples of alerts that were sent. */
import type { Example } from "./example.ts";

export const alertDeliveriesExamples = {
  testAlertRule: {
    params: { alertRuleId: "alr_01jd3v8m7qe6t9yb4c2xk5w0hz" },
    response: {
      id: "ald_01jd3v8m7qe6t9yb4c2xk5w0hz",
      alertRuleId: "alr_01jd3v8m7qe6t9yb4c2xk5w0hz",
      eventId: "evt_01jd3v8m7qe6t9yb4c2xk5w0hr",
      eventType: "run.failed",
      eventCount: 1,
      test: true,
      status: "succeeded",
      attempts: [
        {
          number: 1,
          message: "The destination accepted the alert (200).",
          outcome: "response",
          startedAt: "2026-11-20T09:30:11.858Z",
          durationMs: 66,
          responseStatus: 200,
        },
      ],
      nextAttemptAt: null,
      createdAt: "2026-11-20T09:30:11.854Z",
      updatedAt: "2026-11-20T09:30:11.942Z",
    },
  },
  listAlertDeliveries: {
    response: {
      data: [
        {
          id: "ald_01jd3v8m7qe6t9yb4c2xk5w0hz",
          alertRuleId: "alr_01jd3v8m7qe6t9yb4c2xk5w0hz",
          eventId: "evt_01jd3v8m7qe6t9yb4c2xk5w0hr",
          eventType: "run.failed",
          eventCount: 1,
          test: true,
          status: "succeeded",
          attempts: [
            {
              number: 1,
              message: "The destination accepted the alert (200).",
              outcome: "response",
              startedAt: "2026-11-20T09:30:11.858Z",
              durationMs: 66,
              responseStatus: 200,
            },
          ],
          nextAttemptAt: null,
          createdAt: "2026-11-20T09:30:11.854Z",
          updatedAt: "2026-11-20T09:30:11.942Z",
        },
      ],
      nextCursor: null,
    },
  },
  getAlertDelivery: {
    params: { alertDeliveryId: "ald_01jd3v8m7qe6t9yb4c2xk5w0hz" },
    response: {
      id: "ald_01jd3v8m7qe6t9yb4c2xk5w0hz",
      alertRuleId: "alr_01jd3v8m7qe6t9yb4c2xk5w0hz",
      eventId: "evt_01jd3v8m7qe6t9yb4c2xk5w0hr",
      eventType: "run.failed",
      eventCount: 1,
      test: true,
      status: "succeeded",
      attempts: [
        {
          number: 1,
          message: "The destination accepted the alert (200).",
          outcome: "response",
          startedAt: "2026-11-20T09:30:11.858Z",
          durationMs: 66,
          responseStatus: 200,
        },
      ],
      nextAttemptAt: null,
      createdAt: "2026-11-20T09:30:11.854Z",
      updatedAt: "2026-11-20T09:30:11.942Z",
    },
  },
} satisfies Record<string, Example>;
