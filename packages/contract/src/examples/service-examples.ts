/** Examples of streams, the audit, usage, sessions, and the service itself. */
import type { Example } from "./example.ts";

export const serviceExamples = {
  streamEvents: {
    query: { type: "run.*", follow: "false" },
    headers: { "Last-Event-ID": "0" },
    text: 'id: 4\nevent: run.created\ndata: {"id":"evt_01jd3v8m7qe6t9yb4c2xk5w0hz","type":"run.created","apiVersion":"v1","createdAt":"2026-11-20T09:30:05.567Z","organizationId":"org_01jd3v8m7qe6t9yb4c2xk5w0hz","test":false,"data":{"object":"run","id":"run_01jd3v8m7qe6t9yb4c2xk5w0hz","url":"http://127.0.0.1:8080/v1/runs/run_01jd3v8m7qe6t9yb4c2xk5w0hz","state":"queued"}}\n\n',
  },
  listAuditEvents: {
    params: { organizationId: "org_01jd3v8m7qe6t9yb4c2xk5w0hz" },
    query: { type: "run.created" },
    response: {
      data: [
        {
          id: "aud_01jd3v8m7qe6t9yb4c2xk5w0hz",
          organizationId: "org_01jd3v8m7qe6t9yb4c2xk5w0hz",
          type: "run.created",
          actorType: "api_key",
          actorId: "key_01jd3v8m7qe6t9yb4c2xk5w0ha",
          apiKeyId: "key_01jd3v8m7qe6t9yb4c2xk5w0ha",
          target: { type: "run", id: "run_01jd3v8m7qe6t9yb4c2xk5w0hb" },
          ip: "127.0.0.1",
          requestId: "req_01jd3v8m7qe6t9yb4c2xk5w0hz",
          changes: {},
          createdAt: "2026-11-20T09:30:08.551Z",
        },
      ],
      nextCursor: null,
    },
  },
  listUsage: {
    notWalked: "No row has called a model yet.",
    query: { groupBy: "day" },
    response: {
      data: [
        {
          day: "2026-11-20",
          rows: 1000,
          attempts: 1012,
          requests: 1012,
          inputTokens: 214300,
          outputTokens: 18650,
          unpricedRequests: 0,
          costUsd: "0.090875",
          pricedCostUsd: "0.090875",
          tests: { requests: 5, costUsd: "0.000450" },
        },
      ],
      nextCursor: null,
    },
  },
  getServiceInfo: {
    response: {
      version: "0.1.0",
      publicUrl: "http://127.0.0.1:8080",
      webhookHeaderPrefix: "Service",
      sendsMail: false,
      retention: { webhookDeliveryDays: 30, alertDeliveryDays: 30, exportHours: 168, idempotencyKeyHours: 168 },
      invitationExpiryHours: 168,
      sessionExpiryHours: 168,
    },
  },
  getServiceHealth: {
    by: "admin",
    response: {
      isHealthy: true,
      checks: [
        { name: "database", ok: true, message: "PostgreSQL responds.", durationMs: 6 },
        { name: "store", ok: true, message: "Files can be read.", durationMs: 5 },
        { name: "disk", ok: true, message: "There is room for what is written.", durationMs: 0 },
        { name: "encryption_key", ok: true, message: "It opens what is sealed.", durationMs: 1 },
        { name: "egress", ok: true, message: "Name servers and proxy respond.", durationMs: 4 },
      ],
      organizations: 1,
      runs: [],
      jobs: [],
      pendingWebhookDeliveries: 0,
      oldestEventSeconds: 0,
    },
  },
  getOpenApi: {
    by: "nobody",
    response: {
      openapi: "3.1.1",
      info: {
        title: "Rowmill",
        version: "1",
        description:
          "Asynchronous, row-by-row processing of datasets. All routes are under `/v1`; bodies are JSON; field names are camelCase.",
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
    },
  },
  listErrorCodes: {
    by: "nobody",
    response: {
      data: [
        {
          code: "invalid_request",
          status: 400,
          meaning: "The body, or a part of it, has the wrong shape.",
          cause: "A required member is missing, or a value has another type, form or range than the operation takes.",
          action: "Correct the members named in `details`.",
          retryable: false,
        },
      ],
      rowFailures: [
        {
          code: "provider_auth_failed",
          class: "configuration",
          meaning: "The provider refused the credentials.",
          cause:
            "The secret of the connection is wrong or revoked, or lacks a right (401, 403), or the account has no credit left (402). After a lack of credit the row is retryable.",
          action: "Correct the secret of the connection, then retry.",
          retryable: false,
        },
      ],
      uploadErrors: [
        {
          code: "empty_file",
          meaning: "The file holds no rows.",
          cause: "The export that wrote the file found nothing, or all of its rows were invalid and left out.",
          action: "Upload a file that has rows.",
        },
      ],
      runReasons: [
        {
          code: "waiting_for_capacity",
          meaning: "The run waits because the organization has as many runs in progress as it may have.",
          cause: "Many runs were created at once, or those in progress are slow.",
          action: "Wait until another run ends, or cancel one that is not needed.",
        },
      ],
    },
  },
  listEventTypes: {
    by: "nobody",
    response: {
      data: [{ type: "run.created", object: "run", meaning: "A run was created and is queued.", deliverable: true }],
      patterns: [
        {
          pattern: "*",
          types: [
            "run.created",
            "run.started",
            "run.paused",
            "run.resumed",
            "run.succeeded",
            "run.partially_succeeded",
            "run.failed",
            "run.canceled",
            "run.expired",
            "run.finished",
            "row.succeeded",
            "row.failed",
            "export.ready",
            "export.failed",
            "dataset.ready",
            "dataset.failed",
            "bulk_action.finished",
            "test.ping",
            "webhook_endpoint.failing",
            "webhook_endpoint.disabled",
          ],
        },
      ],
    },
  },
} satisfies Record<string, Example>;
