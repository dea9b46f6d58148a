/** Structured logs. Secrets are removed by name, and once more by their look. */
import { pino } from "pino";
import type { Logger } from "pino";

export type Log = Logger;

const SECRET_LOOKS = /(whsec_|rmk_|rma_)[A-Za-z0-9+/=_-]{8,}/g;

export function createLog(level: string): Log {
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
          "*.cookie",
          "*.signingSecret",
          "*.apiKey",
          "*.token",
          '*["idempotency-key"]',
        ],
        censor: "[secret]",
      },
    },
    { write: (line: string) => void process.stderr.write(line.replace(SECRET_LOOKS, "$1[secret]")) },
  );
}
