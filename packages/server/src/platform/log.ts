/** Structured logs. Secrets are removed by name, and once more by their look. */
import { pino } from "pino";
import type { Logger } from "pino";
import { hideTokens } from "./secrets/tokens.ts";

export type Log = Logger;

export function createLog(level: string, write = (line: string): unknown => process.stderr.write(line)): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
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
