/**
 * List prices in US dollars for a million tokens, as providers have published them for standard processing. Only what is certain
 * is here: models whose price depends on the length of the prompt, and names that move to another model, are not. A caller that
 * changes a price sets its date.
 */
import type { ConnectionType } from "@rowmill/contract/connections";

export interface ListedProvider {
  provider: string;
  connectionType: ConnectionType;
  /** Of the base URLs of its connections. */
  host: string;
  source: string;
}

export interface ListedPrice {
  models: readonly string[];
  input: string;
  output: string;
  cachedInput?: string;
}

export const listedProviders = {
  openai: {
    provider: "openai",
    connectionType: "openai_compatible",
    host: "api.openai.com",
    source: "https://openai.com/api/pricing/",
  },
  anthropic: {
    provider: "anthropic",
    connectionType: "anthropic",
    host: "api.anthropic.com",
    source: "https://www.anthropic.com/pricing",
  },
  gemini: {
    provider: "gemini",
    connectionType: "openai_compatible",
    host: "generativelanguage.googleapis.com",
    source: "https://ai.google.dev/gemini-api/docs/pricing",
  },
  groq: {
    provider: "groq",
    connectionType: "openai_compatible",
    host: "api.groq.com",
    source: "https://groq.com/pricing",
  },
} as const satisfies Record<string, ListedProvider>;

export type ListedProviderName = keyof typeof listedProviders;

interface ProviderPrices {
  sourceDate: string;
  batchDiscountPercent: number | null;
  prices: readonly ListedPrice[];
}

export const listedPrices: Record<ListedProviderName, ProviderPrices> = {
  openai: {
    sourceDate: "2025-10-01",
    batchDiscountPercent: 50,
    prices: [
      { models: ["gpt-5", "gpt-5-2025-08-07"], input: "1.25", cachedInput: "0.125", output: "10.00" },
      { models: ["gpt-5-mini", "gpt-5-mini-2025-08-07"], input: "0.25", cachedInput: "0.025", output: "2.00" },
      { models: ["gpt-5-nano", "gpt-5-nano-2025-08-07"], input: "0.05", cachedInput: "0.005", output: "0.40" },
      { models: ["gpt-4.1", "gpt-4.1-2025-04-14"], input: "2.00", cachedInput: "0.50", output: "8.00" },
      { models: ["gpt-4.1-mini", "gpt-4.1-mini-2025-04-14"], input: "0.40", cachedInput: "0.10", output: "1.60" },
      { models: ["gpt-4.1-nano", "gpt-4.1-nano-2025-04-14"], input: "0.10", cachedInput: "0.025", output: "0.40" },
      {
        models: ["gpt-4o", "gpt-4o-2024-08-06", "gpt-4o-2024-11-20"],
        input: "2.50",
        cachedInput: "1.25",
        output: "10.00",
      },
      { models: ["gpt-4o-mini", "gpt-4o-mini-2024-07-18"], input: "0.15", cachedInput: "0.075", output: "0.60" },
      { models: ["o3", "o3-2025-04-16"], input: "2.00", cachedInput: "0.50", output: "8.00" },
      { models: ["o4-mini", "o4-mini-2025-04-16"], input: "1.10", cachedInput: "0.275", output: "4.40" },
    ],
  },
  anthropic: {
    sourceDate: "2025-10-15",
    batchDiscountPercent: 50,
    prices: [
      { models: ["claude-opus-4-1", "claude-opus-4-1-20250805"], input: "15.00", cachedInput: "1.50", output: "75.00" },
      { models: ["claude-opus-4-0", "claude-opus-4-20250514"], input: "15.00", cachedInput: "1.50", output: "75.00" },
      { models: ["claude-haiku-4-5", "claude-haiku-4-5-20251001"], input: "1.00", cachedInput: "0.10", output: "5.00" },
      { models: ["claude-3-7-sonnet-20250219"], input: "3.00", cachedInput: "0.30", output: "15.00" },
      { models: ["claude-3-5-haiku-20241022"], input: "0.80", cachedInput: "0.08", output: "4.00" },
      { models: ["claude-3-haiku-20240307"], input: "0.25", cachedInput: "0.03", output: "1.25" },
    ],
  },
  gemini: {
    sourceDate: "2025-10-01",
    batchDiscountPercent: null,
    prices: [
      { models: ["gemini-2.5-flash"], input: "0.30", output: "2.50" },
      { models: ["gemini-2.5-flash-lite"], input: "0.10", output: "0.40" },
      { models: ["gemini-2.0-flash"], input: "0.10", output: "0.40" },
    ],
  },
  groq: {
    sourceDate: "2025-10-01",
    batchDiscountPercent: null,
    prices: [
      { models: ["llama-3.3-70b-versatile"], input: "0.59", output: "0.79" },
      { models: ["llama-3.1-8b-instant"], input: "0.05", output: "0.08" },
    ],
  },
};
