/** Structured logs. Secrets are removed by name, and once more by their look. */
import { pino } from "pino";
import type { Logger } from "pino";
import { hideTokens } from "./tokens.ts";

export type Log = Logger;

export function createLog(level: string, write = (line: string): unknown => process.stderr.write(line)): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: withoutClient },
      redact: {
        paths: [
          "authorization",
          "*.authorization",
          "cookie",
          "*.cookie",
          "*.secret",
          "*.password",
          "*.signingSecret",
          "*.apiKey",
          "*.token",
          '*["idempotency-key"]',
        ],
        censor: "[secret]",
      },
    },
    { write: (line: string) => void write(hideTokens(line)) },
  );
}

/** `pg` gives an error of an idle connection its whole client, which is kilobytes of settings and statements. */
function withoutClient(error: unknown): unknown {
  const serialized: unknown = error instanceof Error ? pino.stdSerializers.err(error) : error;
  if (typeof serialized !== "object" || serialized === null) return serialized;
  return Object.fromEntries(Object.entries(serialized).filter(([name]) => name !== "client"));
}
