/** Examples of connections. */
import type { Example } from "./example.ts";

export const connectionsExamples = {
  createConnection: {
    body: {
      type: "openai_compatible",
      name: "OpenAI",
      baseUrl: "https://api.openai.com/v1",
      secret: "your-api-key",
      rateLimit: { requestsPerMinute: 500, tokensPerMinute: 200000 },
      prices: { models: { "gpt-5-mini": { inputUsdPerMillionTokens: "0.25", outputUsdPerMillionTokens: "2.00" } } },
    },
    response: {
      id: "conn_01jd3v8m7qe6t9yb4c2xk5w0hz",
      name: "OpenAI",
      type: "openai_compatible",
      baseUrl: "https://api.openai.com/v1",
      hasSecret: true,
      redactedSecret: "…",
      rateLimit: { requestsPerMinute: 500, tokensPerMinute: 200000 },
      prices: { models: { "gpt-5-mini": { inputUsdPerMillionTokens: "0.25", outputUsdPerMillionTokens: "2.00" } } },
      priceList: null,
      metadata: {},
      createdAt: "2026-11-20T09:30:01.119Z",
      updatedAt: "2026-11-20T09:30:01.119Z",
    },
  },
  listConnections: {
    query: { type: "openai_compatible" },
    response: {
      data: [
        {
          id: "conn_01jd3v8m7qe6t9yb4c2xk5w0hz",
          name: "OpenAI",
          type: "openai_compatible",
          baseUrl: "https://api.openai.com/v1",
          hasSecret: true,
          redactedSecret: "…",
          rateLimit: { requestsPerMinute: 500, tokensPerMinute: 200000 },
          prices: { models: { "gpt-5-mini": { inputUsdPerMillionTokens: "0.25", outputUsdPerMillionTokens: "2.00" } } },
          priceList: null,
          metadata: {},
          createdAt: "2026-11-20T09:30:01.119Z",
          updatedAt: "2026-11-20T09:30:01.119Z",
        },
      ],
      nextCursor: null,
    },
  },
  getConnection: {
    params: { connectionId: "conn_01jd3v8m7qe6t9yb4c2xk5w0hz" },
    response: {
      id: "conn_01jd3v8m7qe6t9yb4c2xk5w0hz",
      name: "OpenAI",
      type: "openai_compatible",
      baseUrl: "https://api.openai.com/v1",
      hasSecret: true,
      redactedSecret: "…",
      rateLimit: { requestsPerMinute: 500, tokensPerMinute: 200000 },
      prices: { models: { "gpt-5-mini": { inputUsdPerMillionTokens: "0.25", outputUsdPerMillionTokens: "2.00" } } },
      priceList: null,
      metadata: {},
      createdAt: "2026-11-20T09:30:01.119Z",
      updatedAt: "2026-11-20T09:30:01.119Z",
    },
  },
  updateConnection: {
    params: { connectionId: "conn_01jd3v8m7qe6t9yb4c2xk5w0hz" },
    body: { rateLimit: { requestsPerMinute: 1000 } },
    response: {
      id: "conn_01jd3v8m7qe6t9yb4c2xk5w0hz",
      name: "OpenAI",
      type: "openai_compatible",
      baseUrl: "https://api.openai.com/v1",
      hasSecret: true,
      redactedSecret: "…",
      rateLimit: { requestsPerMinute: 1000, tokensPerMinute: 200000 },
      prices: { models: { "gpt-5-mini": { inputUsdPerMillionTokens: "0.25", outputUsdPerMillionTokens: "2.00" } } },
      priceList: null,
      metadata: {},
      createdAt: "2026-11-20T09:30:01.119Z",
      updatedAt: "2026-11-20T09:30:01.219Z",
    },
  },
  testConnection: {
    notWalked: "It calls the provider.",
    params: { connectionId: "conn_01jd3v8m7qe6t9yb4c2xk5w0hz" },
    response: {
      ok: true,
      status: 200,
      durationMs: 412,
      message: "The provider was reached, and lists 3 models.",
      models: ["gpt-5", "gpt-5-mini", "gpt-5-nano"],
    },
  },
  getConnectionLimits: {
    notWalked: "No row has called the connection yet.",
    params: { connectionId: "conn_01jd3v8m7qe6t9yb4c2xk5w0hz" },
    response: {
      connectionId: "conn_01jd3v8m7qe6t9yb4c2xk5w0hz",
      models: [
        {
          model: "gpt-5-mini",
          learnedRequestsPerMinute: 10000,
          learnedTokensPerMinute: 2000000,
          requestsPerMinute: null,
          refusals: 0,
          pausedSeconds: 0,
          waitSeconds: 0.2,
          slowedAt: null,
          lastUsedAt: "2026-11-20T09:41:07.318Z",
        },
      ],
    },
  },
  deleteConnection: { params: { connectionId: "conn_01jd3v8m7qe6t9yb4c2xk5w0hz" } },
  listModelPrices: {
    response: {
      asOf: "2025-10-15",
      ageDays: 403,
      note: "List prices for standard processing, without tiers, discounts and taxes, as providers had published them at `sourceDate`. They may be outdated: compare them with your provider's before you rely on a budget.",
      providers: [
        {
          provider: "openai",
          connectionType: "openai_compatible",
          host: "api.openai.com",
          source: "https://openai.com/api/pricing/",
        },
      ],
      data: [
        {
          provider: "openai",
          model: "gpt-5",
          inputUsdPerMillionTokens: "1.25",
          outputUsdPerMillionTokens: "10.00",
          cachedInputUsdPerMillionTokens: "0.125",
          batchDiscountPercent: 50,
          sourceDate: "2025-10-01",
        },
      ],
    },
  },
} satisfies Record<string, Example>;
