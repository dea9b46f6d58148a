/** Examples of API keys. */
import type { Example } from "./example.ts";

export const apiKeysExamples = {
  createApiKey: {
    note: "A key for a nightly import. Store `key`: it is shown once.",
    params: { organizationId: "org_01jd3v8m7qe6t9yb4c2xk5w0hz" },
    body: {
      name: "Nightly import",
      scopes: ["datasets:write", "job_specs:read", "runs:write", "results:read"],
      requestsPerMinute: 600,
    },
    response: {
      id: "key_01jd3v8m7qe6t9yb4c2xk5w0hz",
      organizationId: "org_01jd3v8m7qe6t9yb4c2xk5w0hz",
      name: "Nightly import",
      redactedKey: "rmk_0aB1…iZxM",
      scopes: ["datasets:write", "datasets:read", "job_specs:read", "runs:write", "runs:read", "results:read"],
      memberId: null,
      createdByKeyId: "key_01jd3v8m7qe6t9yb4c2xk5w0ha",
      requestsPerMinute: 600,
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
      createdAt: "2026-11-20T09:30:00.394Z",
      key: "rmk_0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0u00iZxM",
    },
  },
  listApiKeys: {
    params: { organizationId: "org_01jd3v8m7qe6t9yb4c2xk5w0hz" },
    response: {
      data: [
        {
          id: "key_01jd3v8m7qe6t9yb4c2xk5w0hz",
          organizationId: "org_01jd3v8m7qe6t9yb4c2xk5w0hz",
          name: "Nightly import",
          redactedKey: "rmk_0aB1…iZxM",
          scopes: ["datasets:write", "datasets:read", "job_specs:read", "runs:write", "runs:read", "results:read"],
          memberId: null,
          createdByKeyId: "key_01jd3v8m7qe6t9yb4c2xk5w0ha",
          requestsPerMinute: 600,
          lastUsedAt: null,
          expiresAt: null,
          revokedAt: null,
          createdAt: "2026-11-20T09:30:00.394Z",
        },
      ],
      nextCursor: null,
    },
  },
  getApiKey: {
    params: { organizationId: "org_01jd3v8m7qe6t9yb4c2xk5w0hz", apiKeyId: "key_01jd3v8m7qe6t9yb4c2xk5w0hz" },
    response: {
      id: "key_01jd3v8m7qe6t9yb4c2xk5w0hz",
      organizationId: "org_01jd3v8m7qe6t9yb4c2xk5w0hz",
      name: "Nightly import",
      redactedKey: "rmk_0aB1…iZxM",
      scopes: ["datasets:write", "datasets:read", "job_specs:read", "runs:write", "runs:read", "results:read"],
      memberId: null,
      createdByKeyId: "key_01jd3v8m7qe6t9yb4c2xk5w0ha",
      requestsPerMinute: 600,
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
      createdAt: "2026-11-20T09:30:00.394Z",
    },
  },
  revokeApiKey: {
    note: "`cascade=true` also revokes the keys that were made with it.",
    params: { organizationId: "org_01jd3v8m7qe6t9yb4c2xk5w0hz", apiKeyId: "key_01jd3v8m7qe6t9yb4c2xk5w0hz" },
    query: { cascade: "true" },
  },
} satisfies Record<string, Example>;
